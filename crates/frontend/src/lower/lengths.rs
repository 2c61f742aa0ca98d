//! Variable-length arrays: their lengths, their sizes, and their elements.
//!
//! In the IR, a variable-length array, or an array of such, is one array of unknown length; a local
//! one has the length of [`ir::OPEN_ARRAY_BYTES`], which its declaration narrows. Its element is the
//! first type on the way in that has a size: `int m[r][c]` is an array of `int`, and `m[i][j]` its
//! element `i * c + j`. A pointer to such an array leads to its first element. Each length is
//! evaluated where C evaluates it, and kept in a variable without a name.

use ir::{
    BinaryOp, IntName, Local, LocalKind, Operand, Place, PlaceBase, Projection, Rvalue, SpanId,
    StatementKind, Terminator, Type, TypeId,
};

use super::builder::Typed;
use super::function::FunctionLowering;
use super::unit::int_type;
use crate::ast::{ArrayLength, Expr, Length, TypeKind};

/// Which indices an array has.
#[derive(Clone, Copy)]
pub(super) enum Within {
    /// Those of its elements.
    Element,
    /// That behind the last one too: only an address is taken.
    End,
}

impl<'a> FunctionLowering<'_, 'a> {
    /// Evaluates lengths. One that is not positive is undefined (C17 6.7.6.2p5).
    pub(super) fn evaluate_lengths(&mut self, lengths: &'a [Length]) {
        for length in lengths {
            let span = self.span(length.value.span);
            let value = self.value(&length.value);
            let of = self.operand_type(&value);
            if self.types().int(of).is_none() {
                self.unsupported("a length of an array that is no integer", span);
                continue;
            }
            let zero = self.constant(of, 0);
            let int = self.unit.int;
            let is_positive = (Rvalue::Binary(BinaryOp::Gt, value.clone(), zero), int);
            let is_positive = self.operand(is_positive, span);
            self.demand(is_positive, ir::BAD_LENGTH, span);
            let ty = self.length_type();
            let value = self.conversion(value, ty, span);
            let kept = self.new_local(ty, LocalKind::Variable);
            self.assign_local(kept, value.0, span);
            self.lengths.insert(length.length, kept);
        }
    }

    /// Goes on where a condition holds; all else is the defect that a function reports.
    fn demand(&mut self, operand: Operand, otherwise: &str, span: SpanId) {
        let holds = self.branch_off(operand, span);
        self.call_helper(otherwise, span);
        self.end_block(Terminator::Unreachable, span, holds);
    }

    /// The type that lengths are computed in: signed, and as wide as a pointer.
    fn length_type(&mut self) -> TypeId {
        self.pointer_sized(IntName::Long, IntName::Int)
    }

    /// An unsigned type that is as wide as a pointer.
    fn size_type(&mut self) -> TypeId {
        self.pointer_sized(IntName::UnsignedLong, IntName::UnsignedInt)
    }

    /// The first type if pointers have 64 bits, else the second one.
    fn pointer_sized(&mut self, long: IntName, int: IntName) -> TypeId {
        let width = self.unit.program.target.pointer_width;
        let name = if width >= 64 { long } else { int };
        let size = u64::from(width / 8);
        let is_signed = matches!(name, IntName::Long | IntName::Int);
        let kind = int_type(name, width, is_signed);
        self.unit.program.types.intern(kind, size, size)
    }

    /// Whether a type of clang's is a variable-length array, or an array of such.
    pub(super) fn is_variable(&self, ty: usize) -> bool {
        self.array_lengths(ty).is_some()
    }

    fn array_lengths(&self, ty: usize) -> Option<&'a [ArrayLength]> {
        match &self.unit.ast.types.get(ty)?.kind {
            TypeKind::VariableArray { lengths, .. } => Some(lengths),
            _ => None,
        }
    }

    /// The type of the variable-length arrays that a pointer type of clang's leads to, if it does.
    pub(super) fn variable_pointee(&self, ty: usize) -> Option<usize> {
        match self.unit.ast.types.get(ty)?.kind {
            TypeKind::Pointer { pointee, .. } if self.is_variable(pointee) => Some(pointee),
            _ => None,
        }
    }

    /// How many elements an array of variable length has in all.
    fn extent(&mut self, ty: usize, span: SpanId) -> Operand {
        let length_type = self.length_type();
        let mut product = self.constant(length_type, 1);
        for length in self.array_lengths(ty).unwrap_or_default() {
            let factor = self.length(length, span);
            product = self.product(product, factor, span);
        }
        product
    }

    fn length(&mut self, length: &ArrayLength, span: SpanId) -> Operand {
        match length {
            ArrayLength::Fixed(length) => {
                let ty = self.length_type();
                self.constant(ty, (*length).into())
            }
            ArrayLength::Evaluated(number) => match self.lengths.get(number) {
                Some(&kept) => Operand::Copy(kept),
                None => self.unknown_length(span),
            },
            ArrayLength::Unknown => self.unknown_length(span),
        }
    }

    /// Goes on where an index is within an array of a type that lies in another object, or right
    /// behind it where only its address is taken. (Of a whole object, the machine knows the size.)
    fn demand_index(&mut self, index: &Operand, (ty, within): (usize, Within), span: SpanId) {
        let lengths = self.array_lengths(ty).unwrap_or_default();
        let Some(outermost) = lengths.first() else {
            return;
        };
        let length = self.length(outermost, span);
        let ty = self.size_type();
        let operator = match within {
            Within::Element => BinaryOp::Lt,
            Within::End => BinaryOp::Le,
        };
        // A negative index is a large number.
        let wide = self.length_type();
        let index = self.convert(index.clone(), wide, span);
        let [index, length] = [index, length].map(|operand| self.convert(operand, ty, span));
        let int = self.unit.int;
        let is_within = self.operand((Rvalue::Binary(operator, index, length), int), span);
        self.demand(is_within, ir::BAD_INDEX, span);
    }

    fn unknown_length(&mut self, span: SpanId) -> Operand {
        self.unsupported(
            "the size of a variable-length array of unknown length",
            span,
        );
        let ty = self.length_type();
        self.constant(ty, 1)
    }

    fn product(&mut self, left: Operand, right: Operand, span: SpanId) -> Operand {
        let one = self.constant(self.operand_type(&left), 1);
        if left == one {
            return right;
        }
        let ty = self.operand_type(&left);
        self.operand((Rvalue::Binary(BinaryOp::Mul, left, right), ty), span)
    }

    /// Starts the lifetime of a local array at its declaration.
    pub(super) fn declare_array(&mut self, local: Local, ty: usize, span: SpanId) {
        let length = self.extent(ty, span);
        self.emit(StatementKind::StorageLiveArray(local, length), span);
        self.keep_in_scope(local);
    }

    /// The size of a variable-length array.
    pub(super) fn size_of_array(&mut self, ty: usize, result: TypeId, span: SpanId) -> Typed {
        let extent = self.extent(ty, span);
        let extent = self.convert(extent, result, span);
        let size = self.element_size(self.unit.ty(ty));
        let size = self.constant(result, size.into());
        (Rvalue::Binary(BinaryOp::Mul, extent, size), result)
    }

    /// The size of what an array holds.
    fn element_size(&self, array: TypeId) -> u64 {
        match self.types().kind(array) {
            Type::Array { element, .. } => self.types().size(*element),
            _ => 0,
        }
    }

    /// The element of an array of the type `whole` that an index means, or the array in it, by their
    /// type `ty`.
    pub(super) fn variable_element(
        &mut self,
        mut array: Place,
        index: Operand,
        (whole, ty, within): (usize, usize, Within),
        span: SpanId,
    ) -> Place {
        if array.as_local().is_none() {
            self.demand_index(&index, (whole, within), span);
        }
        if !self.is_variable(ty) {
            return self.element(array, index, span);
        }
        let first = self.scaled(index, ty, span);
        array = self.element(array, first, span);
        array.ty = self.unit.ty(ty);
        array
    }

    /// The index of the first element of the array that an index means, in an array of arrays of a
    /// type.
    fn scaled(&mut self, index: Operand, ty: usize, span: SpanId) -> Operand {
        let extent = self.extent(ty, span);
        let length_type = self.length_type();
        let index = self.convert(index, length_type, span);
        self.product(index, extent, span)
    }

    /// The sum of the index of an array's first element and an index in that array.
    pub(super) fn sum(&mut self, first: Operand, index: Operand, span: SpanId) -> Operand {
        let ty = self.operand_type(&first);
        let index = self.convert(index, ty, span);
        if index == self.constant(ty, 0) {
            return first;
        }
        self.operand((Rvalue::Binary(BinaryOp::Add, first, index), ty), span)
    }

    /// `pointer + index` or `pointer - index`, of a pointer to variable-length arrays of a type.
    pub(super) fn array_offset(
        &mut self,
        pointer: Operand,
        index: Operand,
        ty: usize,
        negative: bool,
        span: SpanId,
    ) -> Typed {
        let pointer_type = self.operand_type(&pointer);
        let offset = Rvalue::PointerOffset {
            pointer,
            index: self.scaled(index, ty, span),
            element: self.element_size(self.unit.ty(ty)),
            negative,
        };
        (offset, pointer_type)
    }

    /// A sum or difference of a pointer to variable-length arrays and an integer, or a difference of
    /// two such pointers, if an operation with a result of a type is one.
    pub(super) fn array_operation(
        &mut self,
        op: BinaryOp,
        (left, left_value): (&Expr, &Operand),
        (right, right_value): (&Expr, &Operand),
        (result, span): (TypeId, SpanId),
    ) -> Option<Typed> {
        let negative = match op {
            BinaryOp::Add => false,
            BinaryOp::Sub => true,
            _ => return None,
        };
        let arrays = [left, right].map(|operand| self.variable_pointee(operand.ty));
        let is_number = |value| self.types().int(self.operand_type(value)).is_some();
        let numbers = [left_value, right_value].map(is_number);
        let (pointer, index, ty) = match (arrays, numbers) {
            ([Some(ty), None], [_, true]) => (left_value, right_value, ty),
            ([None, Some(ty)], [true, _]) => (right_value, left_value, ty),
            ([Some(ty), Some(_)], _) if negative => {
                return Some(self.array_difference(left_value, right_value, ty, (result, span)));
            }
            _ => return None,
        };
        Some(self.array_offset(pointer.clone(), index.clone(), ty, negative, span))
    }

    /// How many arrays of a type lie between two pointers.
    fn array_difference(
        &mut self,
        left: &Operand,
        right: &Operand,
        ty: usize,
        (result, span): (TypeId, SpanId),
    ) -> Typed {
        let elements = Rvalue::PointerDifference {
            left: left.clone(),
            right: right.clone(),
            element: self.element_size(self.unit.ty(ty)),
            ty: result,
        };
        let elements = self.operand((elements, result), span);
        let extent = self.extent(ty, span);
        let extent = self.convert(extent, result, span);
        (Rvalue::Binary(BinaryOp::Div, elements, extent), result)
    }

    /// By how many elements a pointer of a type of clang's is moved that is moved by a number.
    pub(super) fn stepped_by(&mut self, pointer: usize, number: Operand, span: SpanId) -> Operand {
        match self.variable_pointee(pointer) {
            Some(array) => self.scaled(number, array, span),
            None => number,
        }
    }

    /// An element of a variable-length array that a pointer leads to, if a place is one: the pointer
    /// is one to elements.
    pub(super) fn element_behind(
        &mut self,
        array: &Place,
        index: &Operand,
        span: SpanId,
    ) -> Option<Place> {
        let (PlaceBase::Deref(pointer), []) = (&array.base, array.projections.as_slice()) else {
            return None;
        };
        let pointee = self.types().pointee(self.operand_type(pointer));
        let element = match *self.types().kind(array.ty) {
            Type::Array {
                element,
                length: None,
            } if pointee == Some(element) => element,
            _ => return None,
        };
        let zero = self.constant(self.operand_type(index), 0);
        let pointer = match *index == zero {
            true => pointer.clone(),
            false => {
                let offset = self.offset(pointer.clone(), index.clone(), false, span);
                self.operand(offset, span)
            }
        };
        Some(Place {
            base: PlaceBase::Deref(pointer),
            projections: Vec::new(),
            ty: element,
        })
    }
}

/// Whether a place is an array in an array of variable length: its last step is the index of the
/// first element.
pub(super) fn is_array_in_array(place: &Place, ty: &Type) -> bool {
    matches!(ty, Type::Array { length: None, .. })
        && matches!(place.projections.last(), Some(Projection::Index(_)))
}
