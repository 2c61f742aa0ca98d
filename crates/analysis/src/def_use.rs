//! Which values of variables reach which uses (Rapps and Weyuker 1985, "Selecting software test data
//! using data flow information").

use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use ir::{
    Block, Body, ControlFlow, Local, LocalKind, Operand, Rvalue, SpanId, StatementKind, Terminator,
};

use crate::data_flow::{Direction, Problem, solve};
use crate::liveness::read_at;

/// A place where a variable gets a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The variable.
    pub variable: Local,
    /// The block, and the position of the statement in it, or the number of statements for a call at
    /// its end; `None` for the value that a parameter is passed.
    pub at: Option<(Block, usize)>,
    /// Where that stands in the source.
    pub span: Option<SpanId>,
    /// Whether it is the result of a call.
    pub is_result: bool,
}

/// A place where the value of a variable is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The variable.
    pub variable: Local,
    /// The block.
    pub block: Block,
    /// The position of the statement, or the number of statements for the end of the block.
    pub at: usize,
    /// Where it stands in the source.
    pub span: SpanId,
}

/// The definitions of a body, and its uses, each with the definitions that reach it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefUse {
    /// The definitions.
    pub definitions: Vec<Definition>,
    /// The uses, by block and position, with the positions of definitions in that list.
    pub uses: Vec<(Usage, Vec<usize>)>,
}

/// The definitions and uses of the variables of the source that are only read and written as a whole,
/// by name, as `is_register` says.
pub fn def_use(body: &Body, is_register: impl Fn(Local) -> bool) -> DefUse {
    let is_variable = |local: &Local| {
        let decl = &body.locals[*local];
        decl.kind != LocalKind::Temporary && decl.name.is_some() && is_register(*local)
    };
    let variables = body.locals.indices().filter(is_variable);
    let variables: FixedBitSet = variables.map(|local| local.index()).collect();
    let reaching = Reaching {
        body,
        definitions: definitions(body, &variables),
    };
    let flow = ControlFlow::new(body);
    let ends = solve(&flow, &reaching);
    let mut uses = Vec::new();
    for (block, data) in body.blocks.iter_enumerated() {
        let mut fact = reaching.entry(block);
        for &before in flow.predecessors(block) {
            fact.union_with(&ends[before]);
        }
        for at in 0..=data.statements.len() {
            let mut read = read_at(data, at);
            read.intersect_with(&variables);
            for variable in read.ones().map(Local::from_usize) {
                let is_of = |&id: &usize| reaching.definitions[id].variable == variable;
                let usage = Usage {
                    variable,
                    block,
                    at,
                    span: data.statements.get(at).map_or(data.span, |it| it.span),
                };
                uses.push((usage, fact.ones().filter(is_of).collect()));
            }
            reaching.step(block, at, &mut fact);
        }
    }
    DefUse {
        definitions: reaching.definitions,
        uses,
    }
}

fn definitions(body: &Body, variables: &FixedBitSet) -> Vec<Definition> {
    let is_variable = |local: &Local| variables.contains(local.index());
    let parameters = variables.ones().map(Local::from_usize);
    let parameters = parameters.filter(|&it| body.locals[it].kind == LocalKind::Parameter);
    let mut found: Vec<Definition> = parameters
        .map(|variable| Definition {
            variable,
            at: None,
            span: None,
            is_result: false,
        })
        .collect();
    let results = results(body);
    for (block, data) in body.blocks.iter_enumerated() {
        for (at, statement) in data.statements.iter().enumerate() {
            if let StatementKind::Assign(place, value) = &statement.kind
                && let Some(variable) = place.as_local().filter(is_variable)
            {
                found.push(Definition {
                    variable,
                    at: Some((block, at)),
                    span: Some(statement.span),
                    is_result: copied(value).is_some_and(|local| results.contains(local.index())),
                });
            }
        }
        if let Terminator::Call { destination, .. } = &data.terminator
            && let Some(place) = destination
            && let Some(variable) = place.as_local().filter(is_variable)
        {
            found.push(Definition {
                variable,
                at: Some((block, data.statements.len())),
                span: Some(data.span),
                is_result: true,
            });
        }
    }
    found
}

/// The temporaries that hold nothing but results of calls, converted or not.
fn results(body: &Body) -> FixedBitSet {
    let mut results = FixedBitSet::with_capacity(body.locals.len());
    let calls = body
        .blocks
        .iter()
        .filter_map(|data| match &data.terminator {
            Terminator::Call { destination, .. } => destination.as_ref()?.as_local(),
            _ => None,
        });
    results.extend(calls.map(|local| local.index()));
    let mut others: IndexVec<Local, bool> = body.locals.iter().map(|_| false).collect();
    let statements = body.blocks.iter().flat_map(|data| &data.statements);
    for statement in statements {
        if let StatementKind::Assign(place, value) = &statement.kind
            && let Some(local) = place.as_local()
        {
            let is_result = copied(value).is_some_and(|from| results.contains(from.index()));
            match is_result {
                true => results.insert(local.index()),
                false => others[local] = true,
            }
        }
    }
    let is_temporary = |local: Local| body.locals[local].kind == LocalKind::Temporary;
    let kept = results.ones().map(Local::from_usize);
    let kept = kept.filter(|&local| is_temporary(local) && !others[local]);
    kept.map(|local| local.index()).collect()
}

