//! Messages about differences between the machine and the compiled program.

use coverage::Suite;
use emit::replay::Difference;
use ir::{Program, TestId};

use crate::failure::Failure;
use crate::message::{Message, Severity};
use crate::sources::SourceRange;
use crate::status::Status;

/// A difference between the machine and the compiled program: a defect of attest.
pub fn told(
    program: &Program,
    suite: &Suite,
    difference: &Difference,
    number: &dyn Fn(TestId) -> usize,
) -> Failure {
    let goal_message = |test: TestId, goal: coverage::GoalId, only: &str| {
        let goal = &suite.goals[goal].goal;
        let title = format!(
            "test {} reaches this only {only}: {}",
            number(test),
            goal.told_side()
        );
        let place = SourceRange::of(program, &goal.span);
        Message::new(Severity::Error, title).at(place, goal.told_side())
    };
    let message = match difference {
        Difference::NotReached { test, goal } => goal_message(*test, *goal, "in the machine"),
        Difference::NotClaimed { test, goal } => goal_message(*test, *goal, "when compiled"),
        Difference::OtherPath { test } => {
            let test = number(*test);
            let title = format!("test {test} takes another path when compiled");
            Message::new(Severity::Error, title)
        }
        Difference::NotPassed {
            test,
            compiler,
            status,
        } => {
            let test = number(*test);
            let title = format!("test {test}, compiled by {compiler}, {status}");
            Message::new(Severity::Error, title)
        }
        Difference::NotClean { test, report } => {
            let test = number(*test);
            let title = format!("test {test} has a defect of its own: {report}");
            Message::new(Severity::Error, title)
        }
        Difference::NotCompiled { message } => {
            let title = format!("gcc does not compile the tests:\n{message}");
            Message::new(Severity::Error, title)
        }
    };
    let help = "machine and compiled program disagree, which is a defect of attest; please \
                report it with the C file";
    Failure {
        status: Status::Failed,
        messages: vec![message.help(help)],
    }
}
