//! A preprocessed text in which conditions tell their values.

use std::cmp::Reverse;

use ir::{
    BinaryOp, Body, BranchTag, ConditionId, Decision, DecisionId, DecisionKind, OperationId,
    Position, Terminator,
};

use super::operations::{Operator, can_be_read_twice};

/// What conditions and sides of comparisons call. A call has no side effect, so that compilers evaluate
/// what is evaluated without.
const DECLARATIONS: &str = "\
extern int attest_condition(unsigned decision, unsigned position, unsigned ends, int value)
    __attribute__((pure));
extern void attest_left(unsigned number, unsigned long long value, int is_negative);
extern void attest_label(const char *name, int condition);
extern void attest_right(unsigned number, unsigned long long value, int is_negative);
extern void attest_side(unsigned side);
extern void attest_operated(unsigned number, unsigned op, unsigned constant, unsigned width,
    int is_signed, unsigned long long value);
";

/// A piece of code that tells its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Probe {
    /// A condition of a decision.
    Condition {
        begin: Position,
        end: Position,
        /// The number of the decision.
        decision: usize,
        /// The position of the condition, from left to right.
        position: usize,
        /// 1 if an evaluation begins with it, 2 if the decision is settled where it is false, 4 if it
        /// is where it is true, 8 if it counts for the path.
        ends: u8,
    },
    /// A switch, whose side counts for the path.
    Switch {
        begin: Position,
        end: Position,
        /// The lowest and the highest value of each side but the last one, which is the default.
        sides: Vec<(i128, i128)>,
    },
    /// The sides of a comparison of integers.
    Comparison {
        /// Its number.
        number: usize,
        /// Where the left side and the right side begin and end.
        sides: [(Position, Position); 2],
    },
    /// The sides of an operation of integers.
    Operation {
        /// Its number.
        number: usize,
        /// What it is.
        operator: Operator,
        /// Whether it assigns the result to the left side.
        assigns: bool,
        /// Where the left side and the right side begin and end.
        sides: [(Position, Position); 2],
    },
}

impl Probe {
    /// The conditions of a decision that are evaluated.
    pub fn of_decision(body: &Body, decision: DecisionId, number: usize) -> Vec<Probe> {
        let formula = &body.decisions[decision].formula;
        let (conditions, first) = (formula.conditions(), formula.first_condition());
        let tagged: Vec<(usize, BranchTag)> = conditions
            .iter()
            .enumerate()
            .filter_map(|(position, &condition)| Some((position, tag(body, condition)?)))
            .collect();
        let probes = tagged.into_iter().map(|(position, tag)| {
            let span = &body.conditions[tag.condition].span;
            Probe::Condition {
                begin: span.begin,
                end: span.end,
                decision: number,
                position,
                ends: u8::from(first == Some(tag.condition))
                    | u8::from(tag.otherwise_outcome.is_some()) << 1
                    | u8::from(tag.then_outcome.is_some()) << 2
                    | u8::from(counts_for_paths(&body.decisions[decision])) << 3,
            }
        });
        probes.collect()
    }

    /// A switch.
    pub fn of_switch(body: &Body, decision: DecisionId) -> Probe {
        let data = &body.decisions[decision];
        let sides = data.sides.iter().filter_map(|side| side.values);
        Probe::Switch {
            begin: data.span.begin,
            end: data.span.end,
            sides: sides.collect(),
        }
    }

    /// The sides of a comparison.
    pub fn of_comparison(body: &Body, condition: ConditionId, number: usize) -> Option<Probe> {
        let operands = body.conditions[condition].operands.as_ref()?;
        let sides = [&operands[0], &operands[1]].map(|side| (side.begin, side.end));
        Some(Probe::Comparison { number, sides })
    }
}

impl Probe {
    /// The sides of an operation.
    pub fn of_operation(
        body: &Body,
        (operation, operator): (OperationId, Operator),
        number: usize,
    ) -> Probe {
        let data = &body.operations[operation];
        let sides = data.sides.map(|side| &body.spans[side]);
        Probe::Operation {
            number,
            operator,
            assigns: data.assigns,
            sides: sides.map(|side| (side.begin, side.end)),
        }
    }
}

/// The number that the default of a switch has as a side of a path.
pub(super) const DEFAULT_SIDE: u64 = u32::MAX as u64;

/// Whether the outcomes of a decision count for paths. They do not where a jump may leave it, nor where the
/// condition is a value too, as in `a ?: b`.
pub(super) fn counts_for_paths(decision: &Decision) -> bool {
    !decision.may_be_left && decision.kind != DecisionKind::BinaryConditional
}

/// A piece of text that is inserted: its offset, whether it is an opening piece, the offset of the piece
/// that closes or opens it (which orders pieces with one offset), and the text.
type Insertion = (usize, bool, Reverse<usize>, String);

/// What is inserted around a piece of text. Where two begin, the one that ends later is around the
/// other, and where two end, the one that begins earlier.
fn around((begin, end): (usize, usize), before: String, after: String) -> [Insertion; 2] {
    [
        (begin, true, Reverse(end), before),
        (end, false, Reverse(begin), after),
    ]
}

/// What the branch means that evaluates a condition, if there is one.
fn tag(body: &Body, condition: ConditionId) -> Option<BranchTag> {
    let mut tags = body
        .blocks
        .iter()
        .filter_map(|block| match block.terminator {
            Terminator::Branch { tag, .. } => tag,
            _ => None,
        });
    tags.find(|tag| tag.condition == condition)
}

