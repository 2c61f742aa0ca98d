//! What the documentation of the C library says of functions that have no model: how much they
//! write, and what they return.

use expr::Term;
use ir::input::{InputValue, Root};
use ir::library::{allocates, returned_argument};
use ir::{CellId, DefectKind, FunctionId};

use crate::execution::ConstraintKind;
use crate::ids::AllocationId;
use crate::memory::{NARROWED, UNSEEN};
use crate::passed::Passed;
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Scalar, Shadow, Value, number};

/// How many bytes are written where an argument points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    /// As another argument says.
    Of(usize),
    /// As two others say, multiplied.
    Product(usize, usize),
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Returns {
    /// Anything.
    Anything,
    /// A number in a range.
    Between(i128, i128),
    /// At least the number, at most what an argument says.
    UpTo(i128, usize),
    /// At least -1, at most what an argument says, unless the flags in another one have it return
    /// the length of what was sent.
    Received(usize, usize),
    /// At least the number, at most how many arguments there are after the named ones.
    Count(i128),
    /// NULL or this argument.
    Argument(usize),
    /// NULL or this argument; where that is NULL, NULL or memory that it allocates.
    ArgumentOrNew(usize),
}

/// What is known of a function.
#[derive(Clone, Copy, Debug)]
struct Contract {
    /// What it writes, and how much.
    writes: Option<(usize, Size)>,
    /// Whether a zero is at the end of that.
    is_text: bool,
    returns: Returns,
}

const GREATEST: i128 = i64::MAX as i128;
/// No name of a file is longer, in bytes.
const LONGEST_TEMPLATE: u64 = 4096;
/// `MSG_TRUNC`, as Linux has it.
const MSG_TRUNC: u128 = 0x20;

fn contract(name: &str) -> Contract {
    let returns = |returns| Contract {
        writes: None,
        is_text: false,
        returns,
    };
    let fills = |to, size, returns| Contract {
        writes: Some((to, size)),
        is_text: false,
        returns,
    };
    match name {
        "read" | "pread" | "pread64" | "readlink" => fills(1, Size::Of(2), Returns::UpTo(-1, 2)),
        "recv" | "recvfrom" => fills(1, Size::Of(2), Returns::Received(2, 3)),
        "readlinkat" => fills(2, Size::Of(3), Returns::UpTo(-1, 3)),
        "getrandom" => fills(0, Size::Of(1), Returns::UpTo(-1, 1)),
        "getentropy" | "gethostname" | "getdomainname" => {
            fills(0, Size::Of(1), Returns::Between(-1, 0))
        }
        "fread" | "fread_unlocked" => fills(0, Size::Product(1, 2), Returns::UpTo(0, 2)),
        "fgets" | "fgets_unlocked" => Contract {
            is_text: true,
            ..fills(0, Size::Of(1), Returns::Argument(0))
        },
        "getcwd" => Contract {
            is_text: true,
            ..fills(0, Size::Of(1), Returns::ArgumentOrNew(0))
        },
        "realpath" => returns(Returns::ArgumentOrNew(returned_argument(name))),
        "write" | "send" | "pwrite" | "pwrite64" | "sendto" => returns(Returns::UpTo(-1, 2)),
        "fwrite" | "fwrite_unlocked" => returns(Returns::UpTo(0, 2)),
        "fgetc" | "getc" | "getchar" | "ungetc" | "getc_unlocked" | "getchar_unlocked"
        | "_IO_getc" => returns(Returns::Between(-1, 255)),
        "scanf" | "fscanf" | "sscanf" | "__isoc99_scanf" | "__isoc99_fscanf"
        | "__isoc99_sscanf" | "__isoc23_scanf" | "__isoc23_fscanf" | "__isoc23_sscanf" => {
            returns(Returns::Count(-1))
        }
        "stat" | "fstat" | "lstat" | "fstatat" | "close" | "fclose" | "unlink" | "rmdir"
        | "mkdir" | "chdir" | "access" | "pipe" | "gettimeofday" | "clock_gettime" | "fseek"
        | "fseeko" | "fsync" | "ftruncate" | "truncate" | "remove" | "rename" | "closedir"
        | "chmod" | "fchmod" | "chown" | "kill" | "nanosleep" | "listen" | "bind" | "connect"
        | "getsockname" | "getpeername" | "shutdown" | "tcgetattr" | "tcsetattr" | "sigaction"
        | "sigprocmask" | "setenv" | "unsetenv" | "getrlimit" | "setrlimit" | "getrusage"
        | "munmap" | "msync" => returns(Returns::Between(-1, 0)),
        "isatty" => returns(Returns::Between(0, 1)),
        "open" | "openat" | "creat" | "dup" | "dup2" | "socket" | "accept" | "fileno" | "fork"
        | "waitpid" | "wait" | "getline" | "getdelim" | "poll" | "select" | "epoll_wait"
        | "readv" | "writev" | "recvmsg" | "sendmsg" | "uname" => {
            returns(Returns::Between(-1, GREATEST))
        }
        "rand" | "random" | "lrand48" => returns(Returns::Between(0, 0x7fff_ffff)),
        "getpid" => returns(Returns::Between(1, GREATEST)),
        // Handlers of options may return other numbers than 0 (getsockopt(2) of Linux).
        "getsockopt" | "setsockopt" => returns(Returns::Anything),
        // The parent may be in another namespace.
        "getppid" => returns(Returns::Between(0, GREATEST)),
        _ => returns(Returns::Anything),
    }
}

