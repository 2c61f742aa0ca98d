//! How much memory the process has used.

/// The largest resident set so far, in bytes; 0 where the system does not tell.
pub fn peak_bytes() -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| peak_in(&status))
        .unwrap_or(0)
}

/// Starts the largest resident set anew, at what is resident now, where the system can.
pub fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The high-water mark in the text of `/proc/PID/status`, which gives it in kB.
fn peak_in(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_high_water_mark_is_read() {
        let status = "Name:\tattest\nVmPeak:\t  999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(super::peak_in(status), Some(2048 * 1024));
        assert_eq!(super::peak_in("Name:\tattest\n"), None);
    }
}
