//! Reads the texts of conditions again, as C code at their places, and keeps those that mean the same.
//!
//! ```text
//! while (c)       while (__attest_at(0), __attest_said(0, i <= n), c)
//! ```
//!
//! Clang says what the names in the text are there, and what its operators mean. The term of the code
//! has to equal the one of the proof for all values, and C has to define it for all.

use std::collections::{BTreeMap, BTreeSet};

use expr::{Model, Term};
use ir::{
    Block, Body, Callee, ConstantValue, FunctionId, GlobalId, Local, LocalKind, Operand, Place,
    PlaceBase, Program, Projection, StatementKind, Terminator, Type, Types,
};
use semantics::{Code, Source as Values};
use solver::{Answer, Query, Sat, Solver};

use checker::Formulas;

use crate::cells::{Base, Cell, Cells};
use crate::conditions::{Condition, Gathered};
use crate::source::{Spot, edited};

/// The functions that are called around the texts.
const AT: &str = "__attest_at";
const SAID: &str = "__attest_said";

/// The declarations of these functions.
pub const DECLARATIONS: &str = "void __attest_at(int); void __attest_said(int, int);\n";

/// How many blocks are executed for one text.
const STEPS: usize = 2_000;

/// The conflicts that the solver may spend on one text.
const CONFLICTS: u64 = 20_000;

/// The text of the file with calls around the texts of some conditions, by their numbers.
pub fn marked(text: &str, gathered: &Gathered, numbers: &[usize]) -> String {
    let mut by_spot: BTreeMap<Spot, Vec<String>> = BTreeMap::new();
    for &number in numbers {
        let Some(condition) = gathered.conditions.get(number) else {
            continue;
        };
        let expressions = by_spot.entry(condition.spot).or_default();
        expressions.push(format!("{AT}({number})"));
        expressions.push(format!("{SAID}({number}, {})", condition.text));
    }
    let pieces = by_spot.iter().map(|(spot, all)| spot.code(all));
    edited(text, &pieces.collect::<Vec<_>>())
}

/// Which of some conditions, by their numbers, the code of the marked text says at their places.
pub fn kept(
    original: &Program,
    program: &Program,
    gathered: &mut Gathered,
    numbers: &[usize],
) -> Vec<usize> {
    let conditions = gathered.conditions.clone();
    let known = numbers.iter().copied();
    let known = known.filter_map(|number| Some((number, conditions.get(number)?)));
    let mut kept = Vec::new();
    for (number, condition) in known {
        let mut reading = Reading {
            program,
            naming: Naming {
                original,
                program,
                function: condition.function,
            },
            formulas: &mut gathered.formulas,
            cells: &mut gathered.cells,
        };
        if reading.is_said(number as u128, condition) == Some(true) {
            kept.push(number);
        }
    }
    kept
}

struct Reading<'a> {
    program: &'a Program,
    naming: Naming<'a>,
    formulas: &'a mut Formulas,
    cells: &'a mut Cells,
}

/// How the objects of the marked program are called in the original one.
#[derive(Clone, Copy)]
struct Naming<'a> {
    original: &'a Program,
    program: &'a Program,
    /// The function of the condition, in the original program.
    function: FunctionId,
}

/// What is known on one way through the code of a text.
#[derive(Clone)]
struct Way {
    block: Block,
    temporaries: BTreeMap<Local, Term>,
    taken: Term,
}

/// What the code of a text evaluates to.
struct Said {
    holds: Term,
    undefined: Term,
}