impl Run<'_, '_> {
    /// Whether a pointer in a cell that leads to a new object leads to memory that a function of
    /// the C library allocated.
    pub fn is_allocated_by_library(&self, mut cell: CellId) -> bool {
        let program = self.code.program;
        loop {
            if self.state.unknown.allocated.contains(&cell) {
                return true;
            }
            let object = self.space.cell_data(cell).object;
            match self.space.object_data(object).root {
                Root::Pointee(pointer) => cell = pointer,
                Root::Result { function, .. } | Root::After { function, .. } => {
                    let name = &program.functions[function].name;
                    return program.is_library(function) && allocates(name);
                }
                _ => return false,
            }
        }
    }

    /// Whether an object is memory that a function of the C library allocated, which nothing else
    /// leads to.
    pub fn is_own_of_library(&self, id: AllocationId) -> bool {
        let input = self.state.memory.get(id).input.as_deref();
        let root = input.map(|input| &self.space.object_data(input.object).root);
        match root {
            Some(Root::Pointee(cell)) => self.is_allocated_by_library(*cell),
            _ => false,
        }
    }

    /// The bytes that a function of the C library writes where an argument points, if its
    /// documentation says; an object with fewer is a defect.
    pub(super) fn written_part(
        &mut self,
        function: FunctionId,
        index: usize,
        arguments: &[Passed],
    ) -> Flow<Option<(u64, u64)>> {
        let name = self.code.program.functions[function].name.as_str();
        if index == 0 && matches!(name, "mkstemp" | "mkostemp" | "mkdtemp") {
            return self.template_part(arguments);
        }
        let Some((to, size)) = contract(name).writes.filter(|&(to, _)| to == index) else {
            return Ok(None);
        };
        let size = match size {
            Size::Of(by) => self.size_given(arguments, by)?,
            Size::Product(by, times) => {
                let (by, times) = (
                    self.size_given(arguments, by)?,
                    self.size_given(arguments, times)?,
                );
                let bits = u128::from((by.bits as u64).saturating_mul(times.bits as u64));
                let width = self.code.pointer_width;
                match (by.term(), times.term()) {
                    (None, None) => Value::concrete(bits),
                    _ => {
                        let (by, times) = (self.term_of(by, width), self.term_of(times, width));
                        let product = self.terms.mul(by, times);
                        self.valued(bits, product)
                    }
                }
            }
        };
        let Some(&Passed::Scalar(pointer, _)) = arguments.get(to) else {
            return Ok(None);
        };
        if size.bits == 0 && size.is_concrete() {
            return Ok(Some((0, 0)));
        }
        let pointer = self.used(pointer)?;
        if self.allocates_for(name, pointer) {
            return Ok(Some((0, 0)));
        }
        let (id, offset) = self.fixed_address(pointer.into(), 0)?;
        // The size of the rest of a buffer follows from where that begins.
        let size = match pointer.shadow {
            Shadow::Pointer(_, Some(_)) => Value::concrete(self.fixed(size)),
            _ => size,
        };
        let room = self.state.memory.get(id).size - offset;
        let bytes = self.check_room(id, offset, room, size)?;
        self.extend(id, offset, bytes);
        let written = match size.is_concrete() {
            true => bytes,
            false => room,
        };
        Ok(Some((offset, offset + written)))
    }

