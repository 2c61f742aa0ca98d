//! Options for another run that rule out what defects rest on, ready to copy: a sequence with a
//! function of the program that sets up the object, or a precondition with the values that code
//! stores. They are proposals alone.

use std::collections::BTreeSet;

use analysis::{Stored, StoredValues, Variable, set_up};
use coverage::{Suggestion, Suite};
use ir::sequence::SharedOrigin;
use ir::{AssumptionKind, FunctionId, IntType, Linkage, Program, RecordId, Type, TypeId, Types};

use crate::sequence;

/// Ranges of values that a precondition names for one field.
const MOST_RANGES: usize = 8;

/// The options for a function whose objects callers choose.
pub fn suggestions(program: &Program, entry: FunctionId, suite: &Suite) -> Vec<Suggestion> {
    let function = &program.functions[entry];
    let Type::Function(ty) = program.types.kind(function.ty) else {
        return Vec::new();
    };
    let mut left = subjects(suite);
    let mut found = Vec::new();
    for (index, &pointer) in ty.parameters.iter().enumerate() {
        let Some(name) = function.parameter_name(index) else {
            continue;
        };
        let all = left.iter().map(|(subject, _)| *subject);
        let own: BTreeSet<&str> = all
            .filter(|subject| leads_from(subject) == Some(name))
            .collect();
        if own.is_empty() {
            continue;
        }
        let pointee = program.types.pointee(pointer);
        let notation = pointee.and_then(|ty| sequence_for(program, entry, ty));
        if let Some(notation) = notation {
            left.retain(|(subject, _)| !own.contains(subject));
            let option = format!("--sequence '{notation}'");
            found.push(suggestion(suite, option, None, &own));
        }
    }
    let states = left
        .iter()
        .filter(|(_, kind)| *kind == AssumptionKind::State);
    let states: Vec<&str> = states.map(|(subject, _)| *subject).collect();
    if let Some((name, code, subjects)) = precondition_for(program, entry, &states) {
        let option = format!("-f {} --precondition {name}", function.name);
        found.push(suggestion(suite, option, Some(code), &subjects));
    }
    found
}

/// What the defects and goals of a suite assume about objects.
fn subjects(suite: &Suite) -> BTreeSet<(&str, AssumptionKind)> {
    let defects = suite.defects.iter();
    let assumptions = defects.flat_map(|found| &found.defect.assumptions);
    let about_objects = assumptions.filter(|assumption| is_of_objects(assumption.kind));
    let of_defects = about_objects.map(|it| (it.subject.as_str(), it.kind));
    let of_goals = suite.odd_states.values().flatten();
    let of_goals = of_goals.map(|subject| (subject.as_str(), AssumptionKind::State));
    of_defects.chain(of_goals).collect()
}

fn suggestion(
    suite: &Suite,
    option: String,
    code: Option<String>,
    subjects: &BTreeSet<&str>,
) -> Suggestion {
    let is_own = |of_goal: &[String]| of_goal.iter().all(|it| subjects.contains(it.as_str()));
    let goals = suite.odd_states.iter();
    let goals = goals.filter(|(_, of_goal)| is_own(of_goal));
    Suggestion {
        option,
        code,
        subjects: subjects.iter().map(|&subject| subject.to_owned()).collect(),
        goals: goals.map(|(goal, _)| goal.index()).collect(),
    }
}

/// Whether an assumption is about what objects hold or where they end.
fn is_of_objects(kind: AssumptionKind) -> bool {
    match kind {
        AssumptionKind::State
        | AssumptionKind::Caller
        | AssumptionKind::Enumerator
        | AssumptionKind::Null
        | AssumptionKind::Extent
        | AssumptionKind::Length
        | AssumptionKind::Apart
        | AssumptionKind::NotHeap
        | AssumptionKind::Number
        | AssumptionKind::Size => true,
        AssumptionKind::Alias | AssumptionKind::Allocation | AssumptionKind::UnknownResult => false,
    }
}

/// The pointer that leads to the object of a subject: `p` of `p->state`, `*p` and `p->next->name`.
fn leads_from(subject: &str) -> Option<&str> {
    let start = subject.trim_start_matches(['(', '*']);
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let end = start.find(|c| !is_of_name(c)).unwrap_or(start.len());
    let (name, rest) = start.split_at(end);
    let is_behind = start.len() < subject.len() || rest.starts_with("->") || rest.starts_with('[');
    is_behind.then_some(name)
}

/// The likeliest sequence of two calls that sets up an object of a type and gives it to the
/// function, as `--sequence` takes it.
fn sequence_for(program: &Program, entry: FunctionId, object: TypeId) -> Option<String> {
    let name = &program.functions[entry].name;
    let all = set_up(program, object).into_iter();
    let mut usable = all.filter(|found| found.function != entry);
    usable.find_map(|found| {
        let first = &program.functions[found.function];
        // Tests include the file of the first function.
        let is_callable = program.functions[entry].linkage == Linkage::External
            || program.functions[entry].unit == first.unit;
        let notation = format!("{};{name}", first.name);
        let sequence = sequence::parse(program, &notation).ok()?;
        let calls = sequence.states.iter().flat_map(|state| &state.calls);
        let is_meant = calls.map(|call| call.function).eq([found.function, entry]);
        let shared = sequence.shared?;
        let is_shared = shared.ty == object && shared.origin != SharedOrigin::Input;
        (is_callable && is_meant && is_shared).then_some(notation)
    })
}

