//! Inputs to begin with: the tests of earlier suites, and the files of a fuzzer's corpus.

use std::path::{Path, PathBuf};
use std::{fs, io};

use emit::SuiteRecord;
use ir::input::{InputObject, InputSpace, InputValue, Root};
use ir::logical::{Addresses, Cells};
use ir::{CellId, FunctionId, ObjectId, Program, Type};
use vm::Defaults;

use crate::failure::Failure;
use crate::message::{Message, Severity};

/// The contents of a folder of seeds.
#[derive(Debug, Default)]
pub struct Corpus {
    folder: PathBuf,
    suites: Vec<SuiteRecord>,
    /// The contents of files that belong to no suite, in the order of their paths.
    files: Vec<Vec<u8>>,
}

/// The name of a suite's file.
const SUITE: &str = "suite.json";

impl Corpus {
    /// Reads a folder and those in it. A folder with a `suite.json` is a suite, and nothing else in
    /// it is a seed.
    ///
    /// # Errors
    /// It cannot be read, or holds nothing.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let mut corpus = Corpus {
            folder: folder.to_owned(),
            ..Corpus::default()
        };
        corpus.add(folder)?;
        if corpus.suites.is_empty() && corpus.files.is_empty() {
            return Err(Failure::bad_input(
                format!("there are no seeds in {}", folder.display()),
                "name a folder with suites that attest wrote, or with a fuzzer's inputs, a file each",
            ));
        }
        Ok(corpus)
    }

    fn add(&mut self, folder: &Path) -> Result<(), Failure> {
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut paths: Vec<PathBuf> = match entries {
            Ok(entries) => entries.iter().map(fs::DirEntry::path).collect(),
            Err(error) => return Err(unreadable(folder, &error)),
        };
        paths.sort();
        let suite = folder.join(SUITE);
        if suite.is_file() {
            self.add_suite(&suite)?;
            // The suites of other functions may be in folders of their own.
            paths.retain(|path| path.join(SUITE).is_file());
        }
        for path in paths {
            if path.is_dir() {
                self.add(&path)?;
            } else if path.is_file() {
                let contents = fs::read(&path).map_err(|error| unreadable(&path, &error))?;
                self.files.push(contents);
            }
        }
        Ok(())
    }

    fn add_suite(&mut self, path: &Path) -> Result<(), Failure> {
        let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        let suite = SuiteRecord::parse(&text).map_err(|error| {
            Failure::bad_input(
                format!("{} is no suite of attest: {error}", path.display()),
                "make it again with attest cover, or take it out of the folder",
            )
        })?;
        self.suites.push(suite);
        Ok(())
    }

    /// The seeds for a function, and what to tell of those that are not used, or not in full.
    pub fn seeds<'a>(
        &'a self,
        program: &'a Program,
        entry: FunctionId,
        max_array: u64,
    ) -> (Vec<Seed<'a>>, Vec<Message>) {
        let name = &program.functions[entry].name;
        let suites = self.suites.iter().filter(|suite| suite.function == *name);
        let tests = suites.flat_map(|suite| &suite.tests);
        let recorded = tests.map(|test| {
            Seed::Recorded(Recorded {
                program,
                cells: &test.cells,
            })
        });
        let buffer = Buffer::of(program, entry);
        let most = match buffer {
            Buffer::Parameter { .. } => usize::try_from(max_array).unwrap_or(usize::MAX),
            Buffer::Declared => usize::MAX,
        };
        let files = self.files.iter().map(|contents| {
            let contents = &contents[..contents.len().min(most)];
            Seed::File(File { buffer, contents })
        });
        let seeds: Vec<Seed<'a>> = recorded.chain(files).collect();
        let mut messages = Vec::new();
        let cut = self.files.iter().filter(|file| file.len() > most).count();
        if cut > 0 {
            let title = format!("{cut} of the seeds are longer than {most} bytes, and are cut");
            let message = Message::new(Severity::Warning, title);
            messages.push(message.help("give --max-array to have longer arrays behind pointers"));
        }
        if seeds.is_empty() {
            let folder = self.folder.display();
            let title = format!("none of the suites in {folder} is of `{name}`");
            messages.push(Message::new(Severity::Warning, title));
        }
        (seeds, messages)
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::bad_input(
        format!("cannot read {}: {error}", path.display()),
        "name a folder of seeds that you may read",
    )
}

