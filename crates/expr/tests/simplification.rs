//! A simplified term has the value of the plain expression, on every model.

use expr::{
    BvOp, CmpOp, Model, Term, Terms, Var, eval_binary, eval_compare, from_signed, mask, to_signed,
};
use proptest::prelude::*;

/// An expression as it was written down, with an evaluation of its own.
#[derive(Clone, Debug)]
enum Plain {
    Const(u128),
    Var(u32),
    Not(Box<Plain>),
    Neg(Box<Plain>),
    Binary(BvOp, Box<Plain>, Box<Plain>),
    Ite(Box<Condition>, Box<Plain>, Box<Plain>),
    /// Cut to the lowest bits, then extended again.
    Truncated {
        to: u32,
        signed: bool,
        of: Box<Plain>,
    },
    /// A run of bits, extended again.
    Field {
        high: u32,
        low: u32,
        signed: bool,
        of: Box<Plain>,
    },
    /// The lowest bits of the first above the lowest bits of the second, `low` of these.
    Joined {
        low: u32,
        first: Box<Plain>,
        second: Box<Plain>,
    },
}

#[derive(Clone, Debug)]
enum Condition {
    Compare(CmpOp, Box<Plain>, Box<Plain>),
    Nonzero(Box<Plain>),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Ite(Box<Condition>, Box<Condition>, Box<Condition>),
    Overflow(Overflow, Box<Plain>, Box<Plain>),
}

#[derive(Clone, Copy, Debug)]
enum Overflow {
    Add,
    Sub,
    Mul,
    Neg,
}

/// All subterms of an expression have this width.
#[derive(Clone, Copy)]
struct At(u32);

impl At {
    fn eval(self, plain: &Plain, model: &Model) -> u128 {
        let At(width) = self;
        let cut = |value: u128| value & mask(width);
        let extend = |from: u32, value: u128, signed: bool| {
            let value = value & mask(from);
            if signed {
                from_signed(width, to_signed(from, value))
            } else {
                value
            }
        };
        match plain {
            Plain::Const(value) => cut(*value),
            Plain::Var(var) => cut(model.get(Var(*var)).unwrap_or(0)),
            Plain::Not(a) => cut(!self.eval(a, model)),
            Plain::Neg(a) => cut(self.eval(a, model).wrapping_neg()),
            Plain::Binary(op, a, b) => {
                eval_binary(*op, width, self.eval(a, model), self.eval(b, model))
            }
            Plain::Ite(c, a, b) => self.eval(if self.holds(c, model) { a } else { b }, model),
            Plain::Truncated { to, signed, of } => {
                extend(self.bit(*to) + 1, self.eval(of, model), *signed)
            }
            Plain::Field {
                high,
                low,
                signed,
                of,
            } => {
                let (high, low) = self.field(*high, *low);
                extend(high - low + 1, self.eval(of, model) >> low, *signed)
            }
            Plain::Joined { low, first, second } => {
                let low = self.bit(*low);
                if low == 0 {
                    return self.eval(first, model);
                }
                cut(self.eval(first, model) << low) | (self.eval(second, model) & mask(low))
            }
        }
    }

    fn holds(self, condition: &Condition, model: &Model) -> bool {
        let At(width) = self;
        match condition {
            Condition::Compare(op, a, b) => {
                eval_compare(*op, width, self.eval(a, model), self.eval(b, model))
            }
            Condition::Nonzero(a) => self.eval(a, model) != 0,
            Condition::Not(a) => !self.holds(a, model),
            Condition::And(a, b) => self.holds(a, model) && self.holds(b, model),
            Condition::Or(a, b) => self.holds(a, model) || self.holds(b, model),
            Condition::Ite(c, a, b) => self.holds(if self.holds(c, model) { a } else { b }, model),
            Condition::Overflow(kind, a, b) => {
                let signed = |plain| to_signed(width, self.eval(plain, model));
                let exact = match kind {
                    Overflow::Add => signed(a).checked_add(signed(b)),
                    Overflow::Sub => signed(a).checked_sub(signed(b)),
                    Overflow::Mul => signed(a).checked_mul(signed(b)),
                    Overflow::Neg => signed(a).checked_neg(),
                };
                exact.is_none_or(|exact| to_signed(width, from_signed(width, exact)) != exact)
            }
        }
    }

