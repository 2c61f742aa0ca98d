//! The points of a certificate, and what its formulas say of states.

use std::collections::{BTreeMap, BTreeSet};

use expr::Term;
use index_vec::IndexVec;
use ir::certificate::{Allocation, Formula, Point as Named, Quantity, Variable};
use ir::{Block, Span};

use crate::addresses::{Address, Index};
use crate::heap::at_node;
use crate::objects::{Class, INDEX_WIDTH, Object};
use crate::refusal::Refusal;
use crate::state::{Memory, State};
use crate::text;
use crate::unfolding::Node;
use crate::world::World;

index_vec::define_index_type! {
    /// A point of a proof.
    pub struct PointId = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// A place that control passes, with what holds whenever it is there.
#[derive(Clone, Debug)]
pub struct Point {
    /// Where it is.
    pub node: Node,
    /// What holds there.
    pub formulas: Vec<Formula>,
}

/// The points that a certificate names, in the code.
pub fn points(world: &World<'_>, named: &[Named]) -> Result<IndexVec<PointId, Point>, Refusal> {
    let mut points: IndexVec<PointId, Point> = IndexVec::new();
    let mut seen = BTreeSet::new();
    for point in named {
        let frame = world.unfolding.frame_of(&point.stack);
        let frame = frame.filter(|&frame| {
            let blocks = &world.unfolding.frames[frame].body.blocks;
            (point.block as usize) < blocks.len()
        });
        let Some(frame) = frame else {
            let function = &point.function;
            return Err(Refusal::bad(format!(
                "no calls lead to its point in {function}"
            )));
        };
        let node = world.unfolding.node(frame, Block::from_raw(point.block));
        if !seen.insert(node) {
            return Err(Refusal::bad("two of its points are the same"));
        }
        points.push(Point {
            node,
            formulas: point.formulas.clone(),
        });
    }
    Ok(points)
}

impl World<'_> {
    /// The class of the nodes that a call allocates.
    fn class(&self, allocation: &Allocation) -> Result<Class, Refusal> {
        let Some(node) = self.unfolding.call_of(allocation) else {
            let function = &allocation.function;
            return Err(Refusal::bad(format!(
                "no calls lead to its allocation in {function}"
            )));
        };
        let class = self.targets.sites.class(node);
        class.ok_or_else(|| Refusal::needs("nodes of the heap that unknown code may change"))
    }

    /// Where a node comes from.
    pub fn span(&self, node: Node) -> Option<Span> {
        let frame = self.unfolding.frame(node);
        let span = self.unfolding.block(node).span;
        self.unfolding.frames[frame].body.spans.get(span).cloned()
    }
}

/// The numbers that formulas are about: any two.
#[derive(Clone, Copy, Debug)]
pub struct Indices {
    /// The index.
    pub first: Term,
    /// The second one.
    pub second: Term,
}

/// Whether a formula is about the second index.
pub fn is_of_two(formula: &Formula) -> bool {
    formula.variables.iter().any(|variable| {
        matches!(
            variable.is,
            Quantity::SecondIndex
                | Quantity::Element { second: true, .. }
                | Quantity::Member { second: true, .. }
                | Quantity::Allocated { second: true, .. }
        )
    })
}

impl Memory<'_, '_> {
    /// What a formula at a node says of a state, with numbers as the indices.
    pub fn said(
        &mut self,
        formula: &Formula,
        (node, state): (Node, &State),
        indices: Indices,
    ) -> Result<Term, Refusal> {
        let mut values = BTreeMap::new();
        for variable in &formula.variables {
            let value = self.value(variable, (node, state), indices)?;
            values.insert(variable.name.as_str(), value);
        }
        let read = text::read(&formula.term, &values, &mut self.formulas);
        read.map_err(|why| Refusal::bad(format!("a formula cannot be read: {why}")))
    }

