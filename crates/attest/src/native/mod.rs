//! Native calls: functions of the host's libraries, called for real by a helper process.
//!
//! The helper is a C program that is compiled when the first call is made, with the user's flags.
//! It makes each call in a process of its own, so that a call that crashes or remembers something
//! harms no other.

mod known;
mod protocol;
mod source;

use std::collections::HashMap;
use std::io::{self, BufReader, BufWriter};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use emit::replay::{CLANG, compile_flags};
use ir::{FunctionId, Origin, Program};
use tempfile::TempDir;
use vm::{CallPolicy, Dependence, NativeCall, NativeEnd, Natives};

use self::known::KNOWN;
use crate::choice::Choice;
use crate::failure::Failure;

/// Ends of calls that are remembered; when there are more, all are forgotten.
const MOST_REMEMBERED: usize = 1 << 16;

/// The functions of a program that are called for real: `auto` is those of the C library that
/// depend on nothing but their arguments, and have no model; named ones come beside these.
pub fn functions(choice: &Choice, program: &Program) -> Result<Vec<FunctionId>, Failure> {
    let mut found = Vec::new();
    if *choice == Choice::Off {
        return Ok(found);
    }
    let mut wanted: Vec<&str> = KNOWN.to_vec();
    if let Choice::Named(names) = choice {
        for name in names {
            check(program, name)?;
            wanted.push(name);
        }
    }
    for (id, function) in program.functions.iter_enumerated() {
        let is_wanted = wanted.contains(&function.name.as_str());
        if is_wanted && is_of_library(program, id) && vm::can_be_native(program, id) {
            found.push(id);
        }
    }
    Ok(found)
}

/// Whether a function is a library's: a header of the system declares it, and nothing defines it.
fn is_of_library(program: &Program, id: FunctionId) -> bool {
    let function = &program.functions[id];
    let file = function
        .span
        .as_ref()
        .and_then(|span| program.files.get(span.place().file));
    let is_system = file.is_none_or(|file| emit::is_of_system(&file.path));
    function.body.is_none() && is_system && program.origin(id) == Origin::User
}

/// Whether the function that the user names can be called for real.
fn check(program: &Program, name: &str) -> Result<(), Failure> {
    let help = "functions can be called natively that a header of the system declares and that the program calls";
    let Some(id) = program.function(name) else {
        let title = format!("there is no function `{name}` to call natively");
        return Err(Failure::bad_input(title, help));
    };
    if !is_of_library(program, id) {
        let title = format!("`{name}` is no function of a library without a body here");
        return Err(Failure::bad_input(title, help));
    }
    if !vm::can_be_native(program, id) {
        let title = format!("`{name}` takes or returns what no native call can pass on");
        let help = "numbers of up to 64 bits and pointers can be passed";
        return Err(Failure::bad_input(title, help));
    }
    Ok(())
}

/// The policies that have these functions called for real.
pub fn policies<'a>(
    program: &'a Program,
    functions: &'a [FunctionId],
) -> impl Iterator<Item = (FunctionId, CallPolicy)> + 'a {
    functions.iter().map(|&id| {
        let name = program.functions[id].name.as_str();
        let depends = match KNOWN.contains(&name) {
            true => Dependence::Arguments,
            false => Dependence::World,
        };
        (id, CallPolicy::Native(depends))
    })
}

/// Calls functions of the host.
pub struct Host {
    functions: Vec<FunctionId>,
    /// The helper's text and the flags that it is compiled with.
    source: String,
    flags: Vec<String>,
    helper: Mutex<State>,
    ends: Mutex<HashMap<NativeCall, NativeEnd>>,
}

enum State {
    /// Nothing was called yet.
    Waiting,
    Running(Box<Helper>),
    /// It cannot be started, or is no more: what it did, for people.
    Broken(String),
}

