//! The programs of the tables, which the binary carries with it.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::failure::Failure;
use crate::output::write_file;

macro_rules! embedded {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../", $path)))),*]
    };
}

/// Programs by their path in the project.
const PROGRAMS: &[(&str, &str)] = embedded![
    "bench/programs/concrete_loop.c",
    "bench/programs/crabs/branches.c",
    "bench/programs/crabs/simple_while.c",
    "bench/programs/crabs/unreach.c",
    "bench/programs/criteria/advisory.c",
    "bench/programs/criteria/bubble.c",
    "bench/programs/criteria/can_frame.c",
    "bench/programs/criteria/date.c",
    "bench/programs/criteria/evaluate.c",
    "bench/programs/criteria/gearbox.c",
    "bench/programs/criteria/merge.c",
    "bench/programs/criteria/petri.c",
    "bench/programs/criteria/token.c",
    "bench/programs/criteria/triangle.c",
    "bench/programs/growth.c",
    "bench/programs/heap_sort.c",
    "bench/programs/inputs.c",
    "bench/programs/latest_fig1.c",
    "bench/programs/latest_fig7.c",
    "bench/programs/latest_program1.c",
    "bench/programs/latest_program2.c",
    "bench/programs/latest_program3.c",
    "bench/programs/lazy/calculator/calculator.c",
    "bench/programs/lazy/calculator/lexer.c",
    "bench/programs/lazy/calculator/lexer.h",
    "bench/programs/lazy/calls.c",
    "bench/programs/lazy/contexts.c",
    "bench/programs/lazy/pl0/lexer.c",
    "bench/programs/lazy/pl0/lexer.h",
    "bench/programs/lazy/pl0/parser.c",
    "bench/programs/pl0.c",
    "bench/programs/provers/arrays/bubble_sort_check.c",
    "bench/programs/provers/arrays/copy_reversed.c",
    "bench/programs/provers/arrays/fill_and_check.c",
    "bench/programs/provers/arrays/filter_even.c",
    "bench/programs/provers/arrays/insertion_sort_check.c",
    "bench/programs/provers/arrays/letter_counts.c",
    "bench/programs/provers/arrays/maximum_of_readings.c",
    "bench/programs/provers/arrays/partition.c",
    "bench/programs/provers/arrays/search_with_sentinel.c",
    "bench/programs/provers/arrays/selection_sort_check.c",
    "bench/programs/provers/arrays/sum_of_weights.c",
    "bench/programs/provers/drivers/bus_arbiter.c",
    "bench/programs/provers/drivers/disk_controller.c",
    "bench/programs/provers/drivers/elevator.c",
    "bench/programs/provers/drivers/handshake.c",
    "bench/programs/provers/drivers/lock_order.c",
    "bench/programs/provers/drivers/power_domains.c",
    "bench/programs/provers/drivers/request_queue.c",
    "bench/programs/provers/drivers/traffic_light.c",
    "bench/programs/provers/drivers/usb_enumeration.c",
    "bench/programs/provers/drivers/watchdog.c",
    "bench/programs/provers/lists/doubly_linked.c",
    "bench/programs/provers/lists/fifo_queue.c",
    "bench/programs/provers/lists/flagged_batches.c",
    "bench/programs/provers/lists/keys_in_range.c",
    "bench/programs/provers/lists/node_pool.c",
    "bench/programs/provers/lists/odd_and_even.c",
    "bench/programs/provers/lists/ordered_list.c",
    "bench/programs/provers/lists/ring_of_tasks.c",
    "bench/programs/provers/lists/stack_of_frames.c",
    "bench/programs/provers/lists/tree_of_keys.c",
    "bench/programs/provers/loops/bounded_walk.c",
    "bench/programs/provers/loops/hundred_thousand_rounds.c",
    "bench/programs/provers/loops/nested_table.c",
    "bench/programs/provers/loops/saturating_meter.c",
    "bench/programs/provers/loops/subtractive_gcd.c",
    "bench/programs/provers/loops/thirty_switches.c",
    "bench/programs/provers/loops/three_tanks.c",
    "bench/programs/provers/loops/three_thousand_rounds.c",
    "bench/programs/provers/loops/two_phases.c",
    "bench/programs/provers/loops/wrapping_clock.c",
    "bench/programs/quick_sort.c",
    "bench/programs/red_black_tree.c",
    "bench/programs/strategies/advisory.c",
    "bench/programs/strategies/calculator.c",
    "bench/programs/strategies/connection.c",
    "bench/programs/strategies/linked_list.c",
    "bench/programs/strategies/message.c",
    "bench/programs/strategies/number.c",
    "bench/programs/strategies/pattern.c",
    "bench/programs/strategies/request.c",
    "bench/programs/strategies/scheduler.c",
    "bench/programs/strategies/search_tree.c",
    "bench/programs/structures/array_heap_sort.c",
    "bench/programs/structures/array_quick_sort.c",
    "bench/programs/structures/binary_heap.c",
    "bench/programs/structures/defects/concatenate_empty.c",
    "bench/programs/structures/defects/hash_twice.c",
    "bench/programs/structures/defects/leak_early_return.c",
    "bench/programs/structures/doubly_linked_list.c",
    "bench/programs/structures/hash_table.c",
    "bench/programs/structures/queue.c",
    "bench/programs/structures/red_black_tree_ops.c",
    "bench/programs/structures/singly_linked_list.c",
    "bench/programs/structures/sorted_list.c",
    "bench/programs/structures/trie.c",
    "bench/programs/ten_branches.c",
    "bench/programs/units/cjson.c",
    "bench/programs/units/lua_lexer.c",
    "bench/programs/units/lua_pattern.c",
    "bench/programs/units/zlib_deflate.c",
    "bench/programs/units/zlib_inflate.c",
    "bench/programs/words.c",
    "examples/base64.c",
    "examples/binary_search.c",
    "examples/crc_table.c",
    "examples/date_difference.c",
    "examples/date_validation.c",
    "examples/ini_line.c",
    "examples/ipv4_parser.c",
    "examples/matrix_determinant.c",
    "examples/ring_buffer.c",
    "examples/utf8_decoder.c",
];

