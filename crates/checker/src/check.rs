//! Checks of proofs: their obligations, one after the other, by an external solver.

use std::collections::BTreeSet;

use expr::{Term, Terms};
use ir::certificate::{CodePlace, PlaceProof};
use ir::library::Primitive;
use ir::{FunctionId, Program, Terminator};

use crate::obligations::{Group, Obligation, obligations};
use crate::process::{Answer, Solver};
use crate::products::without_products;
use crate::refusal::Refusal;
use crate::script::script;
use crate::unfolding::Node;
use crate::world::World;

/// What is claimed of a goal: that no execution of a function reaches any of some places.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The function.
    pub entry: FunctionId,
    /// The places.
    pub places: Vec<CodePlace>,
    /// Whether it is claimed only if functions without a body call no function of the program.
    pub is_quiet: bool,
    /// Whether it is claimed only if allocations never fail.
    pub never_fails: bool,
}

/// Checks that proofs show a claim. Returns how many obligations were shown.
///
/// # Errors
/// The proofs are refused.
pub fn check(
    program: &Program,
    claim: &Claim,
    proofs: &[PlaceProof],
    solver: &mut dyn Solver,
) -> Result<usize, Refusal> {
    let mut shown = 0;
    for groups in all_obligations(program, claim, proofs)? {
        for Group {
            mut terms,
            obligations,
        } in groups
        {
            for obligation in &obligations {
                show(&mut terms, obligation, solver)?;
                shown += 1;
            }
        }
    }
    Ok(shown)
}

/// The obligations of the proofs of each place of a claim.
///
/// # Errors
/// The proofs are refused for another reason than an obligation.
pub fn all_obligations(
    program: &Program,
    claim: &Claim,
    proofs: &[PlaceProof],
) -> Result<Vec<Vec<Group>>, Refusal> {
    if claim.places.is_empty() {
        return Err(Refusal::bad("the goal has no place in the code"));
    }
    let mut all = Vec::new();
    for place in &claim.places {
        let mut of_place = proofs.iter().filter(|proof| proof.place == *place);
        let Some(proof) = of_place.next() else {
            return Err(Refusal::bad("a place of the goal has no proof"));
        };
        if proof.allocations_succeed && !claim.never_fails {
            return Err(Refusal::bad("the bound allocation-failures is not named"));
        }
        let mut world = World::new(program, claim, &proof.heap)?;
        world.assume(&proof.checks)?;
        has_all_executions(&world, *place)?;
        all.push(obligations(&world, proof)?);
    }
    Ok(all)
}

/// Shows an obligation: by a part of its conditions, if that is enough.
fn show(
    terms: &mut Terms,
    obligation: &Obligation,
    solver: &mut dyn Solver,
) -> Result<(), Refusal> {
    let is_false = |&term| terms.as_bool(term) == Some(false);
    if obligation.conditions.iter().any(is_false) {
        return Ok(());
    }
    let name = match obligation.formula {
        Some(number) => format!("{} of formula {number}", obligation.kind.name()),
        None => obligation.kind.name().to_owned(),
    };
    for part in &obligation.parts {
        if let Answer::Unsatisfiable = ask(terms, part, solver) {
            return Ok(());
        }
    }
    let failed = match ask(terms, &obligation.conditions, solver) {
        Answer::Unsatisfiable => return Ok(()),
        Answer::Satisfiable => format!("{name} fails"),
        Answer::Unknown(why) => format!("{name} is not shown: {why}"),
    };
    Err(Refusal::bad(failed).at(obligation.span.clone()))
}

/// Whether conditions can hold at once: with products of any values first.
fn ask(terms: &mut Terms, conditions: &[Term], solver: &mut dyn Solver) -> Answer {
    if let Some(without) = without_products(terms, conditions)
        && let Answer::Unsatisfiable = solver.ask(&script(terms, &without))
    {
        return Answer::Unsatisfiable;
    }
    solver.ask(&script(terms, conditions))
}

/// Whether the unfolded code has all executions that may reach a place, and does what it stands for.
fn has_all_executions(world: &World<'_>, place: CodePlace) -> Result<(), Refusal> {
    let unfolding = &world.unfolding;
    let function = FunctionId::from_raw(place.function);
    if world.hidden.contains(&function) {
        return Err(Refusal::needs(
            "all calls of the goal's function: some are recursive, by pointers or from outside",
        ));
    }
    let goals: BTreeSet<Node> = unfolding
        .nodes()
        .filter(|&node| {
            let frame = &unfolding.frames[unfolding.frame(node)];
            frame.function == function && unfolding.block_of(node).raw() == place.block
        })
        .collect();
    if goals.is_empty() {
        return Err(Refusal::bad("its place is not in the code that is entered"));
    }
    let stands_in = unfolding.nodes().filter(|&node| stands_in(world, node));
    let behind = unfolding.graph.reachable(stands_in);
    match goals.iter().any(|goal| behind.contains(goal.index())) {
        true => Err(Refusal::needs(
            "a construct before the goal that is not supported, or a model that is narrower than \
             its function",
        )),
        false => Ok(()),
    }
}

/// Whether a node ends in what stands for other code, and is not all of it.
fn stands_in(world: &World<'_>, node: Node) -> bool {
    match &world.unfolding.block(node).terminator {
        Terminator::Unsupported { .. } => true,
        Terminator::Call { callee, .. } => callee.direct().is_some_and(|callee| {
            let primitive = Primitive::of(&world.program.functions[callee]);
            let is_narrow = matches!(
                primitive,
                Some(
                    Primitive::NarrowModel
                        | Primitive::UntestedModel
                        | Primitive::NarrowErrorNumber
                )
            );
            is_narrow || world.program.may_be_own(callee)
        }),
        _ => false,
    }
}