    fn build(self, plain: &Plain, terms: &mut Terms) -> Term {
        let At(width) = self;
        match plain {
            Plain::Const(value) => terms.constant(width, *value),
            Plain::Var(var) => terms.var(Var(*var), width),
            Plain::Not(a) => {
                let a = self.build(a, terms);
                terms.not(a)
            }
            Plain::Neg(a) => {
                let a = self.build(a, terms);
                terms.neg(a)
            }
            Plain::Binary(op, a, b) => {
                let (a, b) = (self.build(a, terms), self.build(b, terms));
                terms.binary(*op, a, b)
            }
            Plain::Ite(c, a, b) => {
                let c = self.build_condition(c, terms);
                let (a, b) = (self.build(a, terms), self.build(b, terms));
                terms.ite(c, a, b)
            }
            Plain::Truncated { to, signed, of } => {
                let of = self.build(of, terms);
                let part = terms.resize(self.bit(*to) + 1, of, *signed);
                terms.resize(width, part, *signed)
            }
            Plain::Field {
                high,
                low,
                signed,
                of,
            } => {
                let of = self.build(of, terms);
                let (high, low) = self.field(*high, *low);
                let part = terms.extract(high, low, of);
                terms.resize(width, part, *signed)
            }
            Plain::Joined { low, first, second } => {
                let (first, second) = (self.build(first, terms), self.build(second, terms));
                let low = self.bit(*low);
                if low == 0 {
                    return first;
                }
                let first = terms.extract(width - 1 - low, 0, first);
                let second = terms.extract(low - 1, 0, second);
                terms.concat(first, second)
            }
        }
    }

    fn build_condition(self, condition: &Condition, terms: &mut Terms) -> Term {
        match condition {
            Condition::Compare(op, a, b) => {
                let (a, b) = (self.build(a, terms), self.build(b, terms));
                terms.compare(*op, a, b)
            }
            Condition::Nonzero(a) => {
                let a = self.build(a, terms);
                terms.is_nonzero(a)
            }
            Condition::Not(a) => {
                let a = self.build_condition(a, terms);
                terms.bool_not(a)
            }
            Condition::And(a, b) => {
                let (a, b) = (
                    self.build_condition(a, terms),
                    self.build_condition(b, terms),
                );
                terms.bool_and(a, b)
            }
            Condition::Or(a, b) => {
                let (a, b) = (
                    self.build_condition(a, terms),
                    self.build_condition(b, terms),
                );
                terms.bool_or(a, b)
            }
            Condition::Ite(c, a, b) => {
                let c = self.build_condition(c, terms);
                let (a, b) = (
                    self.build_condition(a, terms),
                    self.build_condition(b, terms),
                );
                terms.ite(c, a, b)
            }
            Condition::Overflow(kind, a, b) => {
                let (a, b) = (self.build(a, terms), self.build(b, terms));
                match kind {
                    Overflow::Add => terms.add_overflows(a, b),
                    Overflow::Sub => terms.sub_overflows(a, b),
                    Overflow::Mul => terms.mul_overflows(a, b),
                    Overflow::Neg => terms.neg_overflows(a),
                }
            }
        }
    }

    fn bit(self, any: u32) -> u32 {
        any % self.0
    }

    fn field(self, x: u32, y: u32) -> (u32, u32) {
        let (x, y) = (self.bit(x), self.bit(y));
        (x.max(y), x.min(y))
    }

    /// The term has the expression's value under the models, and so has its condition.
    fn check(self, plain: &Plain, models: &[Model]) -> Result<(), TestCaseError> {
        let mut terms = Terms::default();
        let term = self.build(plain, &mut terms);
        prop_assert_eq!(terms.width(term), self.0);
        for model in models {
            let (got, want) = (terms.eval(term, model), self.eval(plain, model));
            prop_assert_eq!(got, want, "{} under {:?}", terms.display(term), model);
        }
        Ok(())
    }

    fn check_condition(self, plain: &Condition, models: &[Model]) -> Result<(), TestCaseError> {
        let mut terms = Terms::default();
        let term = self.build_condition(plain, &mut terms);
        let negated = terms.bool_not(term);
        for model in models {
            let (got, want) = (terms.holds(term, model), self.holds(plain, model));
            prop_assert_eq!(got, want, "{} under {:?}", terms.display(term), model);
            prop_assert_eq!(
                terms.holds(negated, model),
                !want,
                "negation: {}",
                terms.display(negated)
            );
        }
        Ok(())
    }
}

fn op() -> impl Strategy<Value = BvOp> {
    prop::sample::select(BvOp::ALL.to_vec())
}

fn cmp() -> impl Strategy<Value = CmpOp> {
    prop::sample::select(CmpOp::ALL.to_vec())
}