    /// The last six characters of the text that the first argument points to, if that is known:
    /// functions that name files anew replace these.
    fn template_part(&mut self, arguments: &[Passed]) -> Flow<Option<(u64, u64)>> {
        let Some(&Passed::Scalar(pointer, _)) = arguments.first() else {
            return Ok(None);
        };
        let pointer = self.used(pointer)?;
        if !matches!(pointer.shadow, Shadow::Pointer(_, None)) {
            return Ok(None);
        }
        let text = self.peek_text(pointer, LONGEST_TEMPLATE);
        let (id, offset) = self.fixed_address(pointer.into(), 0)?;
        let end = offset + text.len() as u64;
        let is_end = self.state.memory.get(id).load_concrete(end, 1) == Some(0);
        Ok(is_end.then(|| (end.saturating_sub(6).max(offset), end)))
    }

    /// An argument as a number of bytes: of a pointer's width.
    fn size_given(&mut self, arguments: &[Passed], index: usize) -> Flow<Value> {
        let Some(&Passed::Scalar(value, scalar)) = arguments.get(index) else {
            return Ok(Value::ZERO);
        };
        let value = self.used(value)?;
        let width = self.code.pointer_width;
        let bits =
            number(value.bits, scalar.bits(), scalar.signed) as u128 & crate::value::mask(width);
        Ok(match value.term() {
            Some(term) => {
                let term = self.terms.resize(width, term, scalar.signed);
                self.valued(bits, term)
            }
            None => Value::concrete(bits),
        })
    }

    /// Checks that so many bytes fit; how many they are in this execution.
    fn check_room(&mut self, id: AllocationId, offset: u64, room: u64, size: Value) -> Flow<u64> {
        let bytes = u64::try_from(size.bits).unwrap_or(u64::MAX);
        let holds = bytes <= room;
        if let Some(term) = size.term() {
            let width = self.terms.width(term);
            let most = self.terms.constant(width, u128::from(room));
            let safe = self.terms.ule(term, most);
            let input = self.state.memory.get(id).input.as_deref();
            let kind = match input.is_some_and(|input| input.growable) {
                true => ConstraintKind::Assumption,
                false => ConstraintKind::Check(DefectKind::OutOfBounds),
            };
            self.decide(kind, safe, holds);
        }
        match holds {
            true => Ok(bytes),
            false => Err(self.outside(id, u128::from(offset), bytes)),
        }
    }

    /// Takes the result of a function of the C library to be as its documentation says.
    pub(super) fn keep_contract(
        &mut self,
        function: FunctionId,
        arguments: &[Passed],
        result: Passed,
    ) -> Flow<Passed> {
        let program = self.code.program;
        let contract = contract(&program.functions[function].name);
        if contract.is_text {
            self.end_text(arguments, contract)?;
        }
        self.end_scanned_texts(function, arguments)?;
        let Passed::Scalar(value, scalar) = result else {
            return Ok(result);
        };
        let range = match contract.returns {
            Returns::Anything => return Ok(result),
            Returns::Argument(index) | Returns::ArgumentOrNew(index) => {
                let name = program.functions[function].name.as_str();
                self.return_argument(name, value, arguments, index)?;
                return Ok(result);
            }
            Returns::Between(low, high) => (low, self.limit_of(high, scalar)),
            Returns::Count(low) => {
                let named = match program.types.kind(program.functions[function].ty) {
                    ir::Type::Function(ty) => ty.parameters.len(),
                    _ => 0,
                };
                let count = arguments.len().saturating_sub(named);
                (low, self.limit_of(count as i128, scalar))
            }
            Returns::UpTo(low, by) => {
                let most = self.size_given(arguments, by)?;
                (low, self.resized(most, scalar))
            }
            Returns::Received(by, flags) => {
                let flags = self.size_given(arguments, flags)?;
                let most = match flags.is_concrete() && flags.bits & MSG_TRUNC == 0 {
                    true => {
                        let most = self.size_given(arguments, by)?;
                        self.resized(most, scalar)
                    }
                    false => self.limit_of(GREATEST, scalar),
                };
                (-1, most)
            }
        };
        self.within(value, scalar, range)
            .map(|value| Passed::Scalar(value, scalar))
    }

    fn limit_of(&self, most: i128, scalar: Scalar) -> Value {
        let greatest = (crate::value::mask(scalar.bits()) >> u32::from(scalar.signed)) as i128;
        Value::concrete(most.min(greatest) as u128)
    }

    fn resized(&mut self, value: Value, scalar: Scalar) -> Value {
        let width = scalar.bits();
        let bits = value.bits & crate::value::mask(width);
        match value.term() {
            Some(term) => {
                let term = self.terms.resize(width, term, false);
                self.valued(bits, term)
            }
            None => Value::concrete(bits),
        }
    }