impl Reading<'_> {
    /// Whether the code means what the condition says; `None` if that cannot be told.
    fn is_said(&mut self, number: u128, condition: &Condition) -> Option<bool> {
        let naming = self.naming;
        let name = &naming.original.functions[naming.function].name;
        let mut same = self.program.functions.iter();
        let function = same.find(|it| it.name == *name && it.body.is_some())?;
        let body = function.body.as_ref()?;
        let first = self.call(body, AT, number)?;
        let head = body.heads.get(condition.head)?;
        self.comes_first(body, head.block, first).then_some(())?;
        let said = self.evaluate(body, number, first)?;
        let differs = {
            let formulas = &mut *self.formulas;
            let (a, b) = (said.holds, condition.holds);
            let (not_a, not_b) = (formulas.negated(a), formulas.negated(b));
            let (only_a, only_b) = (formulas.both(a, not_b), formulas.both(not_a, b));
            let differs = formulas.either(only_a, only_b);
            formulas.either(differs, said.undefined)
        };
        let mut sat = Sat::new(CONFLICTS);
        let none = Model::default();
        let constraints = [differs];
        let query = Query::new(&constraints, &none);
        Some(matches!(
            sat.check(&mut self.formulas.terms, &query),
            Answer::Unsat(_)
        ))
    }

    /// The block that ends in a call with a number.
    fn call(&self, body: &Body, name: &str, number: u128) -> Option<Block> {
        let mut blocks = body.blocks.indices();
        blocks.find(|&block| self.is_call(body, block, name, number))
    }

    fn is_call(&self, body: &Body, block: Block, name: &str, number: u128) -> bool {
        let numbered = self.numbered(body, block, name);
        numbered.is_some_and(|(found, _)| found == number)
    }

    /// The number with which one of the functions is called at the end of a block, and the arguments.
    fn numbered<'b>(
        &self,
        body: &'b Body,
        block: Block,
        name: &str,
    ) -> Option<(u128, &'b [Operand])> {
        let Terminator::Call {
            callee: Callee::Direct(callee),
            arguments,
            ..
        } = &body.blocks[block].terminator
        else {
            return None;
        };
        let is_named = self.program.functions[*callee].name == name;
        match arguments.first()? {
            Operand::Constant(constant) if is_named => match constant.value {
                ConstantValue::Int(number) => Some((number, arguments)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether control goes from a head to a call without executing anything but other texts.
    fn comes_first(&self, body: &Body, head: Block, call: Block) -> bool {
        let mut open = vec![(head, None)];
        let mut seen = BTreeSet::new();
        while let Some((block, inside)) = open.pop() {
            let data = &body.blocks[block];
            let is_empty = data.statements.is_empty();
            if block == call && inside.is_none() {
                return is_empty;
            }
            if !seen.insert((block, inside)) {
                continue;
            }
            let at = self.numbered(body, block, AT).map(|(number, _)| number);
            let said = self.numbered(body, block, SAID).map(|(number, _)| number);
            let is_jump = matches!(
                data.terminator,
                Terminator::Goto(_) | Terminator::Branch { .. }
            );
            let next = match inside {
                None if is_empty && at.is_some() => at,
                None if is_empty && matches!(data.terminator, Terminator::Goto(_)) => None,
                Some(number) if said == Some(number) => None,
                Some(number) if is_jump => Some(number),
                _ => continue,
            };
            let successors = data.terminator.successors().into_iter();
            open.extend(successors.map(|block| (block, next)));
        }
        false
    }

    /// What the text between the calls with a number says.
    fn evaluate(&mut self, body: &Body, number: u128, at: Block) -> Option<Said> {
        let no = self.formulas.bool(false);
        let mut said = Said {
            holds: no,
            undefined: no,
        };
        let mut open = vec![Way {
            block: body.blocks[at].terminator.successor(0)?,
            temporaries: BTreeMap::new(),
            taken: self.formulas.bool(true),
        }];
        let mut left = STEPS;
        while let Some(mut way) = open.pop() {
            left = left.checked_sub(1)?;
            self.execute(body, &mut way, &mut said)?;
            let code = Code::new(self.program, body);
            if self.is_call(body, way.block, SAID, number) {
                let (_, arguments) = self.numbered(body, way.block, SAID)?;
                let mut values = memory(self.naming, body, self.cells, &way);
                let value = code.operand(self.formulas, &mut values, arguments.get(1)?)?;
                let zero = self.formulas.constant(self.formulas.terms.width(value), 0);
                let is_zero = self.formulas.eq(value, zero);
                let holds = self.formulas.negated(is_zero);
                let here = self.formulas.both(way.taken, holds);
                said.holds = self.formulas.either(said.holds, here);
                continue;
            }
            let terminator = &body.blocks[way.block].terminator;
            let mut values = memory(self.naming, body, self.cells, &way);
            let edges = code.edges(self.formulas, &mut values, terminator)?;
            for (edge, block) in edges.into_iter().zip(terminator.successors()) {
                open.push(Way {
                    block,
                    temporaries: way.temporaries.clone(),
                    taken: self.formulas.both(way.taken, edge),
                });
            }
        }
        Some(said)
    }

    /// Executes the statements of a block, which only compute temporaries.
    fn execute(&mut self, body: &Body, way: &mut Way, said: &mut Said) -> Option<()> {
        let code = Code::new(self.program, body);
        for statement in &body.blocks[way.block].statements {
            let StatementKind::Assign(place, value) = &statement.kind else {
                return None;
            };
            let local = place.as_local()?;
            (body.locals[local].kind == LocalKind::Temporary).then_some(())?;
            let mut values = memory(self.naming, body, self.cells, way);
            let evaluated = code.rvalue(self.formulas, &mut values, value)?;
            for (_, defined) in evaluated.requirements {
                let broken = self.formulas.negated(defined);
                let here = self.formulas.both(way.taken, broken);
                said.undefined = self.formulas.either(said.undefined, here);
            }
            way.temporaries.insert(local, evaluated.value);
        }
        Some(())
    }
}

/// What the code of a text reads.
struct Memory<'a> {
    naming: Naming<'a>,
    body: &'a Body,
    cells: &'a mut Cells,
    temporaries: &'a BTreeMap<Local, Term>,
}

fn memory<'a>(
    naming: Naming<'a>,
    body: &'a Body,
    cells: &'a mut Cells,
    way: &'a Way,
) -> Memory<'a> {
    Memory {
        naming,
        body,
        cells,
        temporaries: &way.temporaries,
    }
}

