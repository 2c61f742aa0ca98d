//! The calls around nodes, and the values that these may still return.

use std::cell::RefCell;
use std::sync::Arc;

use analysis::{PossibleReturns, Values};
use expr::Terms;
use ir::input::CallMode;
use ir::{CodeBlock, ObjectId};
use rustc_hash::FxHashMap;
use vm::{Context, Execution, MadeCall, Site};

use crate::branch_site::BranchSite;
use crate::open_goals::OpenGoals;

/// A call that could be replaced and was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitCall {
    pub call: ObjectId,
    /// Where it was made.
    pub site: Site,
    /// The caller's context.
    pub caller: Context,
}

/// For each constraint of a path the calls that it is in and that could be replaced, the outermost
/// first.
pub(crate) fn calls(execution: &Execution) -> impl Iterator<Item = Arc<[UnitCall]>> + '_ {
    let entered = |made: &&MadeCall| made.mode == CallMode::Entered;
    let mut made = execution.made.iter().filter(entered).peekable();
    let mut ends: Vec<usize> = Vec::new();
    let mut calls: Arc<[UnitCall]> = Arc::new([]);
    (0..execution.path.len()).map(move |at| {
        let before = ends.len();
        ends.retain(|&end| at < end);
        if ends.len() < before {
            calls = calls[..ends.len()].into();
        }
        let here = Arc::clone(&calls);
        while let Some(next) = made.next_if(|made| made.at <= at) {
            let constraint = &execution.path[at];
            let call = UnitCall {
                call: next.call,
                site: constraint.site,
                caller: constraint.context,
            };
            calls = calls.iter().copied().chain([call]).collect();
            ends.push(next.returned.map_or(usize::MAX, |(end, _)| end));
        }
        here
    })
}

/// For each constraint of a path the calls before it that were executed and returned a constant,
/// with that.
pub(crate) fn returned(
    execution: &Execution,
    terms: &Terms,
) -> impl Iterator<Item = Arc<[(ObjectId, u128)]>> {
    let made = execution.made.iter();
    let constant = made.filter_map(|made| {
        let (end, result) = made.returned?;
        Some((end, made.call, terms.as_constant(result?)?))
    });
    let mut constant: Vec<_> = constant.collect();
    constant.sort_by_key(|&(end, ..)| end);
    let mut constant = constant.into_iter().peekable();
    let mut returned: Arc<[(ObjectId, u128)]> = Arc::new([]);
    (0..execution.path.len()).map(move |at| {
        while let Some((_, call, value)) = constant.next_if(|&(end, ..)| end <= at) {
            returned = returned.iter().copied().chain([(call, value)]).collect();
        }
        Arc::clone(&returned)
    })
}

/// The values that calls may still return; remembers its answers.
#[derive(Debug)]
pub(crate) struct ReturnValues {
    returned: PossibleReturns,
    known: RefCell<FxHashMap<(CodeBlock, Context, Context), Arc<Values>>>,
}

impl ReturnValues {
    /// Of a program's functions.
    pub fn new(returned: PossibleReturns) -> ReturnValues {
        ReturnValues {
            returned,
            known: RefCell::default(),
        }
    }

    /// What a call may return by a flip at a place in it.
    pub fn of(&self, call: UnitCall, place: BranchSite, open_goals: &OpenGoals<'_>) -> Arc<Values> {
        let from = open_goals.behind(place);
        let key = (from, place.context, call.caller);
        let mut known = self.known.borrow_mut();
        let values = known
            .entry(key)
            .or_insert_with(|| Arc::new(self.find(from, call, place, open_goals)));
        Arc::clone(values)
    }

    fn find(
        &self,
        from: CodeBlock,
        call: UnitCall,
        place: BranchSite,
        open_goals: &OpenGoals<'_>,
    ) -> Values {
        let mut values = self.returned.from(from, None);
        let mut context = place.context;
        while let Some((caller, site)) = open_goals.caller(context) {
            if (caller, site) == (call.caller, call.site) {
                return values;
            }
            let made = open_goals.block(site);
            values = match open_goals.code().reach.after_call(made) {
                Some(after) => self.returned.from(after, Some((made, &values))),
                None => Values::Of(Default::default()),
            };
            context = caller;
        }
        Values::Any
    }
}
