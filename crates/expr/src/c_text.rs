//! Terms as C expressions.
//!
//! C's operators wrap only for unsigned operands, so sums are printed of unsigned values; a
//! comparison has casts where its signedness is not that of its operands. A division or a shift is
//! printed as it stands: C does not define all that a term does.

use std::collections::BTreeMap;

use crate::{BvOp, CmpOp, Node, Term, Terms, Var, mask, signed_min, to_signed};

/// A variable as C names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CName {
    /// Its lvalue.
    pub text: String,
    /// Whether its type is signed.
    pub signed: bool,
}

impl Terms {
    /// A Bool as a C expression; `None` if it has a variable without a name, or no form in C.
    pub fn c_text(&self, names: &BTreeMap<Var, CName>, term: Term) -> Option<String> {
        let printer = Printer { terms: self, names };
        printer.truth(term).map(|expression| expression.text)
    }
}

struct Printer<'a> {
    terms: &'a Terms,
    names: &'a BTreeMap<Var, CName>,
}

/// A C expression.
#[derive(Clone)]
struct Expression {
    text: String,
    /// Whether it needs no parentheses as an operand.
    is_atom: bool,
    /// The signedness of its type; `None` of a constant, which has either.
    signed: Option<bool>,
}

impl Expression {
    fn atom(text: String, signed: Option<bool>) -> Expression {
        Expression {
            text,
            is_atom: true,
            signed,
        }
    }

    fn operation(text: String, signed: bool) -> Expression {
        Expression {
            text,
            is_atom: false,
            signed: Some(signed),
        }
    }

    fn operand(&self) -> String {
        match self.is_atom {
            true => self.text.clone(),
            false => format!("({})", self.text),
        }
    }
}

