//! Reads the formulas of certificates: one term of SMT-LIB 2 over named variables.

use std::collections::BTreeMap;

use expr::{BvOp, CmpOp, Node, Term};

use crate::formulas::Formulas;

/// How deep terms may be nested.
const DEEPEST: usize = 2_000;

/// The term that a text is, over some variables; the reason if it is none of sort Bool.
pub fn read(
    text: &str,
    variables: &BTreeMap<&str, Term>,
    formulas: &mut Formulas,
) -> Result<Term, String> {
    let mut reader = Reader {
        words: words(text),
        at: 0,
        variables,
        formulas,
    };
    let term = reader.term(0)?;
    if reader.at < reader.words.len() {
        return Err("the formula goes on behind its end".to_owned());
    }
    match reader.formulas.terms.width(term) {
        0 => Ok(term),
        _ => Err("the formula is a number".to_owned()),
    }
}

fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for piece in text.split_whitespace() {
        let mut rest = piece;
        while let Some(at) = rest.find(['(', ')']) {
            if at > 0 {
                words.push(&rest[..at]);
            }
            words.push(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            words.push(rest);
        }
    }
    words
}

/// An operator in front of its operands.
enum Operator<'a> {
    Named(&'a str),
    Extract(u32, u32),
    ZeroExtend(u32),
    SignExtend(u32),
}

