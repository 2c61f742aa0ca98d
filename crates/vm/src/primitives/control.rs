//! Primitives that end an execution, or may.

use ir::DefectKind;
use ir::input::Root;
use ir::test::BoundKind;

use crate::ids::AllocationId;
use crate::memory::{Kind, MALLOC_ALIGN};
use crate::passed::Passed;
use crate::primitives::{Arguments, argument};
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Shadow, Value, number};

/// The most characters of a text of the program that a message quotes.
const LONGEST_TEXT: u64 = 200;

impl Run<'_, '_> {
    pub fn assumption(&mut self, arguments: Arguments) -> Flow<Passed> {
        let value = argument(self, arguments, 0)?;
        self.assume(value)?;
        Ok(Passed::Nothing)
    }

    pub fn assertion(&mut self, arguments: Arguments) -> Flow<Passed> {
        let value = argument(self, arguments, 0)?;
        let text = self.text_argument(arguments, 1);
        let kind = DefectKind::FailedAssertion;
        let message = || format!("assertion fails: {text}");
        let holds = value.bits != 0;
        match value.shadow {
            Shadow::Term(term) => {
                let safe = self.terms.is_nonzero(term);
                self.check(kind, safe, holds, message)?;
            }
            Shadow::Tainted(_) => self.depends_on_address("an assertion"),
            _ => {}
        }
        if holds {
            Ok(Passed::Nothing)
        } else {
            Err(self.defect(kind, message()))
        }
    }

    /// Takes a pointer to be a multiple of a number, which is a defect if its low bits are inputs
    /// that say otherwise. The object of another input pointer is so aligned.
    pub fn assumed_alignment(&mut self, arguments: Arguments) -> Flow<Passed> {
        let pointer = argument(self, arguments, 0)?;
        let pointer = self.used(pointer)?;
        let alignment = argument(self, arguments, 1)?;
        let alignment = u64::try_from(alignment.bits).unwrap_or(1);
        if !alignment.is_power_of_two() {
            return Ok(Passed::Nothing);
        }
        match pointer.shadow {
            Shadow::Term(_) => self.check_low_bits(pointer, alignment)?,
            Shadow::Pointer(id, _) if self.has_open_low_bits(id) => {
                self.check_alignment(pointer, alignment.min(MALLOC_ALIGN))?;
            }
            Shadow::Pointer(id, None) => self.align_object(id, pointer, alignment),
            _ => {}
        }
        Ok(Passed::Nothing)
    }

    /// Checks that a number that is an input, taken as a pointer, is a multiple of another one.
    fn check_low_bits(&mut self, pointer: Value, alignment: u64) -> Flow<()> {
        let width = self.code.pointer_width;
        let low = u128::from(alignment - 1);
        let (term, mask) = (
            self.term_of(pointer, width),
            self.terms.constant(width, low),
        );
        let rest = self.terms.and(term, mask);
        let is_odd = self.terms.is_nonzero(rest);
        let safe = self.terms.bool_not(is_odd);
        let message = || "a pointer is not aligned as the code says".to_owned();
        let holds = pointer.bits & low == 0;
        self.check(DefectKind::Misaligned, safe, holds, message)
    }

    /// Whether the low bits of the input pointer that leads to an object are inputs, since the code
    /// looks at them.
    fn has_open_low_bits(&self, id: AllocationId) -> bool {
        let input = self.state.memory.get(id).input.as_deref();
        let root = input.map(|input| &self.space.object_data(input.object).root);
        matches!(root, Some(Root::Pointee(cell)) if self.is_tagged(*cell))
    }

    fn align_object(&mut self, id: AllocationId, pointer: Value, alignment: u64) {
        let (offset, _) = self.offset_of(pointer, id);
        let allocation = self.state.memory.get_mut(id);
        let is_start = offset & u128::from(alignment - 1) == 0;
        if allocation.kind == Kind::Pointee && is_start {
            allocation.declaration.align = allocation.declaration.align.max(alignment);
        }
    }

    pub fn failed_assertion(&mut self, arguments: Arguments) -> Stop {
        let text = self.text_argument(arguments, 0);
        self.defect(
            DefectKind::FailedAssertion,
            format!("assertion fails: {text}"),
        )
    }

    pub fn reached_error(&mut self) -> Stop {
        self.defect(DefectKind::FailedAssertion, "reach_error() is called")
    }

    pub fn invalid_argument(&mut self, arguments: Arguments) -> Stop {
        let text = self.text_argument(arguments, 0);
        self.defect(DefectKind::InvalidArgument, text)
    }

    pub fn bad_index(&mut self) -> Stop {
        let text = "an index is outside its variable-length array".to_owned();
        self.defect(DefectKind::OutOfBounds, text)
    }

    pub fn bad_length(&mut self) -> Stop {
        let text = "the length of a variable-length array is not positive".to_owned();
        self.defect(DefectKind::BadLength, text)
    }

    pub fn null_argument(&mut self, arguments: Arguments) -> Stop {
        let text = self.text_argument(arguments, 0);
        self.null_defect(DefectKind::InvalidArgument, &text, None)
    }

    pub fn overlapping(&mut self, arguments: Arguments) -> Stop {
        let text = self.text_argument(arguments, 0);
        self.defect(DefectKind::Overlapping, text)
    }

    /// What follows holds only as far as the model of a library function goes.
    pub fn narrow_model(&mut self, arguments: Arguments) -> Passed {
        let text = self.text_argument(arguments, 0);
        self.hit(BoundKind::LibraryModel, text);
        Passed::Nothing
    }

    /// The same, where the compiled function does not do what the model does: no test can rely on
    /// it.
    pub fn untested_model(&mut self, arguments: Arguments) -> Passed {
        self.state.record.unspecified.unsure = true;
        self.narrow_model(arguments)
    }

    pub fn exit_status(&mut self, arguments: Arguments) -> Stop {
        let status = match arguments.first() {
            Some((value, _)) => match value.shadow {
                Shadow::None | Shadow::Term(_) => Some(number(value.bits, 32, true) as i32),
                _ => None,
            },
            None => None,
        };
        Stop::Exit(status)
    }

    pub fn aborted(&mut self, message: &str) -> Stop {
        self.defect(DefectKind::Abort, message)
    }

    /// A text that the program gives for messages; what cannot be read of it is left out.
    fn text_argument(&self, arguments: Arguments, index: usize) -> String {
        let pointer = arguments.get(index).map(|(value, _)| *value);
        let bytes = pointer.map_or(Vec::new(), |pointer| self.peek_text(pointer, LONGEST_TEXT));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The bytes of a string up to its end, a limit, or what is no plain byte; looks without
    /// touching anything.
    pub fn peek_text(&self, pointer: Value, limit: u64) -> Vec<u8> {
        let Shadow::Pointer(id, None) = pointer.shadow else {
            return Vec::new();
        };
        let allocation = self.state.memory.get(id);
        let start = (pointer.bits as u64).wrapping_sub(allocation.base);
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < limit {
            match allocation.load_concrete(start.wrapping_add(bytes.len() as u64), 1) {
                None | Some(0) => break,
                Some(byte) => bytes.push(byte as u8),
            }
        }
        bytes
    }
}