/// A precondition by which fields hold values that code stores there: its name, its code, and
/// those of the subjects that it is about.
fn precondition_for<'s>(
    program: &Program,
    entry: FunctionId,
    states: &[&'s str],
) -> Option<(String, String, BTreeSet<&'s str>)> {
    if states.is_empty() {
        return None;
    }
    let function = &program.functions[entry];
    let Type::Function(ty) = program.types.kind(function.ty) else {
        return None;
    };
    let mut parameters = Vec::new();
    for (index, &ty) in ty.parameters.iter().enumerate() {
        parameters.push((function.parameter_name(index)?, ty));
    }
    let stored = StoredValues::new(program);
    let condition = |subject: &str| {
        let (pointer, path) = subject.split_once("->")?;
        let (_, ty) = parameters.iter().find(|(name, _)| *name == pointer)?;
        let (variable, int) = field(&program.types, program.types.pointee(*ty)?, path)?;
        let Stored::Constants(values) = stored.of(variable) else {
            return None;
        };
        let holds = one_of(subject, &values, int)?;
        Some(format!("(!{pointer} || {holds})"))
    };
    let mut subjects = BTreeSet::new();
    let mut conditions = Vec::new();
    for subject in states {
        if let Some(condition) = condition(subject) {
            subjects.insert(*subject);
            conditions.push(condition);
        }
    }
    let declared = parameters.iter();
    let declared = declared.map(|(name, ty)| program.types.declare(*ty, name));
    let declared = declared.collect::<Vec<String>>().join(", ");
    if conditions.is_empty() || declared.contains("<anonymous>") {
        return None;
    }
    let name = format!("{}_precond", function.name);
    let conditions = conditions.join("\n        && ");
    let code = format!("static int {name}({declared})\n{{\n    return {conditions};\n}}\n");
    Some((name, code, subjects))
}

/// The integer field of a record that a path such as `position.line` leads to.
fn field(types: &Types, record: TypeId, path: &str) -> Option<(Variable, IntType)> {
    let (name, rest) = path
        .split_once('.')
        .map_or((path, None), |(name, rest)| (name, Some(rest)));
    let (id, index, ty) = member(types, record, name)?;
    match rest {
        Some(rest) => field(types, ty, rest),
        None => Some((Variable::Field(id, index), types.int(ty)?)),
    }
}

/// The member of a record of a name, also of its members without one.
fn member(types: &Types, record: TypeId, name: &str) -> Option<(RecordId, u32, TypeId)> {
    let Type::Record(id) = types.kind(record) else {
        return None;
    };
    let fields = types.records[*id].fields.iter();
    (0..)
        .zip(fields)
        .find_map(|(index, field)| match &field.name {
            Some(known) => (known == name).then_some((*id, index, field.ty)),
            None => member(types, field.ty, name),
        })
}

/// The condition in C that an integer is one of some values.
fn one_of(subject: &str, values: &BTreeSet<u128>, ty: IntType) -> Option<String> {
    let unused = 128 - ty.width.min(128);
    let number = |&bits: &u128| match ty.signed {
        true => (bits << unused) as i128 >> unused,
        false => bits as i128,
    };
    let mut numbers: Vec<i128> = values.iter().map(number).collect();
    numbers.sort_unstable();
    let ranges: Vec<&[i128]> = numbers.chunk_by(|one, next| one + 1 == *next).collect();
    if ranges.is_empty() || ranges.len() > MOST_RANGES {
        return None;
    }
    let range = |range: &&[i128]| match range {
        [only] => format!("{subject} == {only}"),
        [0, .., last] if !ty.signed => format!("{subject} <= {last}"),
        [first, .., last] => format!("({subject} >= {first} && {subject} <= {last})"),
        [] => String::new(),
    };
    let ranges: Vec<String> = ranges.iter().map(range).collect();
    Some(ranges.join(" || "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ir::{IntName, IntType};

    use super::{leads_from, one_of};

    #[test]
    fn a_subject_says_which_pointer_leads_to_it() {
        for (subject, pointer) in [
            ("p->state", Some("p")),
            ("*p", Some("p")),
            ("(*p)->next", Some("p")),
            ("p[1].state", Some("p")),
            ("p->next->name", Some("p")),
            ("p", None),
            ("p.state", None),
            ("state of the object around *p", None),
        ] {
            assert_eq!(leads_from(subject), pointer, "{subject}");
        }
    }

    #[test]
    fn values_in_a_row_are_a_range() {
        let ty = |signed| IntType {
            name: IntName::Int,
            width: 32,
            signed,
        };
        let text = |values: &[u128], signed| {
            one_of(
                "x",
                &values.iter().copied().collect::<BTreeSet<u128>>(),
                ty(signed),
            )
        };
        assert_eq!(text(&[3], true).as_deref(), Some("x == 3"));
        assert_eq!(text(&[0, 1, 2], false).as_deref(), Some("x <= 2"));
        let of_signed = text(&[0xffff_ffff, 0, 5], true);
        assert_eq!(of_signed.as_deref(), Some("(x >= -1 && x <= 0) || x == 5"));
        assert_eq!(text(&[], true), None);
    }
}