struct Reader<'a> {
    words: Vec<&'a str>,
    at: usize,
    variables: &'a BTreeMap<&'a str, Term>,
    formulas: &'a mut Formulas,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<&'a str, String> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word.ok_or_else(|| "the formula ends too early".to_owned())
    }

    fn expect(&mut self, wanted: &str) -> Result<(), String> {
        let word = self.next()?;
        match word == wanted {
            true => Ok(()),
            false => Err(format!("`{word}` stands where `{wanted}` is expected")),
        }
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T, String> {
        let word = self.next()?;
        word.parse().map_err(|_| format!("`{word}` is no number"))
    }

    fn term(&mut self, depth: usize) -> Result<Term, String> {
        if depth > DEEPEST {
            return Err("the formula is nested too deep".to_owned());
        }
        let word = self.next()?;
        if word != "(" {
            return self.name(word);
        }
        if self.words.get(self.at) == Some(&"_") {
            return self.constant();
        }
        let operator = self.operator()?;
        let mut operands = Vec::new();
        while self.words.get(self.at) != Some(&")") {
            operands.push(self.term(depth + 1)?);
        }
        self.at += 1;
        self.apply(&operator, &operands)
    }

    fn name(&mut self, word: &str) -> Result<Term, String> {
        match word {
            "true" => Ok(self.formulas.bool(true)),
            "false" => Ok(self.formulas.bool(false)),
            _ => {
                let known = self.variables.get(word).copied();
                known.ok_or_else(|| format!("`{word}` is no variable"))
            }
        }
    }

    /// `_ bv5 32)`
    fn constant(&mut self) -> Result<Term, String> {
        self.expect("_")?;
        let word = self.next()?;
        let value = word.strip_prefix("bv").and_then(|it| it.parse().ok());
        let value: u128 = value.ok_or_else(|| format!("`{word}` is no constant"))?;
        let width: u32 = self.number()?;
        self.expect(")")?;
        match (1..=expr::MAX_WIDTH).contains(&width) {
            true => Ok(self.formulas.constant(width, value)),
            false => Err(format!("no constant has {width} bits")),
        }
    }

    fn operator(&mut self) -> Result<Operator<'a>, String> {
        let word = self.next()?;
        if word != "(" {
            return Ok(Operator::Named(word));
        }
        self.expect("_")?;
        let name = self.next()?;
        let operator = match name {
            "extract" => Operator::Extract(self.number()?, self.number()?),
            "zero_extend" => Operator::ZeroExtend(self.number()?),
            "sign_extend" => Operator::SignExtend(self.number()?),
            _ => return Err(format!("`{name}` is no operator with numbers")),
        };
        self.expect(")")?;
        Ok(operator)
    }

    fn apply(&mut self, operator: &Operator<'_>, operands: &[Term]) -> Result<Term, String> {
        let node = self.node(operator, operands);
        let node = node.ok_or_else(|| "an operator has operands that do not fit".to_owned())?;
        Ok(self.formulas.build(node))
    }

    /// The node of an operator, if its operands have the sorts that it requires.
    fn node(&self, operator: &Operator<'_>, operands: &[Term]) -> Option<Node> {
        let width = |term: Term| self.formulas.terms.width(term);
        let widest = |added: u32, term: Term| {
            let sum = width(term).checked_add(added)?;
            (width(term) > 0 && sum <= expr::MAX_WIDTH).then_some(sum)
        };
        Some(match (operator, operands) {
            (Operator::Extract(high, low), &[of]) if low <= high && *high < width(of) => {
                Node::Extract {
                    high: *high,
                    low: *low,
                    of,
                }
            }
            (Operator::ZeroExtend(by), &[of]) => Node::ZeroExtend {
                width: widest(*by, of)?,
                of,
            },
            (Operator::SignExtend(by), &[of]) => Node::SignExtend {
                width: widest(*by, of)?,
                of,
            },
            (Operator::Named("not"), &[a]) if width(a) == 0 => Node::BoolNot(a),
            (Operator::Named("and"), &[a, b]) if width(a) + width(b) == 0 => Node::BoolAnd(a, b),
            (Operator::Named("or"), &[a, b]) if width(a) + width(b) == 0 => Node::BoolOr(a, b),
            (Operator::Named("ite"), &[c, a, b]) if width(c) == 0 && width(a) == width(b) => {
                Node::Ite(c, a, b)
            }
            (Operator::Named("bvnot"), &[a]) if width(a) > 0 => Node::Not(a),
            (Operator::Named("bvneg"), &[a]) if width(a) > 0 => Node::Neg(a),
            (Operator::Named("concat"), &[a, b]) => {
                widest(width(b), a).filter(|_| width(b) > 0)?;
                Node::Concat(a, b)
            }
            (Operator::Named(name), &[a, b]) if width(a) > 0 && width(a) == width(b) => {
                match (arithmetic(name), comparison(name)) {
                    (Some(op), _) => Node::Binary(op, a, b),
                    (_, Some(op)) => Node::Compare(op, a, b),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}

fn arithmetic(name: &str) -> Option<BvOp> {
    Some(match name {
        "bvadd" => BvOp::Add,
        "bvsub" => BvOp::Sub,
        "bvmul" => BvOp::Mul,
        "bvudiv" => BvOp::UDiv,
        "bvsdiv" => BvOp::SDiv,
        "bvurem" => BvOp::URem,
        "bvsrem" => BvOp::SRem,
        "bvand" => BvOp::And,
        "bvor" => BvOp::Or,
        "bvxor" => BvOp::Xor,
        "bvshl" => BvOp::Shl,
        "bvlshr" => BvOp::LShr,
        "bvashr" => BvOp::AShr,
        _ => return None,
    })
}

fn comparison(name: &str) -> Option<CmpOp> {
    Some(match name {
        "=" => CmpOp::Eq,
        "bvult" => CmpOp::Ult,
        "bvule" => CmpOp::Ule,
        "bvslt" => CmpOp::Slt,
        "bvsle" => CmpOp::Sle,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> Result<Term, String> {
        let mut formulas = Formulas::default();
        let x = formulas.fresh(8);
        read(text, &BTreeMap::from([("x", x)]), &mut formulas)
    }

    #[test]
    fn terms_are_read() {
        for text in [
            "true",
            "(bvult x (_ bv3 8))",
            "(not (= ((_ extract 3 0) x) (_ bv1 4)))",
            "(and (= ((_ zero_extend 8) x) (concat x x)) (or true false))",
            "(ite (= x x) false (bvsle x (bvneg x)))",
        ] {
            assert!(reads(text).is_ok(), "{text}: {:?}", reads(text));
        }
    }

    #[test]
    fn what_is_no_term_is_refused() {
        for text in [
            "",
            "(",
            ")",
            "x",
            "y",
            "(bvult x",
            "(bvult x (_ bv3 9))",
            "(bvult x x) x",
            "(= ((_ extract 8 0) x) x)",
            "(= ((_ zero_extend 4294967295) x) x)",
            "(= (_ bv3 0) x)",
            "(and x x)",
            "(= true true)",
            "(let ((a x)) true)",
        ] {
            assert!(reads(text).is_err(), "{text}");
        }
        let deep = "(not ".repeat(100_000);
        assert!(reads(&deep).is_err());
    }
}
