//! Petri nets as C programs, in the manner of the WCET benchmark nsichneu: rounds of a long row of
//! `if`s, each of which compares three places and changes their marking.
//!
//! The initial marking of the places is an input. Every side of every condition is reachable by
//! construction: the transitions are made one after the other, beside a set of random markings that
//! are carried along through the first round; a transition is only taken if among them each of its
//! conditions is seen true and false. These markings are the witnesses.

use std::fmt::Write as _;

use super::random::Random;

/// How large a net is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Places, at least three.
    pub places: usize,
    /// Transitions, each an `if` of three conditions.
    pub transitions: usize,
    /// How often each transition is tried.
    pub rounds: usize,
}

/// A net.
#[derive(Clone, Debug)]
pub struct Net {
    size: Size,
    transitions: Vec<Transition>,
    /// Initial markings that reach each side of each condition, together.
    pub witnesses: Vec<Marking>,
}

/// For each place how many tokens are there.
pub type Marking = Vec<u32>;

#[derive(Clone, Debug)]
struct Transition {
    guards: [Guard; 3],
    changes: [Change; 3],
}

/// A condition on a place.
#[derive(Clone, Copy, Debug)]
struct Guard {
    place: usize,
    relation: Relation,
    tokens: u32,
}

#[derive(Clone, Copy, Debug)]
enum Relation {
    AtLeast,
    Below,
    Exactly,
    Not,
}

/// What a transition does to a place.
#[derive(Clone, Copy, Debug)]
struct Change {
    place: usize,
    effect: Effect,
}

#[derive(Clone, Copy, Debug)]
enum Effect {
    Add(u32),
    Set(u32),
}

/// Markings that are carried along while a net is made.
const MARKINGS: usize = 96;
/// Tokens that a place of them has at first, at most.
const MOST_TOKENS: usize = 8;

impl Net {
    /// A net, the same for the same seed.
    pub fn generate(size: Size, seed: u64) -> Net {
        let mut random = Random::new(seed);
        let mut marking = || {
            let place = |_| random.below(MOST_TOKENS) as u32;
            (0..size.places).map(place).collect::<Marking>()
        };
        let initial: Vec<Marking> = (0..MARKINGS).map(|_| marking()).collect();
        let mut current = initial.clone();
        let mut needed = vec![false; MARKINGS];
        let mut transitions = Vec::with_capacity(size.transitions);
        while transitions.len() < size.transitions {
            let transition = Transition::random(&mut random, &current);
            if let Some(witnesses) = transition.witnesses(&current) {
                witnesses.iter().for_each(|&witness| needed[witness] = true);
                current
                    .iter_mut()
                    .for_each(|marking| transition.fire(marking));
                transitions.push(transition);
            }
        }
        let kept = initial
            .into_iter()
            .zip(needed)
            .filter(|(_, needed)| *needed);
        Net {
            size,
            transitions,
            witnesses: kept.map(|(marking, _)| marking).collect(),
        }
    }

    /// The net as C; its entry function is `petri`.
    pub fn program(&self) -> String {
        let Size { places, rounds, .. } = self.size;
        let names: Vec<String> = (0..places).map(|place| format!("p{place}")).collect();
        let mut text = format!(
            "/* A Petri net: {} transitions on {places} places, {rounds} rounds. */\n\
             unsigned {};\n\nstatic void fire(void)\n{{\n",
            self.transitions.len(),
            names.join(", ")
        );
        for transition in &self.transitions {
            text.push_str(&transition.statement());
        }
        let _ = write!(
            text,
            "}}\n\nint petri(void)\n{{\n    for (int round = 0; round < {rounds}; round++)\n        \
             fire();\n    return 0;\n}}\n"
        );
        text
    }

    /// A `main` for the program that runs each witness.
    #[cfg(test)]
    fn witness_program(&self) -> String {
        let mut text = "int petri(void);\n".to_owned();
        for place in 0..self.size.places {
            let _ = writeln!(text, "extern unsigned p{place};");
        }
        text.push_str("\nint main(void)\n{\n");
        for witness in &self.witnesses {
            for (place, tokens) in witness.iter().enumerate() {
                let _ = write!(text, " p{place} = {tokens};");
            }
            text.push_str("\n    petri();\n");
        }
        text.push_str("    return 0;\n}\n");
        text
    }
}

impl Transition {
    /// Conditions that one of the markings satisfies, on three places, and changes of these.
    fn random(random: &mut Random, markings: &[Marking]) -> Transition {
        let model = &markings[random.below(markings.len())];
        let places = three_places(random, model.len());
        let guards = places.map(|place| Guard::random(random, place, model[place]));
        let changes = guards.map(|guard| Change::random(random, guard));
        Transition { guards, changes }
    }