    /// A result that is in a range; the least is 0 or less.
    fn within(&mut self, value: Value, scalar: Scalar, (low, most): (i128, Value)) -> Flow<Value> {
        let Some(term) = value.term() else {
            return Ok(value);
        };
        let width = scalar.bits();
        let signed = scalar.signed;
        let at = number(value.bits, width, signed);
        let high = number(most.bits, width, signed);
        // A count that is too large for its sign bounds nothing.
        if high < 0 {
            return Ok(value);
        }
        let mut value = value;
        if at < low || at > high {
            value.bits = low.max(0) as u128;
            let cell = self.terms.variables(term).first();
            if let Some(cell) = cell {
                let bits = InputValue::Bits(value.bits);
                self.state
                    .record
                    .inputs
                    .values
                    .insert(CellId::from_raw(cell.0), bits);
            }
        }
        let low_term = self
            .terms
            .constant(width, low as u128 & crate::value::mask(width));
        let most = self.term_of(most, width);
        let (above, below) = match signed {
            true => (self.terms.sle(low_term, term), self.terms.sle(term, most)),
            false => (self.terms.ule(low_term, term), self.terms.ule(term, most)),
        };
        for condition in [above, below] {
            self.assume_term(condition);
        }
        Ok(value)
    }

    /// Whether a function allocates memory where it is given NULL, and is given it.
    fn allocates_for(&self, name: &str, argument: Value) -> bool {
        let is_null = argument.bits == 0 && argument.is_concrete();
        is_null && matches!(contract(name).returns, Returns::ArgumentOrNew(_))
    }

    /// Adds an assumption that holds in this execution.
    fn assume_term(&mut self, condition: Term) {
        self.constrain(ConstraintKind::Assumption, condition, 1, Vec::new());
    }

    /// The pointer that is returned is NULL or an argument.
    fn return_argument(
        &mut self,
        name: &str,
        value: Value,
        arguments: &[Passed],
        index: usize,
    ) -> Flow<()> {
        if let (Shadow::Lazy(cell), Some(&Passed::Scalar(argument, _))) =
            (value.shadow, arguments.get(index))
        {
            let argument = self.used(argument)?;
            if self.allocates_for(name, argument) {
                self.state.unknown.allocated.insert(cell);
                return Ok(());
            }
            self.state.unknown.before.insert(cell, argument);
            self.state.unknown.either.insert(cell);
        }
        Ok(())
    }

    /// Adds a constraint on whether a number that is used as a pointer is NULL.
    fn decide_null(&mut self, pointer: Value) {
        if let Shadow::Term(term) = pointer.shadow {
            let null = self.terms.constant(self.code.pointer_width, 0);
            let is_null = self.terms.eq(term, null);
            self.decide(ConstraintKind::Concretisation, is_null, pointer.bits == 0);
        }
    }

    /// A text that is written ends at the latest where its room does.
    fn end_text(&mut self, arguments: &[Passed], contract: Contract) -> Flow<()> {
        let Some((to, Size::Of(by))) = contract.writes else {
            return Ok(());
        };
        let size = self.size_given(arguments, by)?;
        let Some(&Passed::Scalar(pointer, _)) = arguments.get(to) else {
            return Ok(());
        };
        let pointer = self.used(pointer)?;
        if matches!(contract.returns, Returns::ArgumentOrNew(_)) {
            self.decide_null(pointer);
            if pointer.bits == 0 {
                return Ok(());
            }
        }
        let size = self.fixed(size) as u64;
        let Some(last) = size.checked_sub(1) else {
            return Ok(());
        };
        let (id, offset) = self.fixed_address(pointer.into(), size)?;
        self.zero_here(id, offset + last)
    }

    /// Takes a byte that is an input to be zero: a bound where code reads it.
    pub(super) fn zero_here(&mut self, id: AllocationId, at: u64) -> Flow<()> {
        let byte = self.load_at(id, at, Scalar::unsigned(8))?;
        if let Some(term) = byte.term() {
            let zero = self.terms.constant(8, 0);
            let is_zero = self.terms.eq(term, zero);
            let holds = byte.bits == 0;
            // What stood there before, or a default, need not be zero: then the other alternative
            // is offered.
            self.decide(ConstraintKind::Assumption, is_zero, holds);
            if !holds {
                return Err(Stop::Rejected);
            }
        }
        let flags = &mut self.state.memory.get_mut(id).flags[at as usize];
        *flags |= UNSEEN | NARROWED;
        Ok(())
    }
}