/// Numbers where edges are likely: small, negative, powers of two, masks, anything.
fn number() -> impl Strategy<Value = u128> {
    prop_oneof![
        4 => 0u128..10,
        1 => (0u128..4).prop_map(|n| n.wrapping_neg()),
        2 => (0u32..128, 0u128..3).prop_map(|(bit, off)| (1u128 << bit).wrapping_add(off).wrapping_sub(1)),
        1 => (1u32..128).prop_map(|bit| u128::MAX << bit),
        1 => (0u32..128, 0u32..128).prop_map(|(x, y)| (u128::MAX >> x) & (u128::MAX << y)),
        2 => any::<u128>(),
    ]
}

fn plain() -> impl Strategy<Value = Plain> {
    let leaf = prop_oneof![
        2 => number().prop_map(Plain::Const),
        3 => (0u32..3).prop_map(Plain::Var),
    ];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            1 => boxed.clone().prop_map(Plain::Not),
            1 => boxed.clone().prop_map(Plain::Neg),
            8 => (op(), boxed.clone(), boxed.clone()).prop_map(|(op, a, b)| Plain::Binary(op, a, b)),
            2 => (condition_over(boxed.clone()).prop_map(Box::new), boxed.clone(), boxed.clone())
                .prop_map(|(c, a, b)| Plain::Ite(c, a, b)),
            3 => (0u32..128, any::<bool>(), boxed.clone())
                .prop_map(|(to, signed, of)| Plain::Truncated { to, signed, of }),
            2 => (0u32..128, 0u32..128, any::<bool>(), boxed.clone())
                .prop_map(|(high, low, signed, of)| Plain::Field { high, low, signed, of }),
            2 => (0u32..128, boxed.clone(), boxed)
                .prop_map(|(low, first, second)| Plain::Joined { low, first, second }),
        ]
    })
}

fn condition_over(plain: BoxedStrategy<Box<Plain>>) -> BoxedStrategy<Condition> {
    let kind = prop::sample::select(vec![
        Overflow::Add,
        Overflow::Sub,
        Overflow::Mul,
        Overflow::Neg,
    ]);
    let leaf = prop_oneof![
        4 => (cmp(), plain.clone(), plain.clone()).prop_map(|(op, a, b)| Condition::Compare(op, a, b)),
        1 => plain.clone().prop_map(Condition::Nonzero),
        1 => (kind, plain.clone(), plain).prop_map(|(kind, a, b)| Condition::Overflow(kind, a, b)),
    ];
    leaf.prop_recursive(3, 6, 3, |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            boxed.clone().prop_map(Condition::Not),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Condition::And(a, b)),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Condition::Or(a, b)),
            (boxed.clone(), boxed.clone(), boxed).prop_map(|(c, a, b)| Condition::Ite(c, a, b)),
        ]
    })
    .boxed()
}

fn models() -> impl Strategy<Value = Vec<Model>> {
    let model = prop::collection::vec(number(), 3)
        .prop_map(|values| (0u32..).map(Var).zip(values).collect::<Model>());
    prop::collection::vec(model, 12)
}

fn every_model(width: u32) -> Vec<Model> {
    let values = 0..1u128 << width;
    let pairs = values
        .clone()
        .flat_map(|x| values.clone().map(move |y| (x, y)));
    pairs
        .map(|(x, y)| [(Var(0), x), (Var(1), y)].into_iter().collect())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn terms_keep_their_value(width in 1u32..=128, plain in plain(), models in models()) {
        At(width).check(&plain, &models)?;
    }

    #[test]
    fn common_widths_keep_their_value(
        width in prop::sample::select(vec![1u32, 3, 8, 16, 32, 64, 128]),
        plain in plain(),
        models in models(),
    ) {
        At(width).check(&plain, &models)?;
    }

    #[test]
    fn conditions_keep_their_value(
        width in prop_oneof![1u32..=8, 1u32..=128],
        condition in condition_over(plain().prop_map(Box::new).boxed()),
        models in models(),
    ) {
        At(width).check_condition(&condition, &models)?;
    }

    #[test]
    fn small_widths_keep_their_value_on_every_model(width in 1u32..=3, plain in plain()) {
        let swapped = every_model(width);
        At(width).check(&plain, &swapped)?;
    }
}

