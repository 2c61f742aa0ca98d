//! Proofs as data that others can check ([`ir::certificate`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use expr::{Node, Term, Terms, Var};
use ir::certificate::{
    Allocation, Check, Formula, Object, PlaceProof, Point, Premises, Quantity, Variable,
};

use crate::evidence::{HeldAtCut, PlacedDefect, UsedFacts};
use crate::formulas::Formulas;
use crate::formulas::model::{Allocations, CallBacks};
use crate::formulas::nodes::{nodes, variable};
use crate::formulas::segment::CodePlace;
use crate::graph::cuts::CutId;
use crate::graph::unfolding::{self, ContextId};
use crate::objects::location::AtIndex;
use crate::objects::locations::LocationId;
use crate::objects::places::{self, Nodes};

/// How many operators the text of a formula may have, in which common parts are repeated.
const LARGEST: usize = 2_000;

/// The certificate of a proof; `None` if some invariant cannot be written down.
pub(crate) fn certificate(
    formulas: &Formulas<'_>,
    place: CodePlace,
    used: &UsedFacts,
    (defects, allocations): (&[PlacedDefect], Allocations),
) -> Option<PlaceProof> {
    let model = &formulas.model;
    let writer = Writer::new(formulas);
    let points: Option<Vec<Point>> = cuts(formulas).map(|cut| writer.point(cut, used)).collect();
    let checks = defects.iter().filter_map(|(kind, function, span)| {
        let place = span.as_ref()?.place();
        Some(Check {
            defect: kind.name().to_owned(),
            function: function.raw(),
            line: place.line,
            column: place.column,
        })
    });
    Some(PlaceProof {
        place: code_place(formulas, place)?,
        rounds: used.rounds as u32,
        call_backs: model.bounds.call_backs == CallBacks::Possible,
        allocations_succeed: allocations == Allocations::NeverFail,
        nodes: !model.locations.pointers().allocated.is_empty(),
        heap: writer.heap(),
        points: points?,
        excluded_by: writer.premises(&used.excluding, used),
        checks: checks.collect(),
    })
}

/// The cuts that are points of a certificate, in their order.
fn cuts<'a>(formulas: &'a Formulas<'_>) -> impl Iterator<Item = CutId> + 'a {
    let cuts = &formulas.model.cuts;
    cuts.iter().filter(|&cut| cut != cuts.start())
}

/// A place by its function and block.
fn code_place(formulas: &Formulas<'_>, place: CodePlace) -> Option<ir::certificate::CodePlace> {
    let model = &formulas.model;
    let mut contexts = model.unfolding.contexts();
    contexts.find_map(|(_, context)| {
        let mut blocks = context.body.blocks.iter_enumerated();
        blocks.find_map(|(block, data)| {
            let successor = match place {
                CodePlace::Block(number) => {
                    (model.index.block(context.function, block) == number).then_some(None)
                }
                CodePlace::Edge(edge) => {
                    let count = match data.terminator.decides() {
                        true => data.terminator.successor_count(),
                        false => 0,
                    };
                    let mut all = 0..count;
                    let found =
                        all.find(|&at| model.index.edge(context.function, block, at) == edge);
                    found.map(|at| Some(at as u32))
                }
            };
            Some(ir::certificate::CodePlace {
                function: context.function.raw(),
                block: block.raw(),
                successor: successor?,
            })
        })
    })
}

struct Writer<'a, 'p> {
    formulas: &'a Formulas<'p>,
    locations: BTreeMap<Var, LocationId>,
}

impl<'a, 'p> Writer<'a, 'p> {
    fn new(formulas: &'a Formulas<'p>) -> Writer<'a, 'p> {
        let terms = &formulas.arena.terms;
        let at_start = formulas.model.at_start.iter_enumerated();
        let locations = at_start.filter_map(|(at, &term)| Some((variable(terms, term)?, at)));
        Writer {
            formulas,
            locations: locations.collect(),
        }
    }

    fn point(&self, cut: CutId, used: &UsedFacts) -> Option<Point> {
        let model = &self.formulas.model;
        let point = model.cuts.point(cut);
        let context = model.unfolding.context(point);
        let stack = self.stack(context);
        let formulas = used.at(cut).map(|held| {
            let mut formula = self.formula(&stack, held.1)?;
            let premises = used.premises.get(held).cloned().unwrap_or_default();
            formula.follows_from = self.premises(&premises, used);
            Some(formula)
        });
        let formulas: Option<Vec<Formula>> = formulas.collect();
        Some(Point {
            stack: self.calls(&stack),
            function: self.function(context),
            block: model.unfolding.block_of(point).raw(),
            formulas: formulas?,
        })
    }

    /// Some of the used invariants, by their positions.
    fn premises(&self, some: &BTreeSet<HeldAtCut>, used: &UsedFacts) -> Premises {
        let positions = |cut| {
            let numbered = used.at(cut).enumerate();
            let chosen = numbered.filter(|(_, held)| some.contains(held));
            chosen.map(|(at, _)| at).collect()
        };
        cuts(self.formulas).map(positions).collect()
    }

    /// The blocks that end in the calls of contexts that are active.
    fn calls(&self, stack: &[ContextId]) -> Vec<u32> {
        let unfolding = &self.formulas.model.unfolding;
        let callers = stack.iter().filter_map(|&it| unfolding.data(it).caller);
        callers.map(|(_, block)| block.raw()).collect()
    }

    /// The name of the function of a context.
    fn function(&self, context: ContextId) -> String {
        let model = &self.formulas.model;
        let function = model.unfolding.data(context).function;
        model.program().functions[function].name.clone()
    }

