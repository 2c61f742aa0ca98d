//! The formulas of proofs as conditions at heads of the source.
//!
//! A formula holds in one stack of calls. A condition at a place of the source has to hold in all that
//! lead there: it is what the formulas of all stacks have in common, and that one of the others holds.

use std::collections::{BTreeMap, BTreeSet};

use checker::Formulas;
use expr::{CName, Node, Term, Var};
use ir::certificate::{self, Formula, Point, Quantity};
use ir::{Block, Callee, FileId, FunctionId, GlobalId, Local, Program, SourceHead, Terminator};

use crate::cells::{Base, Cell, Cells, name, object};
use crate::contexts::Contexts;
use crate::source::{Source, Spot};

/// A condition that holds whenever control is at a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The function.
    pub function: FunctionId,
    /// The head, by its position in [`ir::Body::heads`].
    pub head: usize,
    /// Where it is said.
    pub spot: Spot,
    /// As a C expression.
    pub text: String,
    /// As a term.
    pub(crate) holds: Term,
}

/// The conditions of some proofs.
#[derive(Default)]
pub struct Gathered {
    /// The conditions, by their places.
    pub conditions: Vec<Condition>,
    /// How many formulas could not be said, by the reason.
    pub left_out: BTreeMap<&'static str, usize>,
    pub(crate) formulas: Formulas,
    pub(crate) cells: Cells,
}

/// A formula of one stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Held {
    holds: Term,
    cells: BTreeSet<Cell>,
}

/// What holds at a block, by the stacks.
type ByStack = BTreeMap<Vec<u32>, BTreeSet<Held>>;

/// The conditions at the heads of a file that the formulas at some points amount to. The points are
/// those of proofs about a program with this entry, and all that they say holds.
pub fn gather<'a>(
    program: &Program,
    entry: FunctionId,
    (file, source): (FileId, &Source<'_>),
    points: impl Iterator<Item = &'a Point>,
) -> Gathered {
    let mut gathering = Gathering {
        program,
        entry,
        names: BTreeMap::new(),
        result: Gathered::default(),
    };
    let mut by_block: BTreeMap<(FunctionId, Block), ByStack> = BTreeMap::new();
    for point in points {
        let held: BTreeSet<Held> = gathering.held(point).collect();
        let Some(function) = gathering.function(&point.stack) else {
            gathering.leave_out("no calls lead to the point", held.len());
            continue;
        };
        let block = Block::from_raw(point.block);
        let at = by_block.entry((function, block)).or_default();
        at.entry(point.stack.clone()).or_default().extend(held);
    }
    let contexts = Contexts::new(program, entry);
    for ((function, block), by_stack) in by_block {
        gathering.say((file, source), &contexts, (function, block), &by_stack);
    }
    let mut result = gathering.result;
    result
        .conditions
        .sort_by(|a, b| (a.spot, &a.text).cmp(&(b.spot, &b.text)));
    result
}

struct Gathering<'p> {
    program: &'p Program,
    entry: FunctionId,
    names: BTreeMap<Var, CName>,
    result: Gathered,
}

