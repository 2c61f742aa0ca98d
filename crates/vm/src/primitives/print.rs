//! The printf family: formats concretely, and records where that loses precision.

use expr::Term;
use ir::DefectKind;
use ir::input::InputCell;
use ir::library::Primitive;
use ir::test::{BoundKind, LossKind};

use crate::code::{CallCode, Destination};
use crate::memory::INITIALISED;
use crate::passed::Passed;
use crate::primitives::format::{Conversion, Count, FormatPart, Length, split};
use crate::primitives::{Arguments, argument, number_result};
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Scalar, Shadow, Value, mask, number};

/// `ENOSPC`: what `errno` is where output fails.
const NO_ROOM: u128 = 28;
/// The longest string that is formatted.
const LONGEST: usize = 1 << 20;

/// Text under construction, and whether it depends on inputs or addresses.
#[derive(Default)]
struct Printed {
    text: Vec<u8>,
    symbolic: bool,
    /// Whether an address went into it, as a number.
    addresses: bool,
    /// The strings that went into it, each with how many of its bytes were read.
    strings: Vec<(Value, u64)>,
}

impl Run<'_, '_> {
    /// Does what a function of the printf family does, which may set `errno`.
    pub fn print(
        &mut self,
        which: Primitive,
        arguments: Arguments,
        call: &CallCode,
    ) -> Flow<Passed> {
        let printed = self.put_out(which, arguments, call)?;
        self.narrow_error_number();
        Ok(printed)
    }

    fn put_out(&mut self, which: Primitive, arguments: Arguments, call: &CallCode) -> Flow<Passed> {
        let mut printed = Printed::default();
        let mut buffer = None;
        let used = !matches!(call.destination, Destination::Nowhere);
        let stream = stream_of(which, arguments);
        if !matches!(which, Primitive::Sprintf | Primitive::Snprintf) {
            self.note_memory_streams();
        }
        if let Some(stream) = stream {
            self.not_null_stream(stream)?;
        }
        let fails = match stream.filter(|_| used) {
            Some(stream) => self.stream_fails(stream),
            None => None,
        };
        if used && fails.is_none() && !matches!(which, Primitive::Sprintf | Primitive::Snprintf) {
            let detail = "output is taken never to fail";
            self.hit(BoundKind::LibraryModel, detail);
        }
        match which {
            Primitive::Printf => self.format(&mut printed, arguments, 0)?,
            Primitive::Fprintf => self.format(&mut printed, arguments, 1)?,
            Primitive::Sprintf => {
                buffer = Some((argument(self, arguments, 0)?, u64::MAX));
                self.format(&mut printed, arguments, 1)?;
            }
            Primitive::Snprintf => {
                let size = argument(self, arguments, 1)?;
                let size = self.fixed(size) as u64;
                if size > i32::MAX as u64 {
                    self.hit(
                        BoundKind::LibraryModel,
                        "snprintf takes sizes above INT_MAX",
                    );
                }
                buffer = Some((argument(self, arguments, 0)?, size));
                self.format(&mut printed, arguments, 2)?;
            }
            Primitive::Puts | Primitive::Fputs => {
                let pointer = argument(self, arguments, 0)?;
                self.string(&mut printed, pointer, None)?;
                if which == Primitive::Puts {
                    printed.text.push(b'\n');
                }
            }
            Primitive::Putchar | Primitive::Fputc => {
                let value = argument(self, arguments, 0)?;
                self.expose(value.shadow);
                self.output_bytes(which, arguments, &[value.bits as u8]);
                let byte = Value {
                    bits: value.bits & 0xff,
                    shadow: self.low_byte(value),
                };
                let byte = self.unless_it_fails(byte, fails)?;
                return Ok(Passed::Scalar(byte, Scalar::unsigned(32)));
            }
            _ => return Ok(number_result(0, 32)),
        }
        if printed.symbolic && (used || buffer.is_some()) {
            self.lose(
                LossKind::Concretisation,
                "formatted output is computed from the concrete values of inputs",
            );
        }
        // The text of an address is another one natively.
        self.state.record.unspecified.unsure |= printed.addresses && (used || buffer.is_some());
        let length = printed.text.len() as u128;
        match buffer {
            Some((to, size)) => {
                self.apart(to, size, &printed)?;
                self.fill_buffer(to, size, printed.text)?;
            }
            None => self.output_bytes(which, arguments, &printed.text),
        }
        let fails = fails.filter(|_| length > 0);
        let length = self.unless_it_fails(Value::concrete(length & mask(31)), fails)?;
        Ok(Passed::Scalar(length, Scalar::unsigned(32)))
    }

