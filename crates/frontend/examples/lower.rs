//! Prints the IR of C files: `lower FILE.c… [-- FLAGS]`.

use std::path::PathBuf;
use std::process::ExitCode;

use frontend::{Options, load};

fn main() -> ExitCode {
    if let Some(code) = frontend::exporter_main_if_requested() {
        return code;
    }
    let mut arguments = std::env::args().skip(1);
    let files: Vec<PathBuf> = arguments
        .by_ref()
        .take_while(|argument| argument != "--")
        .map(PathBuf::from)
        .collect();
    let options = Options {
        flags: arguments.collect(),
        ..Options::default()
    };
    match load(&files, &options) {
        Ok(loaded) => {
            for diagnostic in &loaded.diagnostics {
                let place = diagnostic.place.as_ref();
                let place = place.map_or(String::new(), |place| format!("{place}: "));
                eprintln!("{place}{}", diagnostic.message);
            }
            print!("{}", ir::text::print(&loaded.program));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