impl Gathering<'_> {
    fn leave_out(&mut self, why: &'static str, count: usize) {
        if count > 0 {
            *self.result.left_out.entry(why).or_default() += count;
        }
    }

    /// The function that a stack of calls leads to.
    fn function(&self, stack: &[u32]) -> Option<FunctionId> {
        let mut function = self.entry;
        for &block in stack {
            let body = self.program.functions[function].body.as_ref()?;
            match &body.blocks.get(Block::from_raw(block))?.terminator {
                Terminator::Call {
                    callee: Callee::Direct(callee),
                    ..
                } => function = *callee,
                _ => return None,
            }
        }
        Some(function)
    }

    /// What C can say of the formulas at a point.
    fn held(&mut self, point: &Point) -> std::vec::IntoIter<Held> {
        let mut all = Vec::new();
        for formula in &point.formulas {
            match self.read(&point.stack, formula) {
                Ok(held) => all.push(held),
                Err(why) => self.leave_out(why, 1),
            }
        }
        all.into_iter()
    }

    fn read(&mut self, stack: &[u32], formula: &Formula) -> Result<Held, &'static str> {
        let no_name = "it is about an object that has no name there";
        let function = self.function(stack).ok_or(no_name)?;
        let mut cells = BTreeSet::new();
        let mut variables = BTreeMap::new();
        for variable in &formula.variables {
            let Quantity::Bits { object, offset } = &variable.is else {
                return Err("it is about elements of arrays");
            };
            let base = base(object, stack, function).ok_or(no_name)?;
            let cell = Cell {
                base,
                offset: *offset,
                width: variable.width,
            };
            let is_new = |width: u32| (1..=expr::MAX_WIDTH).contains(&width);
            let name = name(self.program, cell).filter(|_| is_new(cell.width));
            let name = name.ok_or(no_name)?;
            let term = self.result.cells.term(&mut self.result.formulas, cell);
            if let Node::Var { var, .. } = self.result.formulas.terms.node(term) {
                self.names.insert(var, name);
            }
            cells.insert(cell);
            variables.insert(variable.name.as_str(), term);
        }
        let formulas = &mut self.result.formulas;
        let read = checker::read_formula(&formula.term, &variables, formulas);
        let holds = read.map_err(|_| "it is no formula")?;
        Ok(Held { holds, cells })
    }

    /// Adds the conditions at the heads of a block.
    fn say(
        &mut self,
        (file, source): (FileId, &Source<'_>),
        contexts: &Contexts,
        (function, block): (FunctionId, Block),
        by_stack: &ByStack,
    ) {
        let count = by_stack.values().map(BTreeSet::len).sum();
        let program = self.program;
        let heads = program.functions[function].body.iter();
        let heads = heads.flat_map(|body| body.heads.iter().enumerate());
        let spots = heads.filter(|(_, head)| head.block == block && head.span.begin.file == file);
        let spots = spots.filter_map(|(at, head)| Some((at, head, source.spot(head)?)));
        let spots: Vec<(usize, &SourceHead, Spot)> = spots.collect();
        if spots.is_empty() {
            return self.leave_out("the loop has no place in the source to say it", count);
        }
        let Some(stacks) = contexts.of(function) else {
            return self.leave_out("not all calls that lead there are known", count);
        };
        for (head, data, spot) in spots {
            let mut of_stacks: Vec<BTreeSet<&Held>> = Vec::new();
            for stack in &stacks {
                let held = by_stack.get(stack).into_iter().flatten();
                let held = held.filter(|held| is_in_scope(program, function, data, held));
                of_stacks.push(held.collect());
            }
            for (text, holds) in self.common(&of_stacks) {
                self.result.conditions.push(Condition {
                    function,
                    head,
                    spot,
                    text,
                    holds,
                });
            }
        }
    }

    /// What holds in all stacks, of what holds in each.
    fn common(&mut self, of_stacks: &[BTreeSet<&Held>]) -> Vec<(String, Term)> {
        let Some((first, others)) = of_stacks.split_first() else {
            return Vec::new();
        };
        let in_all = |held: &&&Held| others.iter().all(|other| other.contains(*held));
        let common: BTreeSet<&Held> = first.iter().filter(in_all).copied().collect();
        let common_terms: Vec<Term> = common.iter().map(|held| held.holds).collect();
        let mut said: Vec<(String, Term)> = Vec::new();
        for holds in common_terms {
            said.extend(self.text(holds).map(|text| (text, holds)));
        }
        let mut either: Option<(String, Term)> = None;
        for held in of_stacks {
            let rest = held.difference(&common).map(|held| held.holds);
            // In a stack of which nothing else is known, all others say nothing.
            let Some((text, holds)) = self.all(rest.collect()) else {
                return said;
            };
            either = Some(match either {
                None => (text, holds),
                Some((texts, before)) => {
                    let formulas = &mut self.result.formulas;
                    (format!("{texts} || {text}"), formulas.either(before, holds))
                }
            });
        }
        said.extend(either);
        said
    }

    /// That all of some terms hold, in parentheses.
    fn all(&mut self, terms: Vec<Term>) -> Option<(String, Term)> {
        let mut all: Option<(String, Term)> = None;
        for term in terms {
            let Some(text) = self.text(term) else {
                continue;
            };
            all = Some(match all {
                None => (format!("({text})"), term),
                Some((texts, before)) => {
                    let formulas = &mut self.result.formulas;
                    (format!("{texts} && ({text})"), formulas.both(before, term))
                }
            });
        }
        all.map(|(text, term)| (format!("({text})"), term))
    }

    fn text(&mut self, term: Term) -> Option<String> {
        let text = self.result.formulas.terms.c_text(&self.names, term);
        if text.is_none() {
            self.leave_out("it has no form in C", 1);
        }
        text
    }
}

/// The object that a certificate names, for code of the innermost call.
fn base(object: &certificate::Object, stack: &[u32], function: FunctionId) -> Option<Base> {
    match object {
        certificate::Object::Local { frame, local } => {
            let is_innermost = *frame as usize == stack.len();
            is_innermost.then(|| Base::Local(function, Local::from_raw(*local)))
        }
        certificate::Object::Global { number, .. } => {
            Some(Base::Global(GlobalId::from_raw(*number)))
        }
        certificate::Object::Heap { .. } => None,
    }
}

/// Whether the names in a formula are those of its objects at a head.
fn is_in_scope(program: &Program, function: FunctionId, head: &SourceHead, held: &Held) -> bool {
    let Some(body) = &program.functions[function].body else {
        return false;
    };
    held.cells.iter().all(|cell| {
        let Some((name, _)) = object(program, cell.base) else {
            return false;
        };
        let mut innermost = head.in_scope.iter().rev();
        let named = innermost.find(|&&local| body.locals[local].name.as_deref() == Some(name));
        match cell.base {
            Base::Local(_, local) => named == Some(&local),
            Base::Global(_) => named.is_none(),
        }
    })
}