    /// Checks that a stream is one.
    pub fn not_null_stream(&mut self, stream: Value) -> Flow<()> {
        if stream.bits != 0 {
            self.note_memory_streams();
            return Ok(());
        }
        let types = &self.code.program.types;
        let is_stream = |cell: &ir::CellId| {
            let pointee = types.pointee(self.space.cell_data(*cell).ty);
            pointee.is_some_and(|pointee| types.is_library_object(pointee))
        };
        let nulls = self
            .state
            .resolved
            .iter()
            .filter(|(_, value)| value.bits == 0);
        let cell = nulls.map(|(&cell, _)| cell).filter(is_stream).min();
        let assumption = cell.map(|cell| self.assumes_null(cell));
        let message = "a stream is a null pointer";
        Err(self.assumed_defect(DefectKind::NullDereference, message, assumption))
    }

    /// Notes that a stream may write to memory of the program, if the program opens such.
    pub fn note_memory_streams(&mut self) {
        if self.code.features.has_memory_streams {
            let detail = "a stream is taken not to write to memory of the program";
            self.hit(BoundKind::LibraryModel, detail);
        }
    }

    /// Whether output to a stream of the caller fails, always: an input of one bit; nothing for
    /// other streams.
    fn stream_fails(&mut self, stream: Value) -> Option<Value> {
        let Shadow::Pointer(id, _) = stream.shadow else {
            return None;
        };
        let object = self.state.memory.get(id).input.as_deref()?.object;
        if !self.state.record.noted.streams.insert(object) {
            let detail = "output to a stream is taken to fail always or never";
            self.hit(BoundKind::LibraryModel, detail);
        }
        let ty = self.int_type();
        Some(self.cell_value(InputCell {
            object,
            offset_bits: 0,
            ty,
            width: 1,
        }))
    }

    /// A result, or -1 if output fails, which sets `errno`.
    fn unless_it_fails(&mut self, result: Value, fails: Option<Value>) -> Flow<Value> {
        let Some(fails) = fails else {
            return Ok(result);
        };
        if let Some(id) = self.code.statics.error_number {
            let (place, ty) = (self.pointer_into(id, 0), Scalar::unsigned(32));
            let before = self.load_at(id, 0, ty)?;
            let after = self.either(fails, NO_ROOM, before);
            self.store(place.into(), ty, after)?;
        }
        Ok(self.either(fails, mask(32), result))
    }

    /// A number of 32 bits if a condition holds, else a value.
    fn either(&mut self, condition: Value, number: u128, value: Value) -> Value {
        let bits = match condition.bits {
            0 => value.bits,
            _ => number,
        };
        let Some(term) = condition.term() else {
            return value;
        };
        let holds = self.terms.is_nonzero(term);
        let number = self.terms.constant(32, number);
        let other = self.term_of(value, 32);
        let term = self.terms.ite(holds, number, other);
        self.valued(bits, term)
    }

    /// The shadow of a value cut to its low byte and widened to an `int`.
    fn low_byte(&mut self, value: Value) -> Shadow {
        match value.shadow {
            Shadow::Term(term) => {
                let low = self.terms.extract(7, 0, term);
                Shadow::Term(self.terms.zero_extend(32, low))
            }
            Shadow::None => Shadow::None,
            _ => Shadow::Tainted(None),
        }
    }

    /// Collects what goes to standard output.
    fn output_bytes(&mut self, which: Primitive, arguments: Arguments, bytes: &[u8]) {
        let stream = stream_of(which, arguments);
        let elsewhere = stream.is_some_and(|stream| !self.is_standard_output(stream));
        if !elsewhere {
            self.state.output.extend_from_slice(bytes);
        }
    }