/// The forms that rules look for inside an operand, over variable 0 and a constant.
fn shapes(width: u32, constant: u128) -> Vec<Plain> {
    let x = || Box::new(Plain::Var(0));
    let c = || Box::new(Plain::Const(constant));
    let mut shapes = vec![
        Plain::Var(0),
        Plain::Const(constant),
        Plain::Not(x()),
        Plain::Neg(x()),
    ];
    for op in BvOp::ALL {
        shapes.push(Plain::Binary(op, x(), c()));
        shapes.push(Plain::Binary(op, c(), x()));
    }
    for signed in [false, true] {
        shapes.extend((0..width).map(|to| Plain::Truncated {
            to,
            signed,
            of: x(),
        }));
    }
    shapes.extend((1..width).map(|low| Plain::Joined {
        low,
        first: x(),
        second: c(),
    }));
    shapes.extend((1..width).map(|low| Plain::Joined {
        low,
        first: c(),
        second: x(),
    }));
    let test = Condition::Compare(CmpOp::Ult, x(), Box::new(Plain::Const(1 << (width / 2))));
    shapes.push(Plain::Ite(Box::new(test), c(), Box::new(Plain::Const(1))));
    shapes
}

#[test]
fn every_operator_on_every_shape_exhaustively() {
    for width in 1..=3 {
        let models = every_model(width);
        let constants = 0..1u128 << width;
        let left: Vec<Plain> = constants.flat_map(|c| shapes(width, c)).collect();
        let mut right: Vec<Plain> = (0..1u128 << width).map(Plain::Const).collect();
        right.extend([
            Plain::Var(1),
            Plain::Var(0),
            Plain::Not(Box::new(Plain::Var(1))),
        ]);
        right.push(Plain::Truncated {
            to: 0,
            signed: true,
            of: Box::new(Plain::Var(1)),
        });
        right.push(Plain::Truncated {
            to: 0,
            signed: false,
            of: Box::new(Plain::Var(1)),
        });
        for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (a, b))) {
            check_all_operators(At(width), a, b, &models);
            check_all_operators(At(width), b, a, &models);
        }
    }
}

#[test]
fn every_operator_on_variables_and_constants_at_width_4() {
    let models = every_model(4);
    let mut operands: Vec<Plain> = (0..16).map(Plain::Const).collect();
    operands.extend([Plain::Var(0), Plain::Var(1)]);
    for (a, b) in operands
        .iter()
        .flat_map(|a| operands.iter().map(move |b| (a, b)))
    {
        check_all_operators(At(4), a, b, &models);
    }
}

fn check_all_operators(at: At, a: &Plain, b: &Plain, models: &[Model]) {
    let (a, b) = (Box::new(a.clone()), Box::new(b.clone()));
    for op in BvOp::ALL {
        let plain = Plain::Binary(op, a.clone(), b.clone());
        at.check(&plain, models)
            .unwrap_or_else(|e| panic!("{plain:?}: {e}"));
    }
    let compared = CmpOp::ALL.map(|op| Condition::Compare(op, a.clone(), b.clone()));
    let overflows = [Overflow::Add, Overflow::Sub, Overflow::Mul, Overflow::Neg]
        .map(|kind| Condition::Overflow(kind, a.clone(), b.clone()));
    for condition in compared.into_iter().chain(overflows) {
        at.check_condition(&condition, models)
            .unwrap_or_else(|e| panic!("{condition:?}: {e}"));
    }
}

/// `a / b * b + a % b`, the operands of both operators either way round.
#[test]
fn a_divided_whole_is_its_dividend_for_every_divisor() {
    let models = every_model(4);
    let var = |number| Box::new(Plain::Var(number));
    for (quotient, remainder) in [(BvOp::UDiv, BvOp::URem), (BvOp::SDiv, BvOp::SRem)] {
        let divided = || Box::new(Plain::Binary(quotient, var(0), var(1)));
        let left = || Box::new(Plain::Binary(remainder, var(0), var(1)));
        let products = [
            Plain::Binary(BvOp::Mul, divided(), var(1)),
            Plain::Binary(BvOp::Mul, var(1), divided()),
        ];
        for product in products.map(Box::new) {
            for plain in [
                Plain::Binary(BvOp::Add, product.clone(), left()),
                Plain::Binary(BvOp::Add, left(), product.clone()),
            ] {
                At(4)
                    .check(&plain, &models)
                    .unwrap_or_else(|e| panic!("{plain:?}: {e}"));
            }
            let overflows = [
                Condition::Overflow(Overflow::Add, product.clone(), left()),
                Condition::Overflow(Overflow::Add, left(), product.clone()),
                Condition::Overflow(Overflow::Mul, divided(), var(1)),
                Condition::Overflow(Overflow::Mul, var(1), divided()),
            ];
            for condition in overflows {
                At(4)
                    .check_condition(&condition, &models)
                    .unwrap_or_else(|e| panic!("{condition:?}: {e}"));
            }
        }
    }
}