impl Values<Formulas> for Memory<'_> {
    fn local(&mut self, formulas: &mut Formulas, local: Local) -> Option<Term> {
        let decl = &self.body.locals[local];
        if decl.kind == LocalKind::Temporary {
            return self.temporaries.get(&local).copied();
        }
        let cell = Cell {
            base: Base::Local(self.naming.function, local),
            offset: 0,
            width: width(&self.naming.program.types, decl.ty)?,
        };
        (!decl.volatile).then(|| self.cells.term(formulas, cell))
    }

    fn load(&mut self, formulas: &mut Formulas, place: &Place) -> Option<Term> {
        let types = &self.naming.program.types;
        let cell = Cell {
            base: self.naming.base(&place.base, self.body)?,
            offset: self.naming.offset(place, self.body)?,
            width: width(types, place.ty)?,
        };
        Some(self.cells.term(formulas, cell))
    }
}

impl Naming<'_> {
    fn base(self, base: &PlaceBase, body: &Body) -> Option<Base> {
        match base {
            PlaceBase::Local(local) => {
                let is_volatile = body.locals[*local].volatile;
                (!is_volatile).then_some(Base::Local(self.function, *local))
            }
            PlaceBase::Global(global) => {
                let data = self.program.globals.get(*global)?;
                let mut globals = self.original.globals.iter_enumerated();
                let same = globals.find(|(_, it)| it.name == data.name && it.kind == data.kind);
                let id: GlobalId = same.filter(|(_, it)| !it.volatile)?.0;
                Some(Base::Global(id))
            }
            PlaceBase::Deref(_) => None,
        }
    }

    /// Where a place begins in its object, in bits, if its path is constant.
    fn offset(self, place: &Place, body: &Body) -> Option<u64> {
        let types = &self.program.types;
        let mut ty = match place.base {
            PlaceBase::Local(local) => body.locals[local].ty,
            PlaceBase::Global(global) => self.program.globals[global].ty,
            PlaceBase::Deref(_) => return None,
        };
        let mut offset = 0;
        for projection in &place.projections {
            let (at, part) = match projection {
                Projection::Field(number) => {
                    let field = types.record(ty)?.fields.get(*number as usize)?;
                    let is_whole = field.bit_width.is_none() && !field.volatile;
                    (is_whole.then_some(field.offset_bits)?, field.ty)
                }
                Projection::Index(Operand::Constant(constant)) => {
                    let Type::Array { element, length } = types.kind(ty) else {
                        return None;
                    };
                    let ConstantValue::Int(index) = constant.value else {
                        return None;
                    };
                    let is_inside = length.is_some_and(|length| index < u128::from(length));
                    let index = u64::try_from(index).ok().filter(|_| is_inside)?;
                    (index.checked_mul(types.size(*element) * 8)?, *element)
                }
                Projection::Index(Operand::Copy(_)) => return None,
            };
            offset += at;
            ty = part;
        }
        Some(offset)
    }
}

/// How many bits a scalar has; `None` if it is no integer and no pointer.
fn width(types: &Types, ty: ir::TypeId) -> Option<u32> {
    match (types.int(ty), types.kind(ty)) {
        (Some(int), _) => Some(int.width),
        (None, Type::Pointer { .. }) => Some(types.size(ty) as u32 * 8),
        _ => None,
    }
}
