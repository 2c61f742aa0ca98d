//! What objects hold: chains of writes, which are looked through when something is read.
//!
//! ```text
//! write(write(start, 0, x), 32, y)      read at 32: y, at 0: x, at 64: what was there at the start
//! join(c, a, b)                         read: c ? read of a : read of b
//! unknown                               read: a variable, the same for the same bits
//! a[i] = v, then a[j]                   i == j ? v : what was at j before
//! a[i] = x, then a[j].f                 i == j ? x.f : what was in a[j].f before
//! ```
//!
//! An index is that of an element of its array: behind an access beyond it, nothing is claimed.

use expr::Term;
use index_vec::IndexVec;
use ir::{GlobalId, Program, TypeId};
use rustc_hash::FxHashMap;

use crate::addresses::{Address, Index, Meeting, Number};
use crate::formulas::Formulas;
use crate::globals::initial_bits;
use crate::objects::{INDEX_WIDTH, Leaf, is_large, large_array, leaf};

index_vec::define_index_type! {
    /// What an object holds at some time.
    pub struct Held = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// What an object holds, as what was done to it.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Anything.
    Unknown(Unknown),
    /// The initial value of a global.
    Initial(GlobalId, Unknown),
    /// All bits are zero.
    Zero,
    /// Something was written over it.
    Write(Held, Address, Term),
    /// Bits of another object were written over it.
    Copy(Held, Copied),
    /// One or the other.
    Join(Term, Held, Held),
}

/// Contents of which nothing is known, of a type.
#[derive(Clone, Copy, Debug)]
pub struct Unknown {
    number: u32,
    ty: Option<TypeId>,
}

/// Bits that were copied.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// Where they are now.
    pub at: Address,
    /// How many.
    pub width: u64,
    /// What held them.
    pub from: Held,
    /// Where.
    pub from_at: Address,
    /// The type of the object that held them, if it has one.
    pub from_type: Option<TypeId>,
    /// The type of what was copied.
    pub ty: TypeId,
}

/// How long chains may be.
const LONGEST: u32 = 1_000;

/// The elements of a constant array that are told apart.
const LONGEST_TABLE: u64 = 64;

/// A layout of elements in contents of which nothing is known.
type Layout = (u32, u64, u64, u64);

/// All contents.
pub struct Contents<'p> {
    program: &'p Program,
    forms: IndexVec<Held, (Form, u32)>,
    unknowns: u32,
    read: FxHashMap<(Held, Address, u32), Term>,
    /// The variables of scalars that nothing is known of, by the contents and the offset.
    scalars: FxHashMap<(u32, u64), Term>,
    /// The elements that nothing is known of, each with its number.
    elements: FxHashMap<Layout, Vec<(Term, Term)>>,
    /// The numbers of elements that were read of large arrays that nothing is known of.
    pub numbers: Vec<Term>,
    /// Whether some chain was too long to look through.
    pub is_cut_short: bool,
}