/// The text where conditions tell their values. It has no lines of other files.
pub(super) fn rewritten(text: &str, probes: &[Probe]) -> String {
    let mut insertions: Vec<Insertion> = Vec::new();
    let lines = line_starts(text);
    let offset = |position: Position| {
        let line = lines.get(position.line.checked_sub(1)? as usize)?;
        let offset = line + (position.column.checked_sub(1)? as usize);
        text.is_char_boundary(offset).then_some(offset)
    };
    let piece = |(begin, end): (Position, Position)| {
        let (begin, end) = (offset(begin)?, offset(end)?);
        (begin <= end).then_some((begin, end))
    };
    for probe in probes {
        match probe {
            &Probe::Condition {
                begin,
                end,
                decision,
                position,
                ends,
            } => {
                let before = format!("attest_condition({decision}, {position}, {ends}, !!(");
                insertions.extend(
                    piece((begin, end))
                        .into_iter()
                        .flat_map(|piece| around(piece, before.clone(), "))".to_owned())),
                );
            }
            &Probe::Comparison { number, sides } => {
                let [Some(left), Some(right)] = sides.map(piece) else {
                    continue;
                };
                let (one, other) = (&text[left.0..left.1], &text[right.0..right.1]);
                // Each side as C compares it, after the usual conversions.
                let before = format!("({{ __typeof__(1 ? +({one}) : +({other})) attest_value = (");
                for (side, name) in [(left, "left"), (right, "right")] {
                    let after = format!(
                        "); if (sizeof attest_value <= sizeof(unsigned long long)) \
                         attest_{name}({number}, (unsigned long long)attest_value, attest_value < 0); \
                         attest_value; }})"
                    );
                    insertions.extend(around(side, before.clone(), after));
                }
            }
            Probe::Switch { begin, end, sides } => {
                let pieces = piece((*begin, *end)).into_iter();
                insertions.extend(pieces.flat_map(|piece| switch(text, piece, sides)));
            }
            &Probe::Operation {
                number,
                operator,
                assigns,
                sides,
            } => {
                let [Some(left), Some(right)] = sides.map(piece) else {
                    continue;
                };
                insertions.extend(operation(text, (number, operator, assigns), [left, right]));
            }
        }
    }
    insertions.extend(label_function(text));
    // What ends somewhere comes before what begins there.
    insertions.sort();
    let mut written = DECLARATIONS.to_owned();
    let mut from = 0;
    for (at, _, _, inserted) in insertions {
        written.push_str(&text[from..at]);
        written.push_str(&inserted);
        from = at;
    }
    written.push_str(&text[from..]);
    written
}

/// What has a switch tell its side.
fn switch(text: &str, piece: (usize, usize), sides: &[(i128, i128)]) -> [Insertion; 2] {
    let ty = format!("__typeof__(+({}))", &text[piece.0..piece.1]);
    let number = |number: i128| format!("({ty}){}ull", number as u64);
    let sides = sides.iter().enumerate().map(|(side, &(low, high))| {
        let (low, high) = (number(low), number(high));
        format!("attest_value >= {low} && attest_value <= {high} ? {side} : ")
    });
    let sides: String = sides.chain([DEFAULT_SIDE.to_string()]).collect();
    let after = format!("); attest_side({sides}); attest_value; }})");
    around(piece, format!("({{ {ty} attest_value = ("), after)
}

/// What has an operation tell its sides. The left one of an assignment is read where the right one is
/// known.
fn operation(
    text: &str,
    (number, Operator { op, constant }, assigns): (usize, Operator, bool),
    [left, right]: [(usize, usize); 2],
) -> Vec<Insertion> {
    let (one, other) = (&text[left.0..left.1], &text[right.0..right.1]);
    if assigns && !can_be_read_twice(one) {
        return Vec::new();
    }
    let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
    let types = match is_shift {
        true => [format!("+({one})"), format!("+({other})")],
        false => [one, one].map(|_| format!("1 ? +({one}) : +({other})")),
    };
    let [of_left, of_right] = types.map(|ty| format!("__typeof__({ty})"));
    let tells_left = |value: &str| {
        format!(
            "if (sizeof({of_left}) <= sizeof(unsigned long long)) \
             attest_left({number}, (unsigned long long)({of_left})({value}), 0);"
        )
    };
    let constant = constant.map_or(0, |side| side + 1);
    let operated = format!(
        "if (sizeof({of_left}) <= sizeof(unsigned long long)) \
         attest_operated({number}, {}, {constant}, 8 * sizeof({of_left}), ({of_left})-1 < 0, \
         (unsigned long long)attest_value); attest_value; }})",
        op as u8
    );
    let before = |ty: &str| format!("({{ {ty} attest_value = (");
    let (left_first, left_told) = match assigns {
        true => (tells_left(one), None),
        false => (String::new(), Some(tells_left("attest_value"))),
    };
    let of_left = left_told.map(|told| {
        let after = format!("); {told} attest_value; }})");
        around(left, before(&of_left), after)
    });
    let of_right = around(
        right,
        before(&of_right),
        format!("); {left_first} {operated}"),
    );
    of_left.into_iter().flatten().chain(of_right).collect()
}

/// What has the function of attest.h tell of labels, which does nothing otherwise.
fn label_function(text: &str) -> Option<Insertion> {
    let function = text.find("void __attest_label(")?;
    let body = function + text[function..].find('{')? + 1;
    let call = "attest_label(name, condition);".to_owned();
    Some((body, true, Reverse(body), call))
}

fn line_starts(text: &str) -> Vec<usize> {
    let behind = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(behind).collect()
}
