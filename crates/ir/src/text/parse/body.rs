//! Reads the bodies of functions.

use std::collections::BTreeMap;

use super::super::lexer::Token;
use super::super::{defaults, names};
use super::items::{at_span, optional_span, span};
use super::labels::{coverage_label, operation};
use super::resolve::Resolver;
use super::{Cursor, ParseError, types};
use crate::text::print::implied_conditions;
use crate::{
    Block, BlockData, Body, BranchTag, Callee, Condition, ConditionId, Decision, DecisionId,
    DecisionKind, Fold, Formula, FunctionId, Local, LocalDecl, LocalKind, OperationId, Place,
    RegionId, SourceHead, SourceRegion, SourceStatement, SpanId, Statement, StatementKind,
    SwitchArm, SwitchSide, Terminator, TypeId, Typing,
};

/// A body while it is read.
pub(super) struct BodyParser<'r> {
    pub resolver: &'r mut Resolver,
    function: FunctionId,
    body: Body,
    conditions: BTreeMap<ConditionId, Condition>,
    /// Switches whose sides are not written.
    open_switches: Vec<DecisionId>,
}

/// Reads the body of a function, whose `{` is next, and attaches it.
pub(super) fn body(resolver: &mut Resolver, function: FunctionId) -> Result<(), ParseError> {
    let mut parser = BodyParser {
        resolver,
        function,
        body: Body::default(),
        conditions: BTreeMap::new(),
        open_switches: Vec::new(),
    };
    parser.resolver.cursor.expect("{")?;
    parser.parameters();
    parser.tables()?;
    parser.conditions()?;
    parser.blocks()?;
    parser.finish();
    let body = parser.body;
    resolver.program.functions[function].body = Some(body);
    Ok(())
}