impl Printer<'_> {
    /// A Bool.
    fn truth(&self, term: Term) -> Option<Expression> {
        let both = |a: Term, b: Term, operator: &str| {
            let (a, b) = (self.truth(a)?.operand(), self.truth(b)?.operand());
            Some(Expression::operation(format!("{a} {operator} {b}"), true))
        };
        match self.terms.node(term) {
            Node::Bool(value) => Some(Expression::atom(u8::from(value).to_string(), None)),
            Node::BoolNot(inner) => self.negated(inner),
            Node::BoolAnd(a, b) => both(a, b, "&&"),
            Node::BoolOr(a, b) => both(a, b, "||"),
            Node::Compare(op, a, b) => {
                let text = match op {
                    CmpOp::Eq => "==",
                    CmpOp::Ult | CmpOp::Slt => "<",
                    CmpOp::Ule | CmpOp::Sle => "<=",
                };
                self.comparison(op, a, b, text)
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.truth(c)?, self.truth(a)?, self.truth(b)?);
                let text = format!("{} ? {} : {}", c.operand(), a.operand(), b.operand());
                Some(Expression::operation(text, true))
            }
            _ => None,
        }
    }

    fn negated(&self, term: Term) -> Option<Expression> {
        match self.terms.node(term) {
            Node::Compare(CmpOp::Eq, a, b) => self.comparison(CmpOp::Eq, a, b, "!="),
            Node::Compare(op @ (CmpOp::Ult | CmpOp::Slt), a, b) => self.comparison(op, b, a, "<="),
            Node::Compare(op @ (CmpOp::Ule | CmpOp::Sle), a, b) => self.comparison(op, b, a, "<"),
            _ => {
                let inner = self.truth(term)?.operand();
                Some(Expression::operation(format!("!{inner}"), true))
            }
        }
    }

    fn comparison(&self, op: CmpOp, a: Term, b: Term, text: &str) -> Option<Expression> {
        let signed = match op {
            CmpOp::Eq => match (self.signedness(a), self.signedness(b)) {
                (Some(signed), _) | (None, Some(signed)) => signed,
                (None, None) => true,
            },
            CmpOp::Ult | CmpOp::Ule => false,
            CmpOp::Slt | CmpOp::Sle => true,
        };
        let (a, b) = (self.as_number(a, signed)?, self.as_number(b, signed)?);
        let text = format!("{} {text} {}", a.operand(), b.operand());
        Some(Expression::operation(text, true))
    }

    /// The signedness with which a term is printed, if it has one.
    fn signedness(&self, term: Term) -> Option<bool> {
        self.number(term, true)
            .and_then(|expression| expression.signed)
    }

    /// A bit vector of a signedness.
    fn as_number(&self, term: Term, signed: bool) -> Option<Expression> {
        let expression = self.number(term, signed)?;
        if expression.signed.is_none_or(|is| is == signed) {
            return Some(expression);
        }
        let cast = type_name(self.terms.width(term), signed)?;
        let text = format!("({cast}){}", expression.operand());
        Some(Expression {
            text,
            is_atom: true,
            signed: Some(signed),
        })
    }

    /// A bit vector, its constants by a signedness.
    fn number(&self, term: Term, signed: bool) -> Option<Expression> {
        let width = self.terms.width(term);
        let of_two = |a: Term, b: Term, operator: &str, signed: bool| {
            let (a, b) = (self.as_number(a, signed)?, self.as_number(b, signed)?);
            // The type of a shift is that of the left side, and products of narrow numbers may not
            // fit int.
            let is_shift = matches!(operator, "<<" | ">>");
            let widened = match operator {
                _ if is_shift && width > 32 && a.signed.is_none() => type_name(width, signed),
                "*" | "<<" if width < 32 => Some("unsigned"),
                _ => None,
            };
            let a = match widened {
                Some(name) => format!("({name}){}", a.operand()),
                None => a.operand(),
            };
            let text = format!("{a} {operator} {}", b.operand());
            // Narrow operands are promoted to int.
            let text = match type_name(width, signed)? {
                name if width < 32 => format!("({name})({text})"),
                _ => text,
            };
            Some(Expression::operation(text, signed))
        };
        match self.terms.node(term) {
            Node::Const { value, .. } => {
                let number = to_signed(width, value);
                let text = match signed {
                    // The literal behind the sign would not fit any signed type.
                    true if width == 64 && value == signed_min(width) => {
                        format!("({} - 1)", number + 1)
                    }
                    true => number.to_string(),
                    false => format!("{value}u"),
                };
                let fits = value <= u128::from(u64::MAX);
                fits.then(|| Expression::atom(text, None))
            }
            Node::Var { var, .. } => {
                let name = self.names.get(&var)?;
                Some(Expression::atom(name.text.clone(), Some(name.signed)))
            }
            Node::Not(a) => {
                let a = self.as_number(a, false)?.operand();
                Some(Expression::operation(format!("~{a}"), false)).filter(|_| width >= 32)
            }
            Node::Neg(a) => {
                let a = self.as_number(a, false)?.operand();
                Some(Expression::operation(format!("-{a}"), false)).filter(|_| width >= 32)
            }
            Node::Binary(op, a, b) => {
                let (operator, signed) = match op {
                    BvOp::Add => ("+", false),
                    BvOp::Sub => ("-", false),
                    BvOp::Mul => ("*", false),
                    BvOp::UDiv => ("/", false),
                    BvOp::SDiv => ("/", true),
                    BvOp::URem => ("%", false),
                    BvOp::SRem => ("%", true),
                    BvOp::And => ("&", false),
                    BvOp::Or => ("|", false),
                    BvOp::Xor => ("^", false),
                    BvOp::Shl => ("<<", false),
                    BvOp::LShr => (">>", false),
                    BvOp::AShr => (">>", true),
                };
                of_two(a, b, operator, signed)
            }
            Node::ZeroExtend { of, .. } => {
                let name = type_name(width, false)?;
                let of = self.as_number(of, false)?.operand();
                Some(Expression::atom(format!("({name}){of}"), Some(false)))
            }
            Node::SignExtend { of, .. } => {
                let name = type_name(width, true)?;
                let of = self.as_number(of, true)?.operand();
                Some(Expression::atom(format!("({name}){of}"), Some(true)))
            }
            Node::Extract { high, low, of } => {
                let of = self.as_number(of, false)?.operand();
                let bits = mask(high - low + 1);
                Some(match (low, type_name(high - low + 1, false)) {
                    (0, Some(name)) => Expression::atom(format!("({name}){of}"), Some(false)),
                    (0, None) => Expression::operation(format!("{of} & {bits}u"), false),
                    _ => Expression::operation(format!("({of} >> {low}) & {bits}u"), false),
                })
            }
            Node::Concat(high, low) => self.concatenation(width, high, low),
            Node::Ite(c, a, b) => {
                let c = self.truth(c)?;
                let (a, b) = (self.as_number(a, signed)?, self.as_number(b, signed)?);
                let text = format!("{} ? {} : {}", c.operand(), a.operand(), b.operand());
                Some(Expression::operation(text, signed))
            }
            _ => None,
        }
    }

    /// Bits above others, of an integer type: `high << n | low`.
    fn concatenation(&self, width: u32, high: Term, low: Term) -> Option<Expression> {
        let name = type_name(width, false).filter(|_| width >= 32)?;
        let shift = self.terms.width(low);
        // The bits of what is extracted that do not fit are shifted out.
        let (above, is_wide) = match self.terms.node(high) {
            Node::Extract { low: 0, of, .. } => (of, self.terms.width(of) == width),
            _ => (high, false),
        };
        let above = self.as_number(above, false)?.operand();
        let above = match is_wide {
            true => above,
            false => format!("({name}){above}"),
        };
        let shifted = format!("{above} << {shift}");
        let text = match self.terms.as_constant(low) {
            Some(0) => shifted,
            _ => {
                let low = self.as_number(low, false)?.operand();
                format!("({shifted}) | ({name}){low}")
            }
        };
        Some(Expression::operation(text, false))
    }
}

/// The name of the integer type of a width.
fn type_name(width: u32, signed: bool) -> Option<&'static str> {
    Some(match (width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned",
        (64, true) => "long long",
        (64, false) => "unsigned long long",
        (128, true) => "__int128",
        (128, false) => "unsigned __int128",
        _ => return None,
    })
}