    /// For each side of each condition a marking that reaches it, if there are such.
    fn witnesses(&self, markings: &[Marking]) -> Option<[usize; 4]> {
        let passed =
            |marking: &Marking| self.guards.iter().take_while(|g| g.holds(marking)).count();
        let mut found = [None; 4];
        for (at, marking) in markings.iter().enumerate() {
            found[passed(marking)].get_or_insert(at);
        }
        match found {
            [Some(a), Some(b), Some(c), Some(d)] => Some([a, b, c, d]),
            _ => None,
        }
    }

    fn fire(&self, marking: &mut Marking) {
        if self.guards.iter().all(|guard| guard.holds(marking)) {
            for change in &self.changes {
                let tokens = &mut marking[change.place];
                *tokens = match change.effect {
                    Effect::Add(more) => tokens.wrapping_add(more),
                    Effect::Set(new) => new,
                };
            }
        }
    }

    fn statement(&self) -> String {
        let conditions = self.guards.map(|guard| guard.text()).join(" && ");
        let changes = self.changes.map(|change| change.text()).join("\n        ");
        format!("    if ({conditions}) {{\n        {changes}\n    }}\n")
    }
}

impl Guard {
    /// A condition that holds for so many tokens.
    fn random(random: &mut Random, place: usize, tokens: u32) -> Guard {
        let slack = random.below(2) as u32;
        let (relation, tokens) = match random.below(5) {
            0 | 1 if tokens > slack => (Relation::AtLeast, tokens - slack),
            0 | 1 => (Relation::Below, tokens + 1),
            2 => (Relation::Below, tokens + 1 + slack),
            3 => (Relation::Exactly, tokens),
            _ => (Relation::Not, tokens + 1),
        };
        Guard {
            place,
            relation,
            tokens,
        }
    }

    fn holds(&self, marking: &Marking) -> bool {
        let tokens = marking[self.place];
        match self.relation {
            Relation::AtLeast => tokens >= self.tokens,
            Relation::Below => tokens < self.tokens,
            Relation::Exactly => tokens == self.tokens,
            Relation::Not => tokens != self.tokens,
        }
    }

    fn text(&self) -> String {
        let relation = match self.relation {
            Relation::AtLeast => ">=",
            Relation::Below => "<",
            Relation::Exactly => "==",
            Relation::Not => "!=",
        };
        format!("p{} {relation} {}", self.place, self.tokens)
    }
}

impl Change {
    /// Takes from a place where enough is for sure, adds to one where little is for sure, and sets
    /// others.
    fn random(random: &mut Random, guard: Guard) -> Change {
        let effect = match guard.relation {
            Relation::AtLeast => Effect::Add(guard.tokens.wrapping_neg()),
            Relation::Below => Effect::Add(1 + random.below(3) as u32),
            Relation::Exactly | Relation::Not => Effect::Set(random.below(MOST_TOKENS) as u32),
        };
        Change {
            place: guard.place,
            effect,
        }
    }

    fn text(&self) -> String {
        let place = self.place;
        match self.effect {
            Effect::Add(more) if more > u32::MAX / 2 => {
                format!("p{place} -= {};", more.wrapping_neg())
            }
            Effect::Add(more) => format!("p{place} += {more};"),
            Effect::Set(tokens) => format!("p{place} = {tokens};"),
        }
    }
}

fn three_places(random: &mut Random, places: usize) -> [usize; 3] {
    loop {
        let [a, b, c] = [(); 3].map(|()| random.below(places));
        if a != b && b != c && a != c {
            return [a, b, c];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Net, Size};
    use crate::commands::bench::gcov::untaken_branches;

    const SMALL: Size = Size {
        places: 6,
        transitions: 12,
        rounds: 2,
    };

    #[test]
    fn a_seed_makes_one_net() {
        let [first, again, other] = [1, 1, 2].map(|seed| Net::generate(SMALL, seed).program());
        assert_eq!(first, again);
        assert_ne!(first, other);
    }

    #[test]
    fn each_transition_is_an_if() {
        let program = Net::generate(SMALL, 7).program();
        assert_eq!(program.matches("if (").count(), SMALL.transitions);
        assert_eq!(program.matches(" && ").count(), 2 * SMALL.transitions);
    }

    #[test]
    fn the_witnesses_reach_every_branch_of_the_compiled_program() {
        let large = Size {
            places: 30,
            transitions: 300,
            rounds: 2,
        };
        for (size, seed) in [(SMALL, 3), (large, 1)] {
            let net = Net::generate(size, seed);
            let untaken = untaken_branches(&net.program(), &net.witness_program(), &[]);
            assert_eq!(untaken, Vec::<String>::new());
        }
    }
}