impl BodyParser<'_> {
    pub fn typing(&self) -> Typing<'_> {
        Typing {
            types: &self.resolver.program.types,
            globals: &self.resolver.program.globals,
            locals: &self.body.locals,
        }
    }

    /// The locals that the parameter list declares.
    fn parameters(&mut self) {
        let program = &self.resolver.program;
        let function = &program.functions[self.function];
        let ty = defaults::function_type(function.ty, &program.types);
        let types = ty.map_or(&[][..], |ty| &ty.parameters);
        for (parameter, ty) in function.parameters.iter().zip(types) {
            self.body.locals.push(LocalDecl {
                name: parameter.name.clone(),
                ty: *ty,
                kind: LocalKind::Parameter,
                constant: false,
                address_taken: false,
                volatile: false,
            });
        }
    }

    /// Everything before the blocks.
    fn tables(&mut self) -> Result<(), ParseError> {
        let mut no_spans = false;
        loop {
            let cursor = &mut self.resolver.cursor;
            while cursor.accept(";") {}
            if cursor.peek_id("_").is_some() {
                self.local()?;
            } else if cursor.accept_word("spans") {
                cursor.expect_word("none")?;
                no_spans = true;
            } else if cursor.peek_id("at").is_some() {
                cursor.next_id("at", self.body.spans.len())?;
                let span = span(cursor)?;
                self.body.spans.push(span);
            } else if cursor.peek_id("d").is_some() {
                cursor.next_id("d", self.body.decisions.len())?;
                let decision = self.decision()?;
                self.body.decisions.push(decision);
            } else if let Some(id) = cursor.accept_id("c") {
                cursor.expect_word("of")?;
                let decision = DecisionId::from_raw(cursor.id("d")?);
                let span = optional_span(cursor)?;
                let mut operands = None;
                if cursor.accept("<") {
                    operands = Some([optional_span(cursor)?, {
                        cursor.expect(",")?;
                        optional_span(cursor)?
                    }]);
                    cursor.expect(">")?;
                }
                let condition = Condition {
                    decision,
                    span,
                    operands,
                };
                self.conditions.insert(ConditionId::from_raw(id), condition);
            } else if cursor.accept_word("fold") {
                let fold = fold(cursor)?;
                self.body.folds.push(fold);
            } else if cursor.peek_id("s").is_some() {
                cursor.next_id("s", self.body.source_statements.len())?;
                cursor.expect_word("in")?;
                let block = Block::from_raw(cursor.id("bb")?);
                let span = optional_span(cursor)?;
                let statement = SourceStatement { span, block };
                self.body.source_statements.push(statement);
            } else if cursor.accept_word("head") {
                let head = self.head()?;
                self.body.heads.push(head);
            } else if cursor.peek_id("r").is_some() {
                cursor.next_id("r", self.body.regions.len())?;
                let region = region(cursor)?;
                self.body.regions.push(region);
            } else if cursor.peek_id("l").is_some() {
                cursor.next_id("l", self.body.coverage_labels.len())?;
                let label = coverage_label(cursor)?;
                self.body.coverage_labels.push(label);
            } else if cursor.peek_id("op").is_some() {
                cursor.next_id("op", self.body.operations.len())?;
                let operation = operation(cursor)?;
                self.body.operations.push(operation);
            } else if cursor.accept_word("copy") {
                let copy = Block::from_raw(cursor.id("bb")?);
                cursor.expect_word("of")?;
                let of = Block::from_raw(cursor.id("bb")?);
                self.body.copies.insert(copy, of);
            } else {
                break;
            }
        }
        if self.body.spans.is_empty() && !no_spans {
            self.body.spans.push(defaults::span());
        }
        Ok(())
    }

    fn local(&mut self) -> Result<(), ParseError> {
        let cursor = &mut self.resolver.cursor;
        let position = cursor.position();
        let id = Local::from_raw(cursor.id("_")?);
        if id.index() > self.body.locals.len() {
            let expected = format!("`_{}`", self.body.locals.len());
            return cursor.error_at(position, &expected);
        }
        let name = if cursor.at_symbol(":") {
            None
        } else {
            Some(cursor.name()?)
        };
        cursor.expect(":")?;
        let tree = types::ty(cursor)?;
        let ty = self.resolver.ty(&tree)?;
        let cursor = &mut self.resolver.cursor;
        let kind = if cursor.accept_word("param") {
            LocalKind::Parameter
        } else if cursor.accept_word("var") || (name.is_some() && !cursor.at_word("temp")) {
            LocalKind::Variable
        } else {
            cursor.accept_word("temp");
            LocalKind::Temporary
        };
        let local = LocalDecl {
            name,
            ty,
            kind,
            constant: cursor.accept_word("const"),
            address_taken: cursor.accept_word("taken"),
            volatile: cursor.accept_word("volatile"),
        };
        match self.body.locals.get_mut(id) {
            Some(parameter) => *parameter = local,
            None => {
                self.body.locals.push(local);
            }
        }
        Ok(())
    }

    fn head(&mut self) -> Result<SourceHead, ParseError> {
        let Some(kind) = self.resolver.accept_word_of(&names::HEADS) else {
            let expected = "the kind of a head: `while`, `do`, `for` or `label`";
            return self.resolver.cursor.error(expected);
        };
        let cursor = &mut self.resolver.cursor;
        cursor.expect_word("in")?;
        let block = Block::from_raw(cursor.id("bb")?);
        let span = optional_span(cursor)?;
        cursor.expect("[")?;
        let in_scope = cursor.list("]", |cursor| Ok(Local::from_raw(cursor.id("_")?)))?;
        Ok(SourceHead {
            kind,
            span,
            block,
            in_scope,
        })
    }

    fn decision(&mut self) -> Result<Decision, ParseError> {
        let Some(kind) = self.resolver.accept_word_of(&names::DECISIONS) else {
            let expected = "the kind of a decision: `if`, `while`, `switch`, …";
            return self.resolver.cursor.error(expected);
        };
        let cursor = &mut self.resolver.cursor;
        let may_be_left = cursor.accept_word("left");
        let span = optional_span(cursor)?;
        let switch = kind == DecisionKind::Switch;
        let formula = if cursor.accept("=") {
            cursor.nested(disjunction)?
        } else if switch {
            Formula::Constant(true)
        } else {
            return cursor.error("`=` and the formula of the decision");
        };
        let mut sides = Vec::new();
        if cursor.accept("{") {
            sides = cursor.list("}", |cursor| {
                let mut values = None;
                if !cursor.accept_word("else") {
                    let low = cursor.signed()?;
                    let high = if cursor.accept("..") {
                        cursor.signed()?
                    } else {
                        low
                    };
                    values = Some((low, high));
                }
                let names = match cursor.peek() {
                    Token::Quoted(_) => Some((cursor.string()?, cursor.string()?)),
                    _ => None,
                };
                let span = optional_span(cursor)?;
                Ok(SwitchSide {
                    values,
                    names,
                    span,
                })
            })?;
        } else if switch {
            self.open_switches.push(self.body.decisions.next_idx());
        }
        Ok(Decision {
            kind,
            span,
            formula,
            sides,
            may_be_left,
        })
    }

    /// The conditions: those that are written, and those that a formula mentions.
    fn conditions(&mut self) -> Result<(), ParseError> {
        for (id, decision) in implied_conditions(self.body.decisions.iter_enumerated()) {
            let span = defaults::span();
            let condition = Condition {
                decision,
                span,
                operands: None,
            };
            self.conditions.entry(id).or_insert(condition);
        }
        for (id, condition) in std::mem::take(&mut self.conditions) {
            let next = self.body.conditions.next_idx();
            if id != next {
                let expected = format!("a declaration of `{next}`, as there is a `{id}`");
                return self.resolver.cursor.error(&expected);
            }
            self.body.conditions.push(condition);
        }
        Ok(())
    }

    fn blocks(&mut self) -> Result<(), ParseError> {
        while !self.resolver.cursor.accept("}") {
            self.resolver.cursor.next_id("bb", self.body.blocks.len())?;
            self.resolver.cursor.expect(":")?;
            let block = self.block()?;
            self.body.blocks.push(block);
        }
        Ok(())
    }

    fn block(&mut self) -> Result<BlockData, ParseError> {
        let mut statements = Vec::new();
        loop {
            let step = self.step()?;
            let cursor = &mut self.resolver.cursor;
            let operation = cursor.accept_id("op").map(OperationId::from_raw);
            let span = SpanId::from_raw(cursor.accept_id("at").unwrap_or(0));
            while self.resolver.cursor.accept(";") {}
            match step {
                BlockLine::Statement(kind) => statements.push(Statement {
                    kind,
                    span,
                    operation,
                }),
                BlockLine::Terminator(terminator) => {
                    return Ok(BlockData {
                        statements,
                        terminator,
                        span,
                    });
                }
            }
        }
    }

    fn step(&mut self) -> Result<BlockLine, ParseError> {
        let cursor = &mut self.resolver.cursor;
        if cursor.accept_word("live") {
            let local = Local::from_raw(cursor.id("_")?);
            if !cursor.accept("[") {
                return Ok(BlockLine::Statement(StatementKind::StorageLive(local)));
            }
            let length = self.operand(None)?;
            self.resolver.cursor.expect("]")?;
            let live = StatementKind::StorageLiveArray(local, length);
            return Ok(BlockLine::Statement(live));
        }
        if cursor.accept_word("dead") {
            let local = Local::from_raw(cursor.id("_")?);
            return Ok(BlockLine::Statement(StatementKind::StorageDead(local)));
        }
        let word = cursor.word().unwrap_or_default().to_owned();
        if let Some(terminator) = self.terminator(&word)? {
            return Ok(BlockLine::Terminator(terminator));
        }
        let place = self.place()?;
        self.resolver.cursor.expect("=")?;
        if self.resolver.cursor.accept_word("call") {
            return self.call(Some(place)).map(BlockLine::Terminator);
        }
        let rvalue = self.rvalue(place.ty)?;
        Ok(BlockLine::Statement(StatementKind::Assign(place, rvalue)))
    }

    /// The terminator that starts with a word, if one does.
    fn terminator(&mut self, word: &str) -> Result<Option<Terminator>, ParseError> {
        let cursor = &mut self.resolver.cursor;
        let position = cursor.position();
        cursor.next();
        let terminator = match word {
            "goto" => Terminator::Goto(self.target()?),
            "branch" => self.branch()?,
            "switch" => self.switch()?,
            "call" => self.call(None)?,
            "return" if self.at_operand() => {
                let program = &self.resolver.program;
                let ty = program.functions[self.function].ty;
                let result = defaults::function_type(ty, &program.types).map(|ty| ty.result);
                Terminator::Return(Some(self.operand(result)?))
            }
            "return" => Terminator::Return(None),
            "unreachable" => Terminator::Unreachable,
            "unsupported" => Terminator::Unsupported {
                construct: self.resolver.cursor.string()?,
                next: self.continuations()?,
            },
            _ => {
                self.resolver.cursor.rewind(position);
                return Ok(None);
            }
        };
        Ok(Some(terminator))
    }

    fn target(&mut self) -> Result<Block, ParseError> {
        self.resolver.cursor.id("bb").map(Block::from_raw)
    }

    fn branch(&mut self) -> Result<Terminator, ParseError> {
        let operand = self.operand(None)?;
        self.resolver.cursor.expect("?")?;
        let then = self.target()?;
        self.resolver.cursor.expect(":")?;
        let otherwise = self.target()?;
        let cursor = &mut self.resolver.cursor;
        let mut tag = None;
        if cursor.accept_word("tag") {
            let condition = ConditionId::from_raw(cursor.id("c")?);
            let then_outcome = outcome(cursor)?;
            cursor.expect("/")?;
            tag = Some(BranchTag {
                condition,
                then_outcome,
                otherwise_outcome: outcome(cursor)?,
            });
        }
        Ok(Terminator::Branch {
            operand,
            then,
            otherwise,
            tag,
        })
    }

    fn switch(&mut self) -> Result<Terminator, ParseError> {
        let operand = self.operand(None)?;
        let decision = DecisionId::from_raw(self.resolver.cursor.id("d")?);
        self.resolver.cursor.expect("{")?;
        let mut arms = Vec::new();
        while !self.resolver.cursor.accept_word("else") {
            let low = self.label(&operand)?;
            let high = if self.resolver.cursor.accept("..") {
                self.label(&operand)?
            } else {
                low
            };
            self.resolver.cursor.expect("=>")?;
            let target = self.target()?;
            self.resolver.cursor.expect(",")?;
            arms.push(SwitchArm { low, high, target });
        }
        self.resolver.cursor.expect("=>")?;
        let default = self.target()?;
        self.resolver.cursor.accept(",");
        self.resolver.cursor.expect("}")?;
        Ok(Terminator::Switch {
            operand,
            arms,
            default,
            decision,
        })
    }

    fn call(&mut self, destination: Option<Place>) -> Result<Terminator, ParseError> {
        let callee = if self.resolver.cursor.accept("*") {
            Callee::Indirect(self.operand(None)?)
        } else {
            Callee::Direct(self.resolver.function_reference()?)
        };
        let functions = &self.resolver.program.functions;
        let ty = defaults::callee_type(&callee, functions, &self.typing());
        let parameters: Vec<TypeId> = ty.map_or(Vec::new(), |ty| ty.parameters.clone());
        self.resolver.cursor.expect("(")?;
        let mut arguments = Vec::new();
        while !self.resolver.cursor.accept(")") {
            arguments.push(self.operand(parameters.get(arguments.len()).copied())?);
            if !self.resolver.cursor.accept(",") {
                self.resolver.cursor.expect(")")?;
                break;
            }
        }
        Ok(Terminator::Call {
            callee,
            arguments,
            destination,
            next: self.next()?,
        })
    }

    /// The blocks where the program could go on: `-> bb1, bb2` or `-> never`.
    fn continuations(&mut self) -> Result<Vec<Block>, ParseError> {
        let mut blocks: Vec<Block> = self.next()?.into_iter().collect();
        while !blocks.is_empty() && self.resolver.cursor.accept(",") {
            blocks.push(self.target()?);
        }
        Ok(blocks)
    }

    /// The block where control goes on: `-> bb1` or `-> never`.
    fn next(&mut self) -> Result<Option<Block>, ParseError> {
        self.resolver.cursor.expect("->")?;
        if self.resolver.cursor.accept_word("never") {
            return Ok(None);
        }
        self.target().map(Some)
    }

    /// Fills in the sides of switches that are written without sides.
    fn finish(&mut self) {
        for id in std::mem::take(&mut self.open_switches) {
            let sides = defaults::switch_sides(&self.body, id, &self.typing());
            self.body.decisions[id].sides = sides;
        }
    }
}