    fn is_standard_output(&self, stream: Value) -> bool {
        let named = |(_, global): &(ir::GlobalId, &ir::Global)| global.name == "stdout";
        let globals = self.code.program.globals.iter_enumerated();
        globals.into_iter().find(named).is_some_and(|(id, _)| {
            let global = self.code.statics.layout.globals[id];
            let size = u64::from(self.code.pointer_width / 8);
            let allocation = self.state.memory.get(global);
            allocation.holds(0, size) && allocation.bits(0, size) == stream.bits
        })
    }

    /// Checks that the strings that are printed do not overlap what is printed to.
    fn apart(&mut self, to: Value, size: u64, printed: &Printed) -> Flow<()> {
        let Shadow::Pointer(target, _) = to.shadow else {
            return Ok(());
        };
        let written = size.min(printed.text.len() as u64 + 1);
        let overlaps = |&(from, read): &(Value, u64)| {
            let same = matches!(from.shadow, Shadow::Pointer(source, _) if source == target);
            let (to, from) = (to.bits, from.bits);
            same && from < to + u128::from(written) && to < from + u128::from(read)
        };
        match printed.strings.iter().any(overlaps) {
            true => {
                let message = "sprintf: a string is printed over itself";
                Err(self.defect(DefectKind::Overlapping, message))
            }
            false => Ok(()),
        }
    }

    fn fill_buffer(&mut self, to: Value, size: u64, mut text: Vec<u8>) -> Flow<()> {
        if size == 0 {
            return Ok(());
        }
        text.truncate(usize::try_from(size - 1).unwrap_or(usize::MAX));
        text.push(0);
        let blob = crate::memory::Blob {
            flags: vec![INITIALISED; text.len()],
            bytes: text,
            entries: Vec::new(),
        };
        self.note_bytes(to, size);
        self.write_bytes(to.into(), &blob)
    }

    /// Reads a string of the program, at most `limit` bytes if there is a limit.
    fn string(&mut self, out: &mut Printed, pointer: Value, limit: Option<usize>) -> Flow<()> {
        self.note_bytes(pointer, 1);
        // How far it is read depends on what is there.
        let pointer = match limit {
            Some(0) => pointer,
            _ => {
                let (id, offset) = self.fixed_address(pointer.into(), 1)?;
                self.pointer_into(id, offset)
            }
        };
        // `None` once a byte is open and no term describes it.
        let mut goes_on = Some(self.terms.bool(true));
        for index in 0..limit.unwrap_or(usize::MAX) {
            if index >= LONGEST {
                return Err(self.unsupported("a string of more than 1 MB that is printed"));
            }
            let value = match self.byte_of_string(pointer, index) {
                Ok(value) => value,
                Err(stop) => {
                    let is_news = |&term: &Term| self.terms.as_bool(term) != Some(true);
                    self.state.record.needs.ended_by = goes_on.filter(is_news);
                    return Err(stop);
                }
            };
            goes_on = match (goes_on, value.term()) {
                (Some(before), Some(term)) => {
                    let is_there = self.terms.is_nonzero(term);
                    Some(self.terms.bool_and(before, is_there))
                }
                (before, _) => before.filter(|_| value.is_concrete()),
            };
            out.symbolic |= !value.is_concrete();
            self.expose(value.shadow);
            if value.bits == 0 {
                break;
            }
            out.text.push(value.bits as u8);
        }
        Ok(())
    }

    fn byte_of_string(&mut self, pointer: Value, index: usize) -> Flow<Value> {
        let index = Value::concrete(index as u128);
        let at = self.pointer_offset(pointer, index, Scalar::unsigned(64), 1)?;
        self.load(at.into(), Scalar::unsigned(8))
    }

    /// Formats; the format string is the argument at `position`.
    fn format(&mut self, out: &mut Printed, arguments: Arguments, position: usize) -> Flow<()> {
        let pointer = argument(self, arguments, position)?;
        let mut format = Printed::default();
        self.string(&mut format, pointer, None)?;
        out.symbolic |= format.symbolic;
        if format.symbolic {
            let detail = "a format that depends on inputs, which decides what is read and written";
            self.lose(LossKind::Concretisation, detail);
        }
        let mut next = position + 1;
        for part in split(&format.text) {
            match part {
                FormatPart::Text(text) => out.text.extend(text),
                FormatPart::Conversion(conversion) => {
                    self.convert(out, conversion, arguments, &mut next)?;
                }
            }
        }
        Ok(())
    }

