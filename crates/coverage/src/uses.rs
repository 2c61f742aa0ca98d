//! Definitions of variables and the uses that they reach, as labels (Rapps and Weyuker 1985, "Selecting
//! software test data using data flow information").
//!
//! A variable of the source that is only read and written by name gets a ghost variable beside it, which
//! holds the number of the definition that gave it its value. A use gets a label for each definition
//! that reaches it without another one in between.
//!
//! ```text
//! x = a;                x = a;  ghost = 1;
//! if (a > 3)        ⇒   if (a > 3)
//!     x = g();              { x = g();  ghost = 2; }
//! return x;             branch ghost == 1 ? next : next;   next: branch ghost == 2 ? …
//!                       …  return x;
//! ```

use std::collections::BTreeMap;

use analysis::{DefUse, Usage};
use ir::{
    BinaryOp, Block, BlockData, Body, Constant, ConstantValue, ControlFlow, CoverageLabel,
    CoverageLabelKind, Local, LocalDecl, LocalKind, Operand, Place, PlaceBase, Program, Rvalue,
    SpanId, Statement, StatementKind, Terminator, TypeId, Types,
};

use crate::Criteria;
use crate::label_code::Code;
use crate::labels::{each_body_of_user, split_with_label};

/// Adds labels to the uses of variables in the user's functions, if criteria ask for these.
pub(crate) fn add_uses(program: &mut Program, criteria: &Criteria) {
    let asks_for_all = criteria.ask_for_uses();
    if !asks_for_all && !criteria.ask_for_call_pairs() {
        return;
    }
    each_body_of_user(program, |body, types, _| {
        let is_register = |local: Local| {
            let decl = &body.locals[local];
            !decl.address_taken && types.is_scalar(decl.ty)
        };
        let mut found = analysis::def_use(body, is_register);
        if !asks_for_all {
            let definitions = &found.definitions;
            let uses = found.uses.iter_mut();
            uses.for_each(|(_, from)| from.retain(|&id| definitions[id].is_result));
        }
        Writer::new(&found, body, types).write();
    });
}

/// What is to be added at a place.
#[derive(Clone, Copy)]
enum Addition<'a> {
    /// Behind it, a ghost variable gets a number; 0 where the variable has no value.
    Definition(Local, usize),
    /// Before it, there are labels for definitions.
    Labels(&'a Usage, &'a [usize]),
}

struct Writer<'a> {
    found: &'a DefUse,
    body: &'a mut Body,
    types: &'a mut Types,
    /// The type of ghost variables.
    int: TypeId,
    /// The ghost variable of each variable with a use that labels ask for.
    ghosts: BTreeMap<Local, Local>,
}

