//! How much memory the process uses.

/// The largest resident set so far, in bytes; 0 where the system does not tell.
pub fn peak_bytes() -> u64 {
    of_this_process("VmHWM:")
}

/// What is resident now, in bytes; 0 where the system does not tell.
pub fn resident_bytes() -> u64 {
    of_this_process("VmRSS:")
}

/// Starts the largest resident set anew, at what is resident now, where the system can.
pub fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn of_this_process(field: &str) -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| bytes_in(&status, field))
        .unwrap_or(0)
}

/// A size in the text of `/proc/PID/status`, which gives it in kB.
fn bytes_in(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::bytes_in;

    #[test]
    fn sizes_are_read() {
        let status = "Name:\tattest\nVmPeak:\t  999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(bytes_in(status, "VmHWM:"), Some(2048 * 1024));
        assert_eq!(bytes_in(status, "VmRSS:"), Some(1024));
        assert_eq!(bytes_in("Name:\tattest\n", "VmHWM:"), None);
    }
}