/// An input to begin with.
#[derive(Debug)]
pub enum Seed<'a> {
    /// That of an earlier test.
    Recorded(Recorded<'a>),
    /// A file.
    File(File<'a>),
}

impl Defaults for Seed<'_> {
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        match self {
            Seed::Recorded(recorded) => recorded.value(space, cell),
            Seed::File(file) => file.value(space, cell),
        }
    }
}

/// The input of an earlier test. What is called otherwise now takes its usual value.
#[derive(Debug)]
pub struct Recorded<'a> {
    program: &'a Program,
    cells: &'a Cells,
}

impl Recorded<'_> {
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        let addresses = Addresses {
            program: self.program,
            space,
        };
        addresses.read(self.cells.get(&addresses.cell(cell))?)
    }
}

/// A file of bytes for the function's buffer.
#[derive(Debug)]
pub struct File<'a> {
    buffer: Buffer,
    contents: &'a [u8],
}

/// Where the bytes of a file go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Buffer {
    /// Behind the first parameter that points to bytes; the first integer after it is how many.
    Parameter { pointer: u32, length: Option<u32> },
    /// Into the first input that the code declares.
    Declared,
}

impl Buffer {
    fn of(program: &Program, entry: FunctionId) -> Self {
        let types = &program.types;
        let Type::Function(ty) = types.kind(program.functions[entry].ty) else {
            return Buffer::Declared;
        };
        let points_to_bytes = |ty| {
            let pointee = types.pointee(ty).map(|pointee| types.kind(pointee));
            match pointee {
                Some(Type::Int(int)) => int.name.is_character(),
                Some(Type::Void) => true,
                _ => false,
            }
        };
        let parameters = || ty.parameters.iter().copied().zip(0..);
        let Some((_, pointer)) = parameters().find(|&(ty, _)| points_to_bytes(ty)) else {
            return Buffer::Declared;
        };
        let length = parameters().find(|&(ty, at)| at > pointer && types.int(ty).is_some());
        Buffer::Parameter {
            pointer,
            length: length.map(|(_, at)| at),
        }
    }
}

impl File<'_> {
    fn value(&self, space: &InputSpace, cell: CellId) -> Option<InputValue> {
        let data = space.cell_data(cell);
        let object = space.object_data(data.object);
        match (self.buffer, &object.root) {
            (Buffer::Parameter { pointer, .. }, Root::Parameter(index)) if *index == pointer => {
                Some(InputValue::Fresh)
            }
            (Buffer::Parameter { length, .. }, Root::Parameter(index))
                if Some(*index) == length =>
            {
                Some(InputValue::Bits(self.contents.len() as u128))
            }
            (Buffer::Parameter { pointer, .. }, Root::Pointee(from)) => {
                let from = space.cell_data(*from);
                let from = &space.object_data(from.object).root;
                let bytes = || self.bytes(data.offset_bits, data.width);
                (*from == Root::Parameter(pointer)).then(bytes)
            }
            (Buffer::Declared, Root::Declared { .. }) if is_first(space, data.object, object) => {
                Some(self.bytes(data.offset_bits, data.width))
            }
            _ => None,
        }
    }

    /// So many bits of the file, its first byte the lowest; after its end there are zeros.
    fn bytes(&self, offset_bits: i64, width: u32) -> InputValue {
        let first = usize::try_from(offset_bits / 8).unwrap_or(usize::MAX);
        // A bit-field may begin and end inside a byte.
        let skipped = offset_bits.rem_euclid(8) as u32;
        let bytes = self.contents.iter().skip(first);
        let bytes = bytes
            .take((skipped + width).div_ceil(8).min(16) as usize)
            .zip(0..);
        let bits: u128 = bytes.map(|(byte, at)| u128::from(*byte) << (8 * at)).sum();
        let mask = u128::MAX >> 128_u32.saturating_sub(width).min(127);
        InputValue::Bits(bits >> skipped & mask)
    }
}

/// Whether no other input was declared before.
fn is_first(space: &InputSpace, id: ObjectId, object: &InputObject) -> bool {
    let is_declared = |object: &InputObject| matches!(object.root, Root::Declared { .. });
    let mut declared = space.objects().filter(|(_, object)| is_declared(object));
    // One piece of memory can be looked at as several types.
    declared
        .next()
        .is_some_and(|(first, data)| first == id || data.root == object.root)
}
