//! Where in an object something lies: at an offset, or in an element of an array.

use expr::Term;

/// Where in an object something lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The offset in bits; that of the first element, if there is an index.
    pub offset: u64,
    /// Which element of an array it is in.
    pub index: Option<Index>,
}

/// An element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    /// Which one, as a number of [`crate::objects::INDEX_WIDTH`] bits.
    pub number: Term,
    /// The distance of one from the next, in bits.
    pub stride: u64,
    /// How many there are.
    pub count: u64,
}

impl Address {
    /// At an offset in bits.
    pub fn at(offset: u64) -> Address {
        Address {
            offset,
            index: None,
        }
    }

    /// The bits that it may mean: the first, and the one behind the last.
    pub fn range(&self, width: u64) -> (u64, u64) {
        let last = self
            .index
            .map_or(0, |index| (index.count - 1) * index.stride);
        (self.offset, self.offset + last + width)
    }

    /// Whether it never overlaps another one.
    pub fn is_apart(&self, width: u64, other: &Address, other_width: u64) -> bool {
        let (first, end) = self.range(width);
        let (other_first, other_end) = other.range(other_width);
        if end <= other_first || other_end <= first {
            return true;
        }
        let stride = match (self.index, other.index) {
            (Some(one), Some(two)) if one.stride != two.stride => return false,
            (Some(index), _) | (_, Some(index)) => i128::from(index.stride),
            (None, None) => return false,
        };
        let between = (i128::from(other.offset) - i128::from(self.offset)).rem_euclid(stride);
        between >= i128::from(width) && between + i128::from(other_width) <= stride
    }

    /// The number of the element that lies at an offset.
    pub fn number_of(&self, offset: u64) -> Option<u64> {
        let index = self.index?;
        let from = offset.checked_sub(self.offset)?;
        let is_one = from.is_multiple_of(index.stride) && from / index.stride < index.count;
        is_one.then(|| from / index.stride)
    }

    /// Where an access meets bits that lie at this address, if it lies in them and is of a known
    /// shape: the widths of both, in bits.
    pub fn meeting(&self, width: u64, other: &Address, other_width: u64) -> Option<Meeting> {
        let (inside, numbers, index) = match (self.index, other.index) {
            (None, None) => (other.offset.checked_sub(self.offset)?, None, None),
            (None, Some(index)) => {
                let (first, end) = other.range(other_width);
                if first >= self.offset && end <= self.offset + width {
                    return Some(Meeting {
                        inside: first - self.offset,
                        numbers: None,
                        index: Some(index),
                    });
                }
                let number = self
                    .offset
                    .saturating_sub(other.offset)
                    .div_ceil(index.stride);
                let is_one = number < index.count && width <= index.stride;
                let at = other.offset + number * index.stride;
                let inside = at.checked_sub(self.offset).filter(|_| is_one)?;
                (inside, Some((index.number, Number::Constant(number))), None)
            }
            (Some(index), None) => {
                let from = other.offset.checked_sub(self.offset)?;
                let number = from / index.stride;
                let number = Some(number).filter(|&number| number < index.count)?;
                let numbers = (index.number, Number::Constant(number));
                (from % index.stride, Some(numbers), None)
            }
            (Some(one), Some(two)) => {
                let is_same = one.stride == two.stride && one.count == two.count;
                let inside = other.offset.checked_sub(self.offset);
                let inside = inside.filter(|&inside| is_same && inside < one.stride)?;
                (inside, Some((one.number, Number::Term(two.number))), None)
            }
        };
        (inside + other_width <= width).then_some(Meeting {
            inside,
            numbers,
            index,
        })
    }

    /// So many bits from here, in the element with an index; `None` if this is an element already.
    pub fn moved(&self, by: u64, index: Option<Index>) -> Option<Address> {
        let index = match (self.index, index) {
            (Some(_), Some(_)) => return None,
            (index, None) | (None, index) => index,
        };
        Some(Address {
            offset: self.offset.checked_add(by)?,
            index,
        })
    }
}

/// Where an access lies in some bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// How many bits from their start.
    pub inside: u64,
    /// The numbers that must be equal for that: of the element that the bits are, and of that which is
    /// accessed.
    pub numbers: Option<(Term, Number)>,
    /// The index of the access, where it is one in an array within the bits.
    pub index: Option<Index>,
}

/// The number of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A term.
    Term(Term),
    /// A constant.
    Constant(u64),
}