/// The local whose value this is, converted or not.
fn copied(value: &Rvalue) -> Option<Local> {
    match value {
        Rvalue::Use(Operand::Copy(local)) | Rvalue::Cast(_, Operand::Copy(local), _) => {
            Some(*local)
        }
        _ => None,
    }
}

/// The definitions that reach a place without another one of the variable in between.
struct Reaching<'b> {
    body: &'b Body,
    definitions: Vec<Definition>,
}

impl Reaching<'_> {
    /// What reaches a block from outside the function.
    fn entry(&self, block: Block) -> FixedBitSet {
        let mut fact = self.bottom();
        if block.index() == 0 {
            let all = self.definitions.iter().enumerate();
            let passed = all.filter(|(_, definition)| definition.at.is_none());
            fact.extend(passed.map(|(id, _)| id));
        }
        fact
    }

    /// Goes on past a statement, or past the end of a block.
    fn step(&self, block: Block, at: usize, fact: &mut FixedBitSet) {
        let statement = self.body.blocks[block].statements.get(at);
        if let Some(StatementKind::StorageLive(local)) = statement.map(|it| &it.kind) {
            self.forget(*local, fact);
        }
        let mut definitions = self.definitions.iter();
        if let Some(id) = definitions.position(|it| it.at == Some((block, at))) {
            self.forget(self.definitions[id].variable, fact);
            fact.insert(id);
        }
    }

    fn forget(&self, variable: Local, fact: &mut FixedBitSet) {
        for (id, definition) in self.definitions.iter().enumerate() {
            if definition.variable == variable {
                fact.set(id, false);
            }
        }
    }
}

impl Problem for Reaching<'_> {
    type Fact = FixedBitSet;

    const DIRECTION: Direction = Direction::Forward;

    fn bottom(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.definitions.len())
    }

    fn join(&self, fact: &mut FixedBitSet, other: &FixedBitSet) {
        fact.union_with(other);
    }

    fn transfer(&self, block: Block, mut fact: FixedBitSet) -> FixedBitSet {
        fact.union_with(&self.entry(block));
        for at in 0..=self.body.blocks[block].statements.len() {
            self.step(block, at, &mut fact);
        }
        fact
    }
}

#[cfg(test)]
mod tests {
    use super::def_use;

    /// Lines such as `x: entry, bb1.0 -> bb2.0`.
    fn told(text: &str) -> Vec<String> {
        let program = ir::text::parse(text).expect("a program");
        let body = program.functions.iter().find_map(|it| it.body.as_ref());
        let body = body.expect("a body");
        let found = def_use(body, |local| !body.locals[local].address_taken);
        let told = found.uses.iter().map(|(usage, reaching)| {
            let from = reaching.iter().map(|&id| match found.definitions[id] {
                super::Definition { at: None, .. } => "entry".to_owned(),
                super::Definition {
                    at: Some((block, at)),
                    is_result,
                    ..
                } => {
                    format!("{block}.{at}{}", if is_result { " call" } else { "" })
                }
            });
            let name = body.locals[usage.variable].name.as_deref().unwrap_or("");
            let from: Vec<String> = from.collect();
            format!(
                "{name}: {} -> {}.{}",
                from.join(", "),
                usage.block,
                usage.at
            )
        });
        told.collect()
    }

    #[test]
    fn a_definition_reaches_uses_up_to_the_next_one() {
        let text = "fn f(_0 n: int) -> int {\n _1 x: int\n _2: int\n bb0: _1 = 0; goto bb1\n \
                    bb1: branch _0 ? bb2 : bb3\n \
                    bb2: _1 = add _1, 1; _0 = sub _0, 1; goto bb1\n bb3: return _1\n}";
        assert_eq!(
            told(text),
            [
                "n: entry, bb2.1 -> bb1.0",
                "x: bb0.0, bb2.0 -> bb2.0",
                "n: entry, bb2.1 -> bb2.1",
                "x: bb0.0, bb2.0 -> bb3.0",
            ]
        );
    }

    #[test]
    fn results_of_calls_are_told() {
        let text = "fn g() -> int\nfn f() -> int {\n _0 x: int\n _1: int\n \
                    bb0: _1 = call @g() -> bb1\n bb1: _0 = _1; return _0\n}";
        assert_eq!(told(text), ["x: bb1.0 call -> bb1.1"]);
    }
}
