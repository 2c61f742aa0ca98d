//! The notation of call sequences: `init;(add|remove){0,5};destroy`.
//!
//! Calls are separated by `;`, alternatives by `|`; a call or a group in parentheses may be
//! followed by `?`, `*`, `+`, `{n}` or `{m,n}`. A name after `=` is of a function whose result
//! becomes the object that the calls share.

use analysis::Reach;
use explore::sequence::{add_driver, shared};
use ir::sequence::{Call, Role, Sequence, SharedOrigin, State};
use ir::{CodeIndex, FunctionId, Linkage, Origin, Program, Type};

use crate::entry;
use crate::failure::Failure;

/// How often `*` and `+` repeat at most.
const MOST: usize = 4;

/// The most states that a sequence may have: its calls are unrolled.
const MOST_STATES: usize = 2000;

/// The name of the driver of a sequence that the user writes.
pub const DRIVER: &str = "sequence";

/// The most functions that are called to bring an object of an opaque type into a state, and how
/// often.
const MOST_CHANGES: (usize, usize) = (8, 3);

/// How objects of the types that the unit of a function does not know are made for it: by the
/// functions of the program that return and change them. `None` if it knows its types, or no
/// function makes them.
pub fn for_opaque(program: &Program, entry: FunctionId) -> Option<String> {
    let types = &program.types;
    let parameters = |id: FunctionId| match types.kind(program.functions[id].ty) {
        Type::Function(ty) => ty.parameters.as_slice(),
        _ => &[],
    };
    let unknown = &program.units[program.functions[entry].unit].unknown_records;
    let opaque = parameters(entry).iter().find_map(|&ty| {
        let pointee = types.pointee(ty)?;
        match types.kind(pointee) {
            Type::Record(record) if unknown.contains(record) => Some(pointee),
            _ => None,
        }
    })?;
    let takes = |id| {
        parameters(id)
            .iter()
            .any(|&ty| types.pointee(ty) == Some(opaque))
    };
    let makes = |id: FunctionId| match types.kind(program.functions[id].ty) {
        Type::Function(ty) => types.pointee(ty.result) == Some(opaque) && !takes(id),
        _ => false,
    };
    let callable = |&id: &FunctionId| {
        let function = &program.functions[id];
        let is_known = function.linkage == Linkage::External;
        function.body.is_some() && is_known && program.origin(id) == Origin::User && id != entry
    };
    let names = |wanted: &dyn Fn(FunctionId) -> bool| -> Vec<&str> {
        let all = program.functions.indices().filter(callable);
        let found = all.filter(|&id| wanted(id));
        found
            .map(|id| program.functions[id].name.as_str())
            .collect()
    };
    let index = CodeIndex::new(program);
    let reach = Reach::new(program, &index);
    let ends = |id: FunctionId| {
        let called = reach.functions_from(id).into_iter();
        let mut called = called.map(|id| program.functions[id].name.as_str());
        parameters(id).len() == 1 && called.any(|name| name == "free")
    };
    let (made, changed) = (names(&makes), names(&|id| takes(id) && !ends(id)));
    if made.is_empty() {
        return None;
    }
    let (most, times) = MOST_CHANGES;
    let changed = &changed[..changed.len().min(most)];
    let between = match changed.is_empty() {
        true => String::new(),
        false => format!("({}){{0,{times}}};", changed.join("|")),
    };
    let name = &program.functions[entry].name;
    Some(format!("({});{between}{name}", made.join("|")))
}

/// Reads a sequence, and adds its driver to the program under a name.
pub fn read(program: &mut Program, notation: &str, name: &str) -> Result<Sequence, Failure> {
    let mut sequence = parse(program, notation)?;
    add_driver(program, &mut sequence, name);
    Ok(sequence)
}

/// Reads a sequence, which has no driver yet.
pub fn parse(program: &Program, notation: &str) -> Result<Sequence, Failure> {
    let mut reader = Reader {
        rest: notation,
        whole: notation,
    };
    let node = reader.alternatives()?;
    if !reader.rest.is_empty() {
        return Err(reader.wrong("the sequence should end here"));
    }
    let mut builder = Builder {
        program,
        states: Vec::new(),
    };
    let end = builder.add(State {
        calls: Vec::new(),
        may_end: true,
    })?;
    let start = builder.before(&node, end)?;
    let states = renumbered(&builder.states, start);
    let all: Vec<Call> = calls(&states).copied().collect();
    if all.is_empty() {
        return Err(Failure::bad_input(
            "the sequence calls nothing",
            "name functions: --sequence 'init;(add|remove){0,5}'",
        ));
    }
    let mut sequence = Sequence {
        notation: notation.to_owned(),
        driver: FunctionId::from_raw(0),
        shared: shared(program, &all),
        variable: None,
        states,
    };
    adopt(program, &mut sequence);
    Ok(sequence)
}

