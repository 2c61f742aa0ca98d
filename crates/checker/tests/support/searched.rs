//! Programs that a search takes all paths of, and checks of these paths by z3.

#![allow(dead_code)] // each test file uses its part

use std::collections::BTreeSet;

use checker::{GoalClaim, Refusal, SearchRun, Shown, check_search};
use explore::{NullObserver, Options, Outside, ProofShare, execution_rules, explore};
use ir::certificate::CodePlace;
use ir::certificate::paths::{SearchPaths, TakenPaths};
use ir::{CodeIndex, Program};

use crate::support::z3;

/// A program that was searched, and its paths.
pub struct Searched {
    pub program: Program,
    pub options: Options,
    pub paths: TakenPaths,
}

/// Searches a program in text form, which ends with all paths taken.
pub fn searched(text: &str, configure: impl Fn(&mut Options)) -> Searched {
    let (program, entry) = crate::support::program(text);
    let mut options = Options::new(entry);
    options.proofs = ProofShare::None;
    configure(&mut options);
    let found = explore(&program, &options, Outside::default(), &mut NullObserver);
    let Some(SearchPaths::Taken(paths)) = found.paths else {
        panic!("the search did not take all paths: {:?}", found.suite);
    };
    Searched {
        program,
        options,
        paths,
    }
}

impl Searched {
    /// The edge out of a block of the entry function.
    pub fn edge(&self, block: u32, successor: u32) -> CodePlace {
        crate::support::edge(self.options.entry, block, successor)
    }

    /// Checks by some paths that nothing reaches a place, within some bounds.
    pub fn checked_within(
        &self,
        paths: &TakenPaths,
        place: CodePlace,
        bounds: &[&str],
    ) -> Result<Shown, Refusal> {
        let rules = execution_rules(&self.program, &self.options);
        let index = CodeIndex::new(&self.program);
        let run = SearchRun {
            program: &self.program,
            index: &index,
            entry: self.options.entry,
            precondition: self.options.precondition,
            machine: rules.machine,
            assumed: rules.assumed,
            called_by_others: rules.called_by_others,
        };
        let bounds: BTreeSet<String> = bounds.iter().map(|&name| name.to_owned()).collect();
        let claim = GoalClaim {
            places: vec![place],
            bounds,
        };
        let mut results = check_search(&run, paths, &[claim], &mut z3())?;
        results.pop().expect("a result for the claim")
    }

    /// Checks by some paths that nothing reaches a place.
    pub fn checked(&self, paths: &TakenPaths, place: CodePlace) -> Result<Shown, Refusal> {
        self.checked_within(paths, place, &[])
    }

    /// The paths, changed.
    pub fn changed(&self, change: impl FnOnce(&mut TakenPaths)) -> TakenPaths {
        let mut paths = self.paths.clone();
        change(&mut paths);
        paths
    }

    /// Requires that a place is shown to be unreachable.
    #[track_caller]
    pub fn is_accepted(&self, place: CodePlace) {
        let found = self.checked(&self.paths, place);
        assert!(found.is_ok(), "{found:?} by {:?}", self.paths);
    }

    /// Requires that it is not, for a reason.
    #[track_caller]
    pub fn is_refused(&self, paths: &TakenPaths, place: CodePlace, why: &str) {
        let found = self.checked(paths, place).expect_err("it is refused");
        assert!(found.why.contains(why), "{found:?}");
    }
}
