//! An SMT solver (z3) agrees with the simplification and with the bit-blasting.

mod common;

use std::time::Duration;

use common::{Numbers, bits, bool, simplified};
use expr::{CmpOp, Model, Node, Term, Terms};
use solver::{Answer, Query, Sat, Smt, SmtCommand, Solver, Stop};

const WIDTHS: [u32; 6] = [8, 32, 16, 64, 5, 128];

fn z3() -> Smt {
    Smt::new(vec![SmtCommand::named("z3")], Duration::from_secs(1))
}

fn ask(solver: &mut impl Solver, terms: &mut Terms, constraints: &[Term]) -> Answer {
    solver.check(terms, &Query::new(constraints, &Model::default()))
}

#[test]
fn simplified_terms_equal_plain_ones() {
    let mut z3 = z3();
    let mut proved = 0;
    for seed in 0..90 {
        let mut terms = Terms::default();
        let numbers = &mut Numbers(seed);
        let width = WIDTHS[seed as usize % WIDTHS.len()];
        let plain = bits(&mut terms, numbers, width, 4);
        let simple = simplified(&mut terms, plain);
        let equal = terms.unsimplified(Node::Compare(CmpOp::Eq, plain, simple));
        let differs = terms.unsimplified(Node::BoolNot(equal));
        match ask(&mut z3, &mut terms, &[differs]) {
            Answer::Unsat(_) => proved += 1,
            // Products and quotients of wide terms can be too hard.
            Answer::Unknown(solver::Reason::Budget) => {}
            other => panic!(
                "seed {seed}: {other:?}: {} became {}",
                terms.display(plain),
                terms.display(simple)
            ),
        }
    }
    assert!(proved > 45, "only {proved} proved");
}

#[test]
fn both_solvers_give_the_same_verdicts() {
    let mut z3 = z3();
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    for seed in 1000..1090 {
        // It remembers terms, so each arena has a solver of its own.
        let mut sat = Sat::new(1_000);
        let mut terms = Terms::default();
        let numbers = &mut Numbers(seed);
        let width = WIDTHS[seed as usize % WIDTHS.len()];
        let constraints: Vec<Term> = (0..1 + numbers.below(4))
            .map(|_| bool(&mut terms, numbers, width, 3))
            .collect();
        let verdicts = (
            ask(&mut z3, &mut terms, &constraints),
            ask(&mut sat, &mut terms, &constraints),
        );
        match verdicts {
            (Answer::Sat(theirs), Answer::Sat(ours)) => {
                satisfiable += 1;
                assert!(
                    constraints.iter().all(|&c| terms.holds(c, &theirs)),
                    "seed {seed}"
                );
                assert!(
                    constraints.iter().all(|&c| terms.holds(c, &ours)),
                    "seed {seed}"
                );
            }
            (Answer::Unsat(_), Answer::Unsat(core)) => {
                unsatisfiable += 1;
                let core: Vec<Term> = core.iter().map(|&at| constraints[at]).collect();
                let again = ask(&mut z3, &mut terms, &core);
                assert!(
                    matches!(again, Answer::Unsat(_)),
                    "seed {seed}: the core is none"
                );
            }
            (Answer::Unknown(solver::Reason::Budget), _)
            | (_, Answer::Unknown(solver::Reason::Budget)) => {}
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(
        satisfiable > 20 && unsatisfiable > 8,
        "{satisfiable} sat, {unsatisfiable} unsat"
    );
}

#[test]
fn a_solver_that_does_not_exist_is_a_reason() {
    let mut missing = Smt::new(
        vec![SmtCommand::named("no-such-solver")],
        Duration::from_secs(1),
    );
    let mut terms = Terms::default();
    let never = terms.bool(false);
    let answer = ask(&mut missing, &mut terms, &[never]);
    let Answer::Unknown(solver::Reason::Failed(message)) = answer else {
        panic!("{answer:?}")
    };
    assert!(message.contains("no-such-solver"), "{message}");
}

#[test]
fn a_portfolio_answers_when_one_of_its_solvers_does() {
    let commands = ["no-such-solver", "z3"].map(SmtCommand::named);
    let mut portfolio = Smt::new(commands.to_vec(), Duration::from_secs(20));
    let mut terms = Terms::default();
    let (x, five) = (terms.var(expr::Var(0), 32), terms.constant(32, 5));
    let equal = terms.eq(x, five);
    let Answer::Sat(model) = ask(&mut portfolio, &mut terms, &[equal]) else {
        panic!("it is satisfiable")
    };
    assert!(terms.holds(equal, &model));
}

#[test]
fn without_an_answer_every_reason_is_kept() {
    let commands = ["no-such-solver", "nor-this-one"].map(SmtCommand::named);
    let smt = Smt::new(commands.to_vec(), Duration::from_secs(1));
    let mut terms = Terms::default();
    let (x, y) = (terms.var(expr::Var(0), 64), terms.var(expr::Var(1), 64));
    let (product, one) = (terms.mul(x, y), terms.constant(64, 1));
    let number = terms.constant(64, 4_294_967_291 * 4_294_967_279);
    let constraints = [
        terms.ult(one, x),
        terms.ult(x, y),
        terms.ult(y, number),
        terms.eq(product, number),
    ];
    let mut both = solver::Fallback::new(Sat::new(10), smt);
    let Answer::Unknown(reason) = ask(&mut both, &mut terms, &constraints) else {
        panic!("that was too easy")
    };
    let text = reason.to_string();
    for part in ["limit", "no-such-solver", "nor-this-one"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn whoever_asks_can_end_a_query_before_its_time() {
    let mut terms = Terms::default();
    let constraints = [terms.bool(true)];
    let commands = vec![SmtCommand {
        program: "sleep".into(),
        arguments: vec!["600".to_owned()],
    }];
    let mut smt = Smt::new(commands, Duration::from_secs(600)).until(Some(Stop::when(|| true)));
    let answer = ask(&mut smt, &mut terms, &constraints);
    assert_eq!(answer, Answer::Unknown(solver::Reason::Stopped));
}