/// A folder of programs for the time of one run.
pub struct Programs(TempDir);

impl Programs {
    /// Unpacks all programs.
    pub fn unpack() -> Result<Programs, Failure> {
        let folder = tempfile::tempdir().map_err(|error| {
            let title = format!("cannot make a temporary folder: {error}");
            Failure::bad_input(title, "bench needs room for its programs (TMPDIR)")
        })?;
        let programs = Programs(folder);
        for (path, text) in PROGRAMS {
            programs.write(path, text)?;
        }
        Ok(programs)
    }

    /// Adds a program.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.0.path().join(name);
        if let Some(folder) = path.parent() {
            crate::output::make_folder(folder)?;
        }
        write_file(&path, text)?;
        Ok(path)
    }

    /// Where a program is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The paths of the programs in a folder of the project, sorted.
    pub fn within(folder: &str) -> impl Iterator<Item = &'static str> + '_ {
        let paths = PROGRAMS.iter().map(|(path, _)| *path);
        paths.filter(move |path| {
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// The text of a program of the project.
    pub fn text(name: &str) -> &'static str {
        let found = PROGRAMS.iter().find(|(path, _)| *path == name);
        found.map_or("", |(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::PROGRAMS;

    /// The C files of a folder of the project that the binary does not carry.
    fn missing(folder: &str) -> Vec<String> {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut waiting = vec![folder.to_owned()];
        let mut found = Vec::new();
        while let Some(path) = waiting.pop() {
            for entry in std::fs::read_dir(project.join(&path)).expect("a folder of the project") {
                let entry = entry.expect("an entry of a folder");
                let inner = format!("{path}/{}", entry.file_name().to_string_lossy());
                let is_c = inner.ends_with(".c") || inner.ends_with(".h");
                if entry.path().is_dir() {
                    waiting.push(inner);
                } else if is_c && !PROGRAMS.iter().any(|(known, _)| *known == inner) {
                    found.push(inner);
                }
            }
        }
        found
    }

    #[test]
    fn all_programs_are_embedded() {
        assert_eq!(missing("bench/programs"), Vec::<String>::new());
    }
}