/// The functions that a sequence is there to test, each once, in order: the one that its driver is
/// named after, or all.
pub fn tested(program: &Program, sequence: &Sequence) -> Vec<FunctionId> {
    let name = |id: FunctionId| &program.functions[id].name;
    let mut found = Vec::new();
    for call in calls(&sequence.states) {
        if !found.contains(&call.function) {
            found.push(call.function);
        }
    }
    let entry = found.iter().find(|&&id| name(id) == name(sequence.driver));
    entry.map_or(found.clone(), |&entry| vec![entry])
}

/// The calls that a sequence leaves out of its notation, each as a sentence.
pub fn left_out(program: &Program, sequence: &Sequence) -> Vec<String> {
    let types = &program.types;
    let roles = |call: &Call| -> Vec<Role> {
        match types.kind(program.functions[call.function].ty) {
            Type::Function(ty) => {
                let parameters = ty.parameters.iter();
                parameters.map(|&ty| sequence.role(types, ty)).collect()
            }
            _ => Vec::new(),
        }
    };
    let takes_shared = |role: &Role| *role != Role::Input;
    let mut found = Vec::new();
    if sequence.notation.contains(['*', '+']) {
        found.push(format!("`*` and `+` repeat calls at most {MOST} times"));
    }
    let is_twice = |call: &Call| roles(call).iter().filter(|role| takes_shared(role)).count() > 1;
    if calls(&sequence.states).any(is_twice) {
        found.push("all pointers of a call to the shared object's type are to that object".into());
    }
    let is_result =
        sequence.shared.as_ref().map(|shared| shared.origin) == Some(SharedOrigin::Result);
    let makes = |call: &Call| call.adopts && !roles(call).iter().any(takes_shared);
    let goes_on = |state: &State| !state.calls.is_empty();
    let is_maker = |call: &Call| makes(call) && sequence.states.get(call.next).is_some_and(goes_on);
    if is_result && calls(&sequence.states).any(is_maker) {
        found.push("nothing is called with NULL where no object could be made".into());
    }
    found
}

fn calls(states: &[State]) -> impl Iterator<Item = &Call> {
    states.iter().flat_map(|state| &state.calls)
}

/// Results of functions that make the shared object become it.
fn adopt(program: &Program, sequence: &mut Sequence) {
    let Some(shared) = &sequence.shared else {
        return;
    };
    if shared.origin != SharedOrigin::Result {
        calls_mut(&mut sequence.states).for_each(|call| call.adopts = false);
        return;
    }
    let types = &program.types;
    let ty = shared.ty;
    for call in calls_mut(&mut sequence.states) {
        let Type::Function(function) = types.kind(program.functions[call.function].ty) else {
            continue;
        };
        let mut parameters = function.parameters.iter();
        let makes = types.pointee(function.result) == Some(ty)
            && !parameters.any(|&parameter| types.pointee(parameter) == Some(ty));
        call.adopts = types.pointee(function.result) == Some(ty) && (call.adopts || makes);
    }
}

fn calls_mut(states: &mut [State]) -> impl Iterator<Item = &mut Call> {
    states.iter_mut().flat_map(|state| &mut state.calls)
}

/// The states that can be reached from one, which comes first.
fn renumbered(states: &[State], start: usize) -> Vec<State> {
    let mut order = vec![start];
    let mut at = 0;
    while let Some(&state) = order.get(at) {
        for call in &states[state].calls {
            if !order.contains(&call.next) {
                order.push(call.next);
            }
        }
        at += 1;
    }
    let number = |state| order.iter().position(|&known| known == state).unwrap_or(0);
    let renumber = |&state: &usize| {
        let mut state = states[state].clone();
        for call in &mut state.calls {
            call.next = number(call.next);
        }
        state
    };
    order.iter().map(renumber).collect()
}

/// The syntax tree of a notation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Call { name: String, adopts: bool },
    InTurn(Vec<Node>),
    OneOf(Vec<Node>),
    Repeated(Box<Node>, usize, usize),
}

struct Reader<'a> {
    rest: &'a str,
    whole: &'a str,
}