/// A line of a block.
enum BlockLine {
    Statement(StatementKind),
    Terminator(Terminator),
}

/// The rest of a line after `fold`: `of d0 in bb1 true not bb2`.
fn fold(cursor: &mut Cursor) -> Result<Fold, ParseError> {
    cursor.expect_word("of")?;
    let decision = DecisionId::from_raw(cursor.id("d")?);
    cursor.expect_word("in")?;
    let block = Block::from_raw(cursor.id("bb")?);
    let outcome = outcome(cursor)?;
    let instead = match cursor.accept_word("not") {
        true => Some(Block::from_raw(cursor.id("bb")?)),
        false => None,
    };
    Ok(Fold {
        decision,
        block,
        outcome,
        instead,
    })
}

fn region(cursor: &mut Cursor) -> Result<SourceRegion, ParseError> {
    let decision = match cursor.accept_word("of") {
        true => Some(DecisionId::from_raw(cursor.id("d")?)),
        false => None,
    };
    let head = match cursor.accept_word("from") {
        true => Some(Block::from_raw(cursor.id("bb")?)),
        false => None,
    };
    let parent = match cursor.accept_word("in") {
        true => Some(RegionId::from_raw(cursor.id("r")?)),
        false => None,
    };
    cursor.expect("[")?;
    let blocks = cursor.list("]", |cursor| Ok(Block::from_raw(cursor.id("bb")?)))?;
    Ok(SourceRegion {
        decision,
        head,
        parent,
        blocks,
    })
}