    /// The first of the calls that allocate nodes of a class.
    fn allocation(&self, nodes: Nodes) -> Option<Allocation> {
        let pointers = self.formulas.model.locations.pointers();
        let is_of_class = |of: &places::Object| match of {
            places::Object::Nodes(of) => of.class == nodes.class,
            _ => false,
        };
        let mut calls = pointers.allocated.iter();
        let (&point, _) = calls.find(|(_, of)| is_of_class(of))?;
        Some(self.call(point))
    }

    /// The calls that allocate an object each.
    fn heap(&self) -> Vec<Allocation> {
        let allocated = self.formulas.model.locations.pointers().allocated.iter();
        let heap = allocated.filter(|(_, of)| matches!(of, places::Object::Heap(_)));
        heap.map(|(&point, _)| self.call(point)).collect()
    }

    /// The call at the end of a block, which allocates memory.
    fn call(&self, point: unfolding::Point) -> Allocation {
        let model = &self.formulas.model;
        let context = model.unfolding.context(point);
        Allocation {
            stack: self.calls(&self.stack(context)),
            function: self.function(context),
            block: model.unfolding.block_of(point).raw(),
        }
    }

    /// The contexts that are active, outermost first.
    fn stack(&self, context: ContextId) -> Vec<ContextId> {
        let mut stack: Vec<ContextId> = self.formulas.model.unfolding.active(context).collect();
        stack.reverse();
        stack
    }

    fn formula(&self, stack: &[ContextId], term: Term) -> Option<Formula> {
        let terms = &self.formulas.arena.terms;
        let mut variables = Vec::new();
        for node in nodes(terms, vec![term]) {
            if let Node::Var { var, width } = node {
                let location = *self.locations.get(&var)?;
                variables.push(Variable {
                    name: name(var),
                    width,
                    is: self.quantity(stack, location)?,
                });
            }
        }
        variables.sort_by(|a, b| a.name.cmp(&b.name));
        let mut text = String::new();
        let mut left = LARGEST;
        write_term(terms, term, &mut text, &mut left)?;
        Some(Formula {
            variables,
            term: text,
            follows_from: Vec::new(),
        })
    }

    fn quantity(&self, stack: &[ContextId], location: LocationId) -> Option<Quantity> {
        let location = self.formulas.model.locations.get(location);
        Some(match (location.object, location.of) {
            (places::Object::Index, _) => match location.at {
                AtIndex::First => Quantity::Index,
                AtIndex::Second => Quantity::SecondIndex,
            },
            (places::Object::Position(context, local), _) => Quantity::Position {
                pointer: self.object(stack, places::Object::Local(context, local))?,
            },
            (places::Object::Nodes(nodes), _) => Quantity::Member {
                allocation: self.allocation(nodes)?,
                offset: location.offset,
                second: location.at == AtIndex::Second,
            },
            (places::Object::Allocated(nodes), _) => Quantity::Allocated {
                allocation: self.allocation(nodes)?,
                second: location.at == AtIndex::Second,
            },
            (object, Some(elements)) => Quantity::Element {
                object: self.object(stack, object)?,
                first: elements.first,
                stride: elements.stride,
                count: elements.count,
                second: location.at == AtIndex::Second,
            },
            (object, None) => Quantity::Bits {
                object: self.object(stack, object)?,
                offset: location.offset * 8,
            },
        })
    }

    fn object(&self, stack: &[ContextId], object: places::Object) -> Option<Object> {
        match object {
            places::Object::Local(context, local) => {
                let frame = stack.iter().position(|&active| active == context)?;
                Some(Object::Local {
                    frame: frame as u32,
                    local: local.raw(),
                })
            }
            places::Object::Global(global) => Some(Object::Global {
                number: global.raw(),
                name: self.formulas.model.program().globals[global].name.clone(),
            }),
            places::Object::Heap(point) => Some(Object::Heap {
                allocation: self.call(point),
            }),
            places::Object::Nodes(_)
            | places::Object::Allocated(_)
            | places::Object::Index
            | places::Object::Position(..) => None,
        }
    }
}

fn name(var: Var) -> String {
    format!("v{}", var.0)
}

/// Writes a term as SMT-LIB 2 has it; `None` if it has too many operators.
fn write_term(terms: &Terms, term: Term, text: &mut String, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    let node = terms.node(term);
    let added = |width: u32, of: Term| width - terms.width(of);
    let operator = match node {
        Node::Bool(value) => {
            let _ = write!(text, "{value}");
            return Some(());
        }
        Node::Const { width, value } => {
            let _ = write!(text, "(_ bv{value} {width})");
            return Some(());
        }
        Node::Var { var, .. } => {
            text.push_str(&name(var));
            return Some(());
        }
        Node::Not(_) => "bvnot".to_owned(),
        Node::Neg(_) => "bvneg".to_owned(),
        Node::Binary(op, ..) => op.smt_name().to_owned(),
        Node::Compare(op, ..) => op.smt_name().to_owned(),
        Node::Extract { high, low, .. } => format!("(_ extract {high} {low})"),
        Node::Concat(..) => "concat".to_owned(),
        Node::ZeroExtend { width, of } => format!("(_ zero_extend {})", added(width, of)),
        Node::SignExtend { width, of } => format!("(_ sign_extend {})", added(width, of)),
        Node::BoolNot(_) => "not".to_owned(),
        Node::BoolAnd(..) => "and".to_owned(),
        Node::BoolOr(..) => "or".to_owned(),
        Node::Ite(..) => "ite".to_owned(),
    };
    let _ = write!(text, "({operator}");
    for operand in node.operands() {
        text.push(' ');
        write_term(terms, operand, text, left)?;
    }
    text.push(')');
    Some(())
}