impl Reader<'_> {
    fn alternatives(&mut self) -> Result<Node, Failure> {
        let mut nodes = vec![self.in_turn()?];
        while self.take('|') {
            nodes.push(self.in_turn()?);
        }
        Ok(single_or(nodes, Node::OneOf))
    }

    fn in_turn(&mut self) -> Result<Node, Failure> {
        let mut nodes = Vec::new();
        loop {
            self.skip();
            if self.rest.is_empty() || self.rest.starts_with(['|', ')']) {
                break;
            }
            nodes.push(self.repeated()?);
            if !self.take(';') {
                break;
            }
        }
        Ok(single_or(nodes, Node::InTurn))
    }

    fn repeated(&mut self) -> Result<Node, Failure> {
        let node = if self.take('(') {
            let node = self.alternatives()?;
            if !self.take(')') {
                return Err(self.wrong("a `)` is missing here"));
            }
            node
        } else {
            self.call()?
        };
        let (least, most) = if self.take('?') {
            (0, 1)
        } else if self.take('*') {
            (0, MOST)
        } else if self.take('+') {
            (1, MOST)
        } else if self.take('{') {
            self.bounds()?
        } else {
            return Ok(node);
        };
        Ok(Node::Repeated(Box::new(node), least, most))
    }

    fn bounds(&mut self) -> Result<(usize, usize), Failure> {
        let least = self.number()?;
        let most = if self.take(',') {
            self.number()?
        } else {
            least
        };
        if !self.take('}') {
            return Err(self.wrong("a `}` is missing here"));
        }
        if most < least {
            return Err(self.wrong("the bounds before this are the wrong way round"));
        }
        Ok((least, most))
    }

    fn number(&mut self) -> Result<usize, Failure> {
        let digits = self.while_true(|c| c.is_ascii_digit());
        let number = digits
            .parse()
            .ok()
            .filter(|&number: &usize| number <= MOST_STATES);
        number.ok_or_else(|| self.wrong("a number of repetitions should be here"))
    }

    fn call(&mut self) -> Result<Node, Failure> {
        let adopts = self.take('=');
        let name = self.while_true(|c| c.is_alphanumeric() || c == '_');
        match name.is_empty() {
            true => Err(self.wrong("a function should be named here")),
            false => Ok(Node::Call { name, adopts }),
        }
    }

    fn while_true(&mut self, belongs: impl Fn(char) -> bool) -> String {
        self.skip();
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text.to_owned()
    }

    fn take(&mut self, wanted: char) -> bool {
        self.skip();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn wrong(&self, what: &str) -> Failure {
        let read = &self.whole[..self.whole.len() - self.rest.len()];
        Failure::bad_input(
            format!("cannot read the sequence: {what}: {read}▸{}", self.rest),
            "write it like init;(add|remove|find){0,5}",
        )
    }
}

fn single_or(mut nodes: Vec<Node>, many: fn(Vec<Node>) -> Node) -> Node {
    match nodes.len() {
        1 => nodes.remove(0),
        _ => many(nodes),
    }
}

/// Makes states, from the end to the start.
struct Builder<'a> {
    program: &'a Program,
    states: Vec<State>,
}

impl Builder<'_> {
    fn add(&mut self, state: State) -> Result<usize, Failure> {
        if self.states.len() == MOST_STATES {
            return Err(Failure::bad_input(
                format!("the sequence has more than {MOST_STATES} calls"),
                "repeat fewer times",
            ));
        }
        self.states.push(state);
        Ok(self.states.len() - 1)
    }

    /// The state from which the node leads to the state `next`.
    fn before(&mut self, node: &Node, next: usize) -> Result<usize, Failure> {
        match node {
            Node::Call { name, adopts } => {
                let function = entry::by_name(self.program, name)?;
                let call = Call {
                    function,
                    precondition: entry::precondition(self.program, function, None)?,
                    adopts: *adopts,
                    next,
                };
                self.add(State {
                    calls: vec![call],
                    may_end: false,
                })
            }
            Node::InTurn(nodes) => {
                let mut nodes = nodes.iter().rev();
                nodes.try_fold(next, |next, node| self.before(node, next))
            }
            Node::OneOf(nodes) => {
                let starts: Result<Vec<usize>, Failure> =
                    nodes.iter().map(|node| self.before(node, next)).collect();
                self.either(&starts?)
            }
            Node::Repeated(node, least, most) => {
                let mut at = next;
                for _ in *least..*most {
                    let again = self.before(node, at)?;
                    at = self.either(&[again, next])?;
                }
                for _ in 0..*least {
                    at = self.before(node, at)?;
                }
                Ok(at)
            }
        }
    }

    /// A state that is any of these.
    fn either(&mut self, states: &[usize]) -> Result<usize, Failure> {
        let mut merged = State::default();
        for &state in states {
            let state = &self.states[state];
            for call in &state.calls {
                if !merged.calls.contains(call) {
                    merged.calls.push(*call);
                }
            }
            merged.may_end |= state.may_end;
        }
        self.add(merged)
    }
}