impl<'p> Contents<'p> {
    /// None yet.
    pub fn new(program: &'p Program) -> Contents<'p> {
        Contents {
            program,
            forms: IndexVec::new(),
            unknowns: 0,
            read: FxHashMap::default(),
            scalars: FxHashMap::default(),
            elements: FxHashMap::default(),
            numbers: Vec::new(),
            is_cut_short: false,
        }
    }

    fn add(&mut self, form: Form) -> Held {
        let depth = |held: Held| self.forms[held].1;
        let depth = match form {
            Form::Unknown(_) | Form::Initial(..) | Form::Zero => 0,
            Form::Write(over, ..) => depth(over) + 1,
            Form::Copy(over, copied) => depth(over).max(depth(copied.from)) + 1,
            Form::Join(_, one, two) => depth(one).max(depth(two)) + 1,
        };
        if depth > LONGEST {
            self.is_cut_short = true;
            return self.unknown(None);
        }
        self.forms.push((form, depth))
    }

    fn next_unknown(&mut self, ty: Option<TypeId>) -> Unknown {
        self.unknowns += 1;
        Unknown {
            number: self.unknowns,
            ty,
        }
    }

    /// Contents of which nothing is known, of an object of a type.
    pub fn unknown(&mut self, ty: Option<TypeId>) -> Held {
        let unknown = self.next_unknown(ty);
        self.add(Form::Unknown(unknown))
    }

    /// The initial value of a global.
    pub fn initial(&mut self, global: GlobalId) -> Held {
        let unknown = self.next_unknown(Some(self.program.globals[global].ty));
        self.add(Form::Initial(global, unknown))
    }

    /// All bits zero.
    pub fn zero(&mut self) -> Held {
        self.add(Form::Zero)
    }

    /// Contents with something written over them.
    pub fn write(&mut self, over: Held, address: Address, value: Term) -> Held {
        self.add(Form::Write(over, address, value))
    }

    /// Contents with other bits copied over them.
    pub fn copy(&mut self, over: Held, copied: Copied) -> Held {
        self.add(Form::Copy(over, copied))
    }

    /// One or the other.
    pub fn join(&mut self, condition: Term, one: Held, two: Held) -> Held {
        match one == two {
            true => one,
            false => self.add(Form::Join(condition, one, two)),
        }
    }

    /// Reads bits of an object of a type: scalar by scalar; what lies between scalars is unknown.
    pub fn load(
        &mut self,
        formulas: &mut Formulas,
        (held, ty): (Held, Option<TypeId>),
        address: Address,
        width: u32,
    ) -> Term {
        let Some(ty) = ty else {
            return self.read(formulas, held, address, width);
        };
        if let Some(index) = address.index {
            let part = leaf(self.program, ty, address.offset);
            let is_alike = part == Leaf::Scalar(address.offset, u64::from(width))
                && index.stride >= u64::from(width);
            return match is_alike {
                true => self.read(formulas, held, address, width),
                false => formulas.fresh(width),
            };
        }
        let end = address.offset + u64::from(width);
        let mut at = address.offset;
        let mut value: Option<Term> = None;
        while at < end {
            let (piece, next) = match leaf(self.program, ty, at) {
                Leaf::Scalar(start, size) => {
                    let next = end.min(start + size);
                    let piece = (next - at) as u32;
                    (self.read(formulas, held, Address::at(at), piece), next)
                }
                Leaf::Padding(until) => {
                    let next = end.min(until);
                    (formulas.fresh((next - at) as u32), next)
                }
            };
            value = Some(match value {
                Some(low) => formulas.concat(piece, low),
                None => piece,
            });
            at = next;
        }
        value.unwrap_or_else(|| formulas.fresh(width))
    }

    /// Reads bits that lie within one scalar.
    fn read(&mut self, formulas: &mut Formulas, held: Held, address: Address, width: u32) -> Term {
        if let Some(&known) = self.read.get(&(held, address, width)) {
            return known;
        }
        let value = match self.forms[held].0 {
            Form::Zero => formulas.constant(width, 0),
            Form::Unknown(unknown) => self.read_unknown(formulas, held, unknown, address, width),
            Form::Initial(global, unknown) => {
                self.read_initial(formulas, (held, global, unknown), address, width)
            }
            Form::Join(condition, one, two) => {
                let one = self.read(formulas, one, address, width);
                let two = self.read(formulas, two, address, width);
                formulas.ite(condition, one, two)
            }
            Form::Write(over, at, value) => {
                self.read_written(formulas, over, (at, value), address, width)
            }
            Form::Copy(over, copied) => self.read_copied(formulas, over, copied, address, width),
        };
        self.read.insert((held, address, width), value);
        value
    }

    fn read_written(
        &mut self,
        formulas: &mut Formulas,
        over: Held,
        (at, value): (Address, Term),
        address: Address,
        width: u32,
    ) -> Term {
        let written = u64::from(formulas.terms.width(value));
        let wide = u64::from(width);
        if at.is_apart(written, &address, wide) {
            return self.read(formulas, over, address, width);
        }
        let is_like = written == wide;
        let same = match (at.index, address.index) {
            (None, None) => {
                return self.read_overlapping(formulas, over, (at.offset, value), address, width);
            }
            (Some(one), Some(two)) => {
                let is_one_array = at.offset == address.offset && one.count == two.count;
                (is_like && is_one_array && one.stride == two.stride)
                    .then_some((one.number, two.number))
            }
            (Some(index), None) => {
                let number = at.number_of(address.offset).filter(|_| is_like);
                number.map(|it| (index.number, formulas.constant(INDEX_WIDTH, it.into())))
            }
            (None, Some(index)) => {
                let number = address.number_of(at.offset).filter(|_| is_like);
                number.map(|it| (index.number, formulas.constant(INDEX_WIDTH, it.into())))
            }
        };
        let Some((one, two)) = same else {
            return formulas.fresh(width);
        };
        let is_it = formulas.eq(one, two);
        match formulas.as_bool(is_it) {
            Some(true) => value,
            Some(false) => self.read(formulas, over, address, width),
            None => {
                let other = self.read(formulas, over, address, width);
                formulas.ite(is_it, value, other)
            }
        }
    }

    /// Reads bits of which some were written: those below them, they themselves, those above.
    fn read_overlapping(
        &mut self,
        formulas: &mut Formulas,
        over: Held,
        (at, value): (u64, Term),
        address: Address,
        width: u32,
    ) -> Term {
        let (first, end) = (address.offset, address.offset + u64::from(width));
        let until = at + u64::from(formulas.terms.width(value));
        let (from, to) = (first.max(at), end.min(until));
        let mut all = formulas.extract((from - at) as u32, (to - from) as u32, value);
        if first < from {
            let below = Address::at(first);
            let low = self.read(formulas, over, below, (from - first) as u32);
            all = formulas.concat(all, low);
        }
        if to < end {
            let high = self.read(formulas, over, Address::at(to), (end - to) as u32);
            all = formulas.concat(high, all);
        }
        all
    }

    fn read_copied(
        &mut self,
        formulas: &mut Formulas,
        over: Held,
        copied: Copied,
        address: Address,
        width: u32,
    ) -> Term {
        let wide = u64::from(width);
        if copied.at.is_apart(copied.width, &address, wide) {
            return self.read(formulas, over, address, width);
        }
        let meeting = copied.at.meeting(copied.width, &address, wide);
        let there = meeting.and_then(|meeting| {
            Some((
                meeting,
                copied.from_at.moved(meeting.inside, meeting.index)?,
            ))
        });
        let Some((
            Meeting {
                numbers, inside, ..
            },
            there,
        )) = there
        else {
            return formulas.fresh(width);
        };
        let is_it = match numbers {
            Some((number, Number::Constant(other))) => {
                let other = formulas.constant(INDEX_WIDTH, other.into());
                formulas.eq(number, other)
            }
            Some((number, Number::Term(other))) => formulas.eq(number, other),
            None => formulas.bool(true),
        };
        let is_scalar = match leaf(self.program, copied.ty, inside) {
            Leaf::Scalar(start, size) => inside + wide <= start + size,
            Leaf::Padding(_) => false,
        };
        if copied.from_type.is_none() && !is_scalar {
            return formulas.fresh(width);
        }
        let from = (copied.from, copied.from_type);
        match formulas.as_bool(is_it) {
            Some(true) => self.load(formulas, from, there, width),
            Some(false) => self.read(formulas, over, address, width),
            None => {
                let copy = self.load(formulas, from, there, width);
                let other = self.read(formulas, over, address, width);
                formulas.ite(is_it, copy, other)
            }
        }
    }

    fn read_unknown(
        &mut self,
        formulas: &mut Formulas,
        held: Held,
        unknown: Unknown,
        address: Address,
        width: u32,
    ) -> Term {
        let Some(ty) = unknown.ty else {
            return match address.index {
                Some(index) => self.element(formulas, unknown, (address, index), width),
                None => self.scalar(formulas, unknown, address.offset, width),
            };
        };
        match address.index {
            Some(index) if !is_large(index.count) => {
                self.read_small(formulas, held, (address, index), width)
            }
            Some(index) => self.element(formulas, unknown, (address, index), width),
            None => match large_array(self.program, ty, address.offset) {
                Some((first, stride, count)) => {
                    let bits = stride * 8;
                    let number = (address.offset - first) / bits;
                    let index = Index {
                        number: formulas.constant(INDEX_WIDTH, number.into()),
                        stride: bits,
                        count,
                    };
                    let offset = address.offset - number * bits;
                    let address = Address {
                        offset,
                        index: Some(index),
                    };
                    self.part_of_element(formulas, (unknown, ty), (address, index), width)
                }
                None => self.part(formulas, (unknown, ty), address.offset, width),
            },
        }
    }

    /// A part of a scalar that nothing is known of.
    fn part(
        &mut self,
        formulas: &mut Formulas,
        (unknown, ty): (Unknown, TypeId),
        offset: u64,
        width: u32,
    ) -> Term {
        match leaf(self.program, ty, offset) {
            Leaf::Scalar(start, size) if offset + u64::from(width) <= start + size => {
                let whole = self.scalar(formulas, unknown, start, size as u32);
                formulas.extract((offset - start) as u32, width, whole)
            }
            _ => formulas.fresh(width),
        }
    }

    /// The same of a scalar in an element.
    fn part_of_element(
        &mut self,
        formulas: &mut Formulas,
        (unknown, ty): (Unknown, TypeId),
        (address, index): (Address, Index),
        width: u32,
    ) -> Term {
        match leaf(self.program, ty, address.offset) {
            Leaf::Scalar(start, size) if address.offset + u64::from(width) <= start + size => {
                let whole = Address {
                    offset: start,
                    ..address
                };
                let whole = self.element(formulas, unknown, (whole, index), size as u32);
                formulas.extract((address.offset - start) as u32, width, whole)
            }
            _ => formulas.fresh(width),
        }
    }

    fn scalar(
        &mut self,
        formulas: &mut Formulas,
        unknown: Unknown,
        offset: u64,
        width: u32,
    ) -> Term {
        let known = self.scalars.entry((unknown.number, offset));
        let known = *known.or_insert_with(|| formulas.fresh(width));
        // An object without a type may be read as several.
        match formulas.terms.width(known) == width {
            true => known,
            false => formulas.fresh(width),
        }
    }

    /// The element with a number: a variable, which is the one of each equal number.
    fn element(
        &mut self,
        formulas: &mut Formulas,
        unknown: Unknown,
        (address, index): (Address, Index),
        width: u32,
    ) -> Term {
        let layout = (unknown.number, address.offset, index.stride, index.count);
        let known = self.elements.get(&layout).cloned().unwrap_or_default();
        if let Some(&(_, value)) = known.iter().find(|(number, _)| *number == index.number) {
            return value;
        }
        let mut value = formulas.fresh(width);
        for &(number, other) in &known {
            if formulas.terms.width(other) != width {
                return formulas.fresh(width);
            }
            let is_it = formulas.eq(number, index.number);
            value = formulas.ite(is_it, other, value);
        }
        let elements = self.elements.entry(layout).or_default();
        elements.push((index.number, value));
        if !self.numbers.contains(&index.number) {
            self.numbers.push(index.number);
        }
        value
    }

    /// An element of an array of which all are told apart.
    fn read_small(
        &mut self,
        formulas: &mut Formulas,
        held: Held,
        (address, index): (Address, Index),
        width: u32,
    ) -> Term {
        let mut value = formulas.fresh(width);
        for number in 0..index.count {
            let offset = address.offset + number * index.stride;
            let one = self.read(formulas, held, Address::at(offset), width);
            let number = formulas.constant(INDEX_WIDTH, number.into());
            let is_it = formulas.eq(number, index.number);
            value = formulas.ite(is_it, one, value);
        }
        value
    }

    fn read_initial(
        &mut self,
        formulas: &mut Formulas,
        (held, global, unknown): (Held, GlobalId, Unknown),
        address: Address,
        width: u32,
    ) -> Term {
        let Some(index) = address.index else {
            return match initial_bits(self.program, global, address.offset, width) {
                Some(bits) => formulas.constant(width, bits),
                None => self.read_unknown(formulas, held, unknown, address, width),
            };
        };
        let mut offsets = (0..index.count).map(|number| address.offset + number * index.stride);
        if offsets.all(|at| initial_bits(self.program, global, at, width) == Some(0)) {
            return formulas.constant(width, 0);
        }
        match index.count <= LONGEST_TABLE {
            true => self.read_small(formulas, held, (address, index), width),
            false => formulas.fresh(width),
        }
    }
}