    fn convert(
        &mut self,
        out: &mut Printed,
        mut conversion: Conversion,
        arguments: Arguments,
        next: &mut usize,
    ) -> Flow<()> {
        let is_text = conversion.letter == b's';
        let mut take = |run: &mut Self| {
            *next += 1;
            let value = argument(run, arguments, *next - 1)?;
            if !is_text {
                run.expose(value.shadow);
            }
            Ok(value)
        };
        let mut width = 0;
        match conversion.width {
            Count::None => {}
            Count::Given(count) => width = count,
            Count::Argument => {
                let count = take(self)?;
                out.symbolic |= !count.is_concrete();
                let count = number(count.bits, 32, true);
                conversion.left |= count < 0;
                width = count.unsigned_abs() as usize;
            }
        }
        let precision = match conversion.precision {
            Count::None => None,
            Count::Given(count) => Some(count),
            // The path depends on how much of a text is read.
            Count::Argument if is_text => {
                let count = take(self)?;
                out.symbolic |= count.term().is_none() && !count.is_concrete();
                usize::try_from(number(self.fixed(count), 32, true)).ok()
            }
            Count::Argument => {
                let count = take(self)?;
                out.symbolic |= !count.is_concrete();
                usize::try_from(number(count.bits, 32, true)).ok()
            }
        };
        if width > LONGEST || (!is_text && precision.is_some_and(|digits| digits > LONGEST)) {
            return Err(self.unsupported("a conversion of printf to more than 1 MB"));
        }
        if matches!(conversion.letter, b's' | b'c') && conversion.length == Length::Long {
            return Err(self.unsupported("wide characters that are printed"));
        }
        let bits = match conversion.length {
            Length::Char => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::LongLong | Length::Max | Length::LongDouble => 64,
            Length::Long | Length::Pointer => self.code.pointer_width,
        };
        match conversion.letter {
            b'd' | b'i' => {
                let value = take(self)?;
                out.symbolic |= !value.is_concrete();
                out.addresses |= value.is_address();
                let value = number(value.bits & mask(bits), bits, true);
                let magnitude = value.unsigned_abs();
                out.text
                    .extend(conversion.integer(magnitude, value < 0, width, precision));
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = take(self)?;
                out.symbolic |= !value.is_concrete();
                out.addresses |= value.is_address();
                let magnitude = value.bits & mask(bits);
                out.text
                    .extend(conversion.integer(magnitude, false, width, precision));
            }
            b'p' => {
                let value = take(self)?;
                out.symbolic |= !value.is_concrete();
                out.addresses |= value.is_address();
                let text = if value.bits == 0 {
                    conversion.padded(b"(nil)".to_vec(), width)
                } else {
                    conversion.integer(value.bits, false, width, precision)
                };
                out.text.extend(text);
            }
            b'c' => {
                let value = take(self)?;
                out.symbolic |= !value.is_concrete();
                out.text
                    .extend(conversion.padded(vec![value.bits as u8], width));
            }
            b's' => {
                let pointer = take(self)?;
                let mut text = Printed::default();
                self.string(&mut text, pointer, precision)?;
                out.symbolic |= text.symbolic;
                out.strings.push((pointer, text.text.len() as u64 + 1));
                out.text.extend(conversion.padded(text.text, width));
            }
            0 => {
                let message = "a format string ends inside a conversion";
                return Err(self.defect(DefectKind::InvalidArgument, message));
            }
            letter => {
                let name = char::from(letter);
                return Err(self.unsupported(format!("the conversion %{name} of printf")));
            }
        }
        Ok(())
    }
}

/// The stream that a function is given.
fn stream_of(which: Primitive, arguments: Arguments) -> Option<Value> {
    let stream = match which {
        Primitive::Fprintf => arguments.first(),
        Primitive::Fputs | Primitive::Fputc => arguments.get(1),
        _ => None,
    };
    stream.map(|(value, _)| *value)
}