/// The helper's process.
struct Helper {
    child: Child,
    to: Option<BufWriter<ChildStdin>>,
    from: BufReader<ChildStdout>,
    /// Where its program lies.
    _folder: TempDir,
}

impl Host {
    /// Someone who calls these functions of a program that is compiled with these flags.
    pub fn new(program: &Program, functions: Vec<FunctionId>, flags: &[String]) -> Host {
        Host {
            source: source::source(program, &functions),
            functions,
            flags: kept_flags(flags),
            helper: Mutex::new(State::Waiting),
            ends: Mutex::default(),
        }
    }

    fn execute(&self, call: &NativeCall) -> NativeEnd {
        let mut state = locked(&self.helper);
        if matches!(*state, State::Waiting) {
            *state = match Helper::start(&self.source, &self.flags) {
                Ok(helper) => State::Running(Box::new(helper)),
                Err(error) => State::Broken(format!("cannot be called: {error}")),
            };
        }
        let position = self.functions.iter().position(|id| *id == call.function);
        match (&mut *state, position) {
            (State::Running(helper), Some(position)) => match helper.call(position, call) {
                Ok(end) => end,
                Err(error) => {
                    let why = format!("ends the helper: {error}");
                    *state = State::Broken("cannot be called any more".to_owned());
                    NativeEnd::Failed(why)
                }
            },
            (State::Broken(why), _) => NativeEnd::Failed(why.clone()),
            _ => NativeEnd::Failed("cannot be called".to_owned()),
        }
    }
}

/// What a lock guards, also after a panic of another thread: each change of it is whole.
fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Natives for Host {
    fn call(&self, call: &NativeCall) -> NativeEnd {
        if let Some(end) = locked(&self.ends).get(call) {
            return end.clone();
        }
        let end = self.execute(call);
        let mut ends = locked(&self.ends);
        if ends.len() >= MOST_REMEMBERED {
            ends.clear();
        }
        ends.insert(call.clone(), end.clone());
        end
    }
}

impl Helper {
    fn start(source: &str, flags: &[String]) -> io::Result<Helper> {
        let folder = tempfile::tempdir()?;
        let (text, program) = (folder.path().join("helper.c"), folder.path().join("helper"));
        std::fs::write(&text, source)?;
        compile(&text, &program, flags)?;
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // What functions of the C library ask of the environment.
            .env_remove("TZ")
            .env_remove("POSIXLY_CORRECT")
            .process_group(0)
            .spawn()?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let (Some(to), Some(from)) = (to, from) else {
            return Err(io::Error::other("no pipes"));
        };
        Ok(Helper {
            child,
            to: Some(BufWriter::new(to)),
            from: BufReader::new(from),
            _folder: folder,
        })
    }

    fn call(&mut self, position: usize, call: &NativeCall) -> io::Result<NativeEnd> {
        if let Some(to) = &mut self.to {
            protocol::send(to, position, call)?;
        }
        protocol::receive(&mut self.from, call)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.to = None;
        let _ = self.child.wait();
    }
}

/// The user's flags that the helper is compiled with.
fn kept_flags(flags: &[String]) -> Vec<String> {
    let all = compile_flags(flags).into_iter();
    all.filter(|flag| is_of_target(flag)).collect()
}

/// Whether a flag says for what the helper is compiled, or what it is linked to; the rest is about
/// the user's sources.
fn is_of_target(flag: &str) -> bool {
    let prefixes = ["-m", "--target=", "--sysroot=", "-L", "-l"];
    prefixes.iter().any(|prefix| flag.starts_with(prefix))
}

fn compile(text: &Path, program: &Path, flags: &[String]) -> io::Result<()> {
    let output = Command::new(CLANG)
        .args(["-O1", "-w"])
        .arg(text)
        .args(flags)
        .arg("-o")
        .arg(program)
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let first = errors.lines().next().unwrap_or("the compiler fails");
    Err(io::Error::other(first.to_owned()))
}