#[cfg(test)]
mod tests {
    use ir::Program;
    use ir::sequence::{Sequence, SharedOrigin};

    use super::{DRIVER, read};

    fn program() -> Program {
        let text = r#"
rec0 struct "struct list" { value: int }
file0 "x.c"
unit0 user "x.c"
fn make() -> *rec0 in unit0 span file0:1:1-1:2 { bb0: return 0 }
fn put(l: *rec0, a: int) -> int in unit0 span file0:2:1-2:2 { bb0: return 1 }
fn get(l: *rec0) -> int in unit0 span file0:3:1-3:2 { bb0: return 1 }
fn get_precond(l: *rec0) -> int in unit0 span file0:4:1-4:2 { bb0: return 1 }
"#;
        ir::text::parse(text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The states as text: calls with the state after each, `.` where the sequence may end.
    fn states(notation: &str) -> String {
        let mut program = program();
        let sequence =
            read(&mut program, notation, DRIVER).unwrap_or_else(|_| panic!("{notation}"));
        ir::verify(&program).unwrap_or_else(|problems| panic!("{notation}: {problems:?}"));
        let state = |state: &ir::sequence::State| {
            let calls = state.calls.iter().map(|call| {
                let name = &program.functions[call.function].name;
                format!("{name}>{}", call.next)
            });
            let end = state.may_end.then(|| ".".to_owned());
            calls.chain(end).collect::<Vec<_>>().join(" ")
        };
        let states: Vec<String> = sequence.states.iter().map(state).collect();
        states.join(" / ")
    }

    #[test]
    fn notations_become_states() {
        for (notation, expected) in [
            ("make", "make>1 / ."),
            (" make ; put ", "make>1 / put>2 / ."),
            ("make;(put|get)", "make>1 / put>2 get>2 / ."),
            ("make;put?;get", "make>1 / put>2 get>3 / get>3 / ."),
            ("make;put{2}", "make>1 / put>2 / put>3 / ."),
            ("make;put{0,2}", "make>1 / put>2 . / put>3 . / ."),
            (
                "make;(put;get){1,2}",
                "make>1 / put>2 / get>3 / put>4 . / get>5 / .",
            ),
            ("make|put", "make>1 put>1 / ."),
        ] {
            assert_eq!(states(notation), expected, "{notation}");
        }
    }

    #[test]
    fn what_is_shared_follows_from_the_calls() {
        let shared = |notation: &str| -> (Sequence, Option<SharedOrigin>) {
            let sequence =
                read(&mut program(), notation, DRIVER).unwrap_or_else(|_| panic!("{notation}"));
            let origin = sequence.shared.as_ref().map(|shared| shared.origin);
            (sequence, origin)
        };
        let (made, origin) = shared("make;put;get");
        assert_eq!(origin, Some(SharedOrigin::Result));
        let calls: Vec<_> = made.states.iter().flat_map(|state| &state.calls).collect();
        assert!(calls[0].adopts && !calls[1].adopts);
        assert!(calls[1].precondition.is_none() && calls[2].precondition.is_some());
        assert_eq!(shared("put;get").1, Some(SharedOrigin::Variable));
    }

    #[test]
    fn mistakes_are_pointed_at() {
        for (notation, expected) in [
            ("", "calls nothing"),
            ("make;(put", "a `)` is missing here: make;(put▸"),
            ("make)", "should end here: make▸)"),
            ("make;put{2,1}", "the wrong way round"),
            (
                "make;put{x}",
                "a number of repetitions should be here: make;put{▸x}",
            ),
            ("make;+", "a function should be named here: make;▸+"),
            ("make;lose", "no function `lose`"),
            ("make;put{2000}", "more than 2000 calls"),
        ] {
            let failure = read(&mut program(), notation, DRIVER).err();
            let failure = failure.unwrap_or_else(|| panic!("{notation}"));
            let text = format!("{:?}", failure.messages);
            assert!(text.contains(expected), "{notation}: {text}");
        }
    }
}