    /// What a variable stands for.
    fn value(
        &mut self,
        variable: &Variable,
        (node, state): (Node, &State),
        indices: Indices,
    ) -> Result<Term, Refusal> {
        let Indices {
            first: index,
            second: other,
        } = indices;
        let (object, address) = match &variable.is {
            Quantity::Index => {
                return match variable.width {
                    INDEX_WIDTH => Ok(index),
                    _ => Err(Refusal::bad("an index has another width")),
                };
            }
            Quantity::SecondIndex => {
                return match variable.width {
                    INDEX_WIDTH => Ok(other),
                    _ => Err(Refusal::bad("an index has another width")),
                };
            }
            Quantity::Position { pointer } => {
                let object = self.object(pointer, node)?;
                let Object::Local(frame, local) = object else {
                    return Err(Refusal::needs("where a global pointer leads"));
                };
                if !self.world.targets.is_moving(frame, local) {
                    return Err(Refusal::needs(
                        "a pointer that leads to elements of one array",
                    ));
                }
                if variable.width != INDEX_WIDTH {
                    return Err(Refusal::bad("an index has another width"));
                }
                return Ok(self.position(state, Object::Position(frame, local)));
            }
            Quantity::Member {
                allocation,
                offset,
                second,
            } => {
                let class = self.world.class(allocation)?;
                let size = u64::from(variable.width / 8);
                let member = self.world.member(class, (*offset, size));
                let member = member.filter(|_| variable.width.is_multiple_of(8));
                let Some(member) = member else {
                    return Err(Refusal::needs(
                        "what a part of nodes holds that is not always seen as one scalar",
                    ));
                };
                let node = if *second { other } else { index };
                let address = at_node(node, variable.width.into());
                return Ok(self.load(state, member, address, variable.width));
            }
            Quantity::Allocated { allocation, second } => {
                let node = if *second { other } else { index };
                let live = Object::Live(self.world.class(allocation)?);
                return match variable.width {
                    1 => Ok(self.load(state, live, at_node(node, 1), 1)),
                    _ => Err(Refusal::bad("a bit has another width")),
                };
            }
            Quantity::Bits { object, offset } => {
                (self.object(object, node)?, Some(Address::at(*offset)))
            }
            Quantity::Element {
                object,
                first,
                stride,
                count,
                second,
            } => {
                let index = if *second { other } else { index };
                let index = element(*first, *stride, *count, index);
                (self.object(object, node)?, index)
            }
        };
        let address = address.filter(|&address| self.fits(object, address, variable.width));
        match address {
            Some(address) => Ok(self.load(state, object, address, variable.width)),
            None => Err(Refusal::bad("a variable is outside of its object")),
        }
    }

    fn object(&self, named: &ir::certificate::Object, node: Node) -> Result<Object, Refusal> {
        let unfolding = &self.world.unfolding;
        let found = unfolding.named(named, unfolding.frame(node));
        let found = found.filter(|object| match object {
            Object::Heap(call) => self.world.targets.sites.is_object(*call),
            _ => true,
        });
        found.ok_or_else(|| Refusal::bad("a variable is of no object at its point"))
    }

    fn fits(&self, object: Object, address: Address, width: u32) -> bool {
        let last = address.index.map_or(Some(0), |index| {
            index.count.checked_sub(1)?.checked_mul(index.stride)
        });
        let end = last.and_then(|last| {
            let first = address.offset.checked_add(last)?;
            first.checked_add(u64::from(width))
        });
        let is_wide = (1..=expr::MAX_WIDTH).contains(&width);
        is_wide && end.is_some_and(|end| end <= self.world.unfolding.bits_of(object))
    }
}

/// The address of an element.
fn element(first: u64, stride: u64, count: u64, number: Term) -> Option<Address> {
    let stride = stride.checked_mul(8).filter(|&stride| stride > 0)?;
    Some(Address {
        offset: first.checked_mul(8)?,
        index: Some(Index {
            number,
            stride,
            count,
        }),
    })
}
