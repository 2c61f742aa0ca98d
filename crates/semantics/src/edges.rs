//! Under which conditions control takes the edges of terminators.

use expr::CmpOp;

use crate::{Domain, Integer};

/// The condition of the edge to `then`; the other edge is taken where it does not hold.
pub fn branches<D: Domain>(domain: &mut D, width: u32, operand: D::Value) -> D::Truth {
    domain.is_nonzero(width, operand)
}

/// The conditions of the edges to the arms, which do not overlap, and of the edge to the default.
pub fn switch<D: Domain>(
    domain: &mut D,
    ty: Integer,
    operand: D::Value,
    arms: impl Iterator<Item = (i128, i128)>,
) -> Vec<D::Truth> {
    let mut conditions = Vec::with_capacity(arms.size_hint().0 + 1);
    let mut none = domain.truth(true);
    for range in arms {
        let inside = in_range(domain, ty, operand, range);
        conditions.push(inside);
        let outside = domain.not(inside);
        none = domain.and(none, outside);
    }
    conditions.push(none);
    conditions
}

/// Whether an operand lies in the range of an arm, bounds included.
pub fn in_range<D: Domain>(
    domain: &mut D,
    ty: Integer,
    operand: D::Value,
    (low, high): (i128, i128),
) -> D::Truth {
    let width = ty.width;
    let low_value = domain.constant(width, low as u128);
    let high_value = domain.constant(width, high as u128);
    if low == high {
        return domain.compare(CmpOp::Eq, width, operand, low_value);
    }
    let order = match ty.signed {
        true => CmpOp::Sle,
        false => CmpOp::Ule,
    };
    let above = domain.compare(order, width, low_value, operand);
    let below = domain.compare(order, width, operand, high_value);
    domain.and(above, below)
}