fn outcome(cursor: &mut Cursor) -> Result<Option<bool>, ParseError> {
    if cursor.accept("-") {
        Ok(None)
    } else if cursor.accept_word("true") {
        Ok(Some(true))
    } else if cursor.accept_word("false") {
        Ok(Some(false))
    } else {
        cursor.error("`true`, `false` or `-`")
    }
}

fn disjunction(cursor: &mut Cursor) -> Result<Formula, ParseError> {
    let mut formula = conjunction(cursor)?;
    while cursor.accept("||") {
        let right = conjunction(cursor)?;
        formula = Formula::Or(Box::new(formula), Box::new(right));
    }
    Ok(formula)
}

fn conjunction(cursor: &mut Cursor) -> Result<Formula, ParseError> {
    let mut formula = literal(cursor)?;
    while cursor.accept("&&") {
        let right = literal(cursor)?;
        formula = Formula::And(Box::new(formula), Box::new(right));
    }
    Ok(formula)
}

fn literal(cursor: &mut Cursor) -> Result<Formula, ParseError> {
    if cursor.accept("!") {
        let inner = cursor.nested(literal)?;
        return Ok(Formula::Not(Box::new(inner)));
    }
    if cursor.accept("(") {
        let inner = cursor.nested(disjunction)?;
        cursor.expect(")")?;
        return Ok(inner);
    }
    if cursor.accept_word("true") {
        return Ok(Formula::Constant(true));
    }
    if cursor.accept_word("false") {
        return Ok(Formula::Constant(false));
    }
    if at_span(cursor) {
        return cursor.error("a formula; its span comes before the `=`");
    }
    match cursor.accept_id("c") {
        Some(id) => Ok(Formula::Condition(ConditionId::from_raw(id))),
        None => cursor.error("a condition such as `c0`, `!`, `(`, `true` or `false`"),
    }
}