impl<'a> Writer<'a> {
    fn new(found: &'a DefUse, body: &'a mut Body, types: &'a mut Types) -> Writer<'a> {
        let int = Code::new(body, types, SpanId::from_usize(0)).int();
        let mut ghosts = BTreeMap::new();
        for (usage, from) in &found.uses {
            if !from.is_empty() {
                ghosts.entry(usage.variable).or_insert_with(|| {
                    body.locals.push(LocalDecl {
                        name: None,
                        ty: int,
                        kind: LocalKind::Variable,
                        constant: false,
                        address_taken: false,
                        volatile: false,
                    })
                });
            }
        }
        Writer {
            found,
            body,
            types,
            int,
            ghosts,
        }
    }

    fn write(mut self) {
        if self.ghosts.is_empty() {
            return;
        }
        let mut additions: BTreeMap<Block, Vec<(usize, Addition<'a>)>> = BTreeMap::new();
        for (usage, from) in self.found.uses.iter().filter(|(_, from)| !from.is_empty()) {
            let labels = Addition::Labels(usage, from);
            additions
                .entry(usage.block)
                .or_default()
                .push((usage.at, labels));
        }
        for (id, definition) in self.found.definitions.iter().enumerate() {
            if let (Some((block, at)), Some(&ghost)) =
                (definition.at, self.ghosts.get(&definition.variable))
            {
                let number = Addition::Definition(ghost, id + 1);
                additions.entry(block).or_default().push((at, number));
            }
        }
        for (block, data) in self.body.blocks.iter_enumerated() {
            for (at, statement) in data.statements.iter().enumerate() {
                if let StatementKind::StorageLive(local) = statement.kind
                    && let Some(&ghost) = self.ghosts.get(&local)
                {
                    let none = Addition::Definition(ghost, 0);
                    additions.entry(block).or_default().push((at, none));
                }
            }
        }
        for (block, mut all) in additions {
            // Later ones come first: what stands behind a label moves to another block. What a place
            // reads comes before what it writes.
            let is_definition = |it: &Addition<'_>| matches!(it, Addition::Definition(..));
            all.sort_by_key(|(at, it)| std::cmp::Reverse((*at, is_definition(it))));
            for (at, addition) in all {
                match addition {
                    Addition::Definition(ghost, number) => self.define(block, at, (ghost, number)),
                    Addition::Labels(usage, from) => self.label(usage, from),
                }
            }
        }
        self.begin();
    }

    /// Gives the ghost variables what they hold where the function begins. Control never comes back to
    /// the first block.
    fn begin(&mut self) {
        let span = self.body.blocks[Block::from_usize(0)].span;
        debug_assert!(
            ControlFlow::new(self.body)
                .predecessors(Block::from_usize(0))
                .is_empty(),
            "control comes back to the first block"
        );
        let ghosts: Vec<(Local, Local)> = self
            .ghosts
            .iter()
            .map(|(&it, &ghost)| (it, ghost))
            .collect();
        let statements = ghosts.into_iter().map(|(variable, ghost)| {
            let mut definitions = self.found.definitions.iter();
            let passed = definitions.position(|it| it.variable == variable && it.at.is_none());
            self.assign(ghost, passed.map_or(0, |id| id + 1), span)
        });
        let statements: Vec<Statement> = statements.collect();
        let first = &mut self.body.blocks[Block::from_usize(0)].statements;
        first.splice(0..0, statements);
    }

    fn number(&self, number: usize) -> Operand {
        Operand::Constant(Constant {
            ty: self.int,
            value: ConstantValue::Int(number as u128),
        })
    }

    fn assign(&self, ghost: Local, number: usize, span: SpanId) -> Statement {
        let place = Place {
            base: PlaceBase::Local(ghost),
            projections: Vec::new(),
            ty: self.int,
        };
        Statement {
            kind: StatementKind::Assign(place, Rvalue::Use(self.number(number))),
            span,
            operation: None,
        }
    }

    /// Gives a ghost variable a number behind a statement, or behind the call that ends a block.
    fn define(&mut self, block: Block, at: usize, (ghost, number): (Local, usize)) {
        let data = &self.body.blocks[block];
        if let Some(statement) = data.statements.get(at) {
            let assign = self.assign(ghost, number, statement.span);
            self.body.blocks[block].statements.insert(at + 1, assign);
            return;
        }
        let span = data.span;
        let assign = self.assign(ghost, number, span);
        let next = self.body.blocks.next_idx();
        let Terminator::Call { next: behind, .. } = &mut self.body.blocks[block].terminator else {
            return;
        };
        let Some(back) = behind.replace(next) else {
            *behind = None;
            return;
        };
        self.body.blocks.push(BlockData {
            statements: vec![assign],
            terminator: Terminator::Goto(back),
            span,
        });
        for region in &mut self.body.regions {
            if region.blocks.contains(&block) {
                region.blocks.push(next);
            }
        }
    }

    /// Adds labels before a statement, or before what ends a block.
    fn label(&mut self, usage: &Usage, from: &[usize]) {
        let Some(&ghost) = self.ghosts.get(&usage.variable) else {
            return;
        };
        let numbers: Vec<Operand> = from.iter().map(|&id| self.number(id + 1)).collect();
        let mut code = Code::new(self.body, self.types, usage.span);
        let holds: Vec<Operand> = numbers
            .into_iter()
            .map(|number| code.binary(BinaryOp::Eq, Operand::Copy(ghost), number, self.int))
            .collect();
        let added = code.statements;
        let mut end = (usage.block, usage.at + added.len());
        let statements = &mut self.body.blocks[usage.block].statements;
        statements.splice(usage.at..usage.at, added);
        for (&id, operand) in from.iter().zip(holds) {
            let block = end.0;
            end = (split_with_label(self.body, block, end.1, operand), 0);
            let definition = &self.found.definitions[id];
            let name = self.body.locals[usage.variable].name.clone();
            self.body.coverage_labels.push(CoverageLabel {
                kind: CoverageLabelKind::Use {
                    name: name.unwrap_or_default(),
                    definition: definition.span,
                    usage: usage.span,
                    is_result: definition.is_result,
                },
                block,
            });
        }
    }
}
