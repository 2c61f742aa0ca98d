//! The goals of a suite as a table: a row for each decision, condition, switch, statement or
//! call.

use std::fmt::Write as _;

use coverage::{GoalKind, GoalStatus, Reason, Suite, SuiteGoal};
use ir::{FunctionId, Program, Span};

use crate::sources::{SourceRange, Sources};

/// The first word of the status of undecided goals.
const UNDECIDED: &str = "undecided";
/// Characters of source that a row shows.
const EXCERPT: usize = 44;

/// The goals of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The function's name.
    pub function: String,
    /// The file that most rows are in.
    pub path: String,
    /// The rows, in source order.
    pub rows: Vec<Row>,
}

/// The goals at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The place.
    pub place: SourceRange,
    /// The source there.
    pub excerpt: String,
    /// The status of its goals.
    pub sides: Sides,
}

/// The status of the goals of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sides {
    /// A decision or condition: its true and its false side; empty for a side that is no goal.
    Outcomes {
        /// The true side.
        on_true: String,
        /// The false side.
        on_false: String,
    },
    /// A switch: line, label and status.
    Labels(Vec<(u32, String, String)>),
    /// A statement, or a call.
    Statement(String),
}

/// The thing in the source that a goal belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Decision(ir::DecisionId),
    Condition(ir::ConditionId),
    Switch(ir::DecisionId),
    Statement(ir::SourceStatementId),
    Call(ir::Block),
    Combinations(ir::DecisionId),
    Boundaries(ir::ConditionId),
    Operation(ir::OperationId),
    Label(ir::LabelId),
}

impl Subject {
    fn of(kind: GoalKind) -> Self {
        match kind {
            GoalKind::Decision(decision, _) => Subject::Decision(decision),
            GoalKind::Condition(condition, _) => Subject::Condition(condition),
            GoalKind::Switch(decision, _) => Subject::Switch(decision),
            GoalKind::Statement(statement) => Subject::Statement(statement),
            GoalKind::Call(block) => Subject::Call(block),
            GoalKind::Combination(decision, _) | GoalKind::AllCombinations(decision) => {
                Subject::Combinations(decision)
            }
            GoalKind::Independence(condition, _) => Subject::Condition(condition),
            GoalKind::Boundary(condition, _) => Subject::Boundaries(condition),
            GoalKind::Mutant(mutant) => Subject::Operation(mutant.operation),
            GoalKind::Use(label) | GoalKind::Label(label) => Subject::Label(label),
        }
    }
}

/// The tables of a suite, one for each function that has goals.
pub fn tables(program: &Program, suite: &Suite, sources: &mut Sources) -> Vec<Table> {
    // The independence of conditions has tables of its own.
    let has_row = |goal: &&SuiteGoal| !matches!(goal.goal.kind, GoalKind::Independence(..));
    let mut goals: Vec<&SuiteGoal> = suite.asked_for().filter(has_row).collect();
    goals.sort_by_key(|goal| goal.goal.function);
    goals
        .chunk_by(|a, b| a.goal.function == b.goal.function)
        .map(|goals| table(program, goals[0].goal.function, goals, sources))
        .collect()
}

fn table(
    program: &Program,
    function: FunctionId,
    goals: &[&SuiteGoal],
    sources: &mut Sources,
) -> Table {
    let subject = |goal: &SuiteGoal| Subject::of(goal.goal.kind);
    let mut rows: Vec<Row> = goals
        .chunk_by(|a, b| subject(a) == subject(b))
        .map(|goals| row(program, function, subject(goals[0]), goals, sources))
        .collect();
    rows.sort_by_key(|row| (row.place.path.clone(), row.place.begin));
    let path = rows.first().map(|row| row.place.path.clone());
    let mut path = path.unwrap_or_default();
    // Each unit that includes a header has functions of its own from it.
    let unit = &program.units[program.functions[function].unit].path;
    let has_namesake = |other: &ir::Function| other.name == program.functions[function].name;
    if path != *unit
        && program
            .functions
            .iter()
            .filter(|it| has_namesake(it))
            .count()
            > 1
    {
        path = format!("{path} of {unit}");
    }
    Table {
        function: program.functions[function].name.clone(),
        path,
        rows,
    }
}

fn row(
    program: &Program,
    function: FunctionId,
    subject: Subject,
    goals: &[&SuiteGoal],
    sources: &mut Sources,
) -> Row {
    let span = subject_span(program, function, subject, goals[0]);
    let place = SourceRange::of(program, span);
    let side = |wanted: &str| {
        let goal = goals.iter().find(|goal| goal.goal.side == wanted);
        goal.map_or_else(String::new, |goal| status_text(goal))
    };
    let sides = match subject {
        Subject::Decision(_) | Subject::Condition(_) => Sides::Outcomes {
            on_true: side("true"),
            on_false: side("false"),
        },
        Subject::Statement(_) | Subject::Call(_) | Subject::Label(_) => {
            Sides::Statement(status_text(goals[0]))
        }
        Subject::Switch(_)
        | Subject::Combinations(_)
        | Subject::Operation(_)
        | Subject::Boundaries(_) => Sides::Labels(
            goals
                .iter()
                .map(|goal| {
                    let line = goal.goal.span.place().line;
                    (line, goal.goal.told_side().to_owned(), status_text(goal))
                })
                .collect(),
        ),
    };
    let excerpt = sources.excerpt_of(program, span, EXCERPT);
    let excerpt = excerpt.unwrap_or_default();
    Row {
        excerpt: match subject {
            Subject::Switch(_) => format!("switch ({excerpt})"),
            Subject::Label(_) => goals[0].goal.side.clone(),
            _ => excerpt,
        },
        place,
        sides,
    }
}

/// The piece of source that stands for a row: of a switch, what is switched on.
fn subject_span<'a>(
    program: &'a Program,
    function: FunctionId,
    subject: Subject,
    goal: &'a SuiteGoal,
) -> &'a Span {
    let body = program.functions[function].body.as_ref();
    match (subject, body) {
        (Subject::Switch(decision), Some(body)) => body
            .decisions
            .get(decision)
            .map_or(&goal.goal.span, |decision| &decision.span),
        _ => &goal.goal.span,
    }
}

/// The status of a goal, in a few words.
pub fn status_text(goal: &SuiteGoal) -> String {
    let status = match &goal.status {
        GoalStatus::Covered(test) => format!("test {}", test.raw()),
        GoalStatus::Unreachable(_) => "unreachable".to_owned(),
        GoalStatus::UnreachableWithin(_) => "unreachable within bounds".to_owned(),
        GoalStatus::Open => UNDECIDED.to_owned(),
        GoalStatus::Undecided(reason) => format!("{UNDECIDED}: {}", reason_text(reason)),
    };
    match goal.beyond_defect {
        Some(test) => format!("{status} (beyond a defect: test {})", test.raw()),
        None => status,
    }
}

/// Losses that are named for one goal.
const MOST_LOSSES: usize = 4;

fn reason_text(reason: &Reason) -> String {
    match reason {
        Reason::Stopped => "search stopped".to_owned(),
        Reason::NotConfirmed => "not confirmed".to_owned(),
        Reason::NotReplayed => "not replayed in time".to_owned(),
        Reason::NoInput => "no input".to_owned(),
        Reason::OpenPaths => "a path is undecided".to_owned(),
        Reason::NotNeeded => "not needed".to_owned(),
        Reason::TooManyCombinations => "too many combinations".to_owned(),
        Reason::OpenPairs => "a pair is undecided".to_owned(),
        Reason::Losses(losses) => {
            let mut text = "loss".to_owned();
            for (i, loss) in losses.iter().enumerate().take(MOST_LOSSES) {
                let separator = if i == 0 { ' ' } else { ',' };
                let _ = write!(text, "{separator}{}", loss + 1);
            }
            if let Some(more @ 1..) = losses.len().checked_sub(MOST_LOSSES) {
                let _ = write!(text, " and {more} more");
            }
            text
        }
    }
}

impl Sides {
    /// The goals among them that are undecided, if there are any.
    fn open(&self) -> Option<Sides> {
        let is_open = |status: &str| status.starts_with(UNDECIDED);
        match self {
            Sides::Outcomes { on_true, on_false } => {
                (is_open(on_true) || is_open(on_false)).then(|| self.clone())
            }
            Sides::Statement(status) => is_open(status).then(|| self.clone()),
            Sides::Labels(labels) => {
                let open = labels.iter().filter(|(_, _, status)| is_open(status));
                let open: Vec<_> = open.cloned().collect();
                (!open.is_empty()).then_some(Sides::Labels(open))
            }
        }
    }

    /// The labels among them.
    fn labels(&self) -> impl Iterator<Item = &str> {
        let labels = match self {
            Sides::Labels(labels) => labels.as_slice(),
            Sides::Outcomes { .. } | Sides::Statement(_) => &[],
        };
        labels.iter().map(|(_, label, _)| label.as_str())
    }

    /// How many lines of a table they take.
    fn lines(&self) -> usize {
        match self {
            Sides::Outcomes { .. } | Sides::Statement(_) => 1,
            Sides::Labels(labels) => labels.len() + 1,
        }
    }
}

impl Table {
    /// How many lines it has.
    pub fn lines(&self) -> usize {
        self.rows.iter().map(|row| row.sides.lines()).sum()
    }

    /// The rows with undecided goals.
    pub fn open(&self) -> Table {
        let open = self.rows.iter().filter_map(|row| {
            let sides = row.sides.open()?;
            Some(Row {
                sides,
                ..row.clone()
            })
        });
        Table {
            rows: open.collect(),
            function: self.function.clone(),
            path: self.path.clone(),
        }
    }

    /// The table as lines of text, indented by two spaces.
    pub fn text(&self) -> String {
        let excerpts = self.rows.iter().map(|row| row.excerpt.chars().count());
        let labels = self.rows.iter().flat_map(|row| row.sides.labels());
        // Labels are indented.
        let labels = labels.map(|label| 2 + label.chars().count());
        let width = excerpts.chain(labels).max().unwrap_or(0).max(8);
        let on_true = self.rows.iter().map(|row| match &row.sides {
            Sides::Outcomes { on_true, .. } => on_true.chars().count(),
            _ => 0,
        });
        let true_width = on_true.max().unwrap_or(0).max(4);
        let mut text = String::new();
        if let Some(heading) = self.heading(width, true_width) {
            text.push_str(&heading);
        }
        for row in &self.rows {
            self.row_text(&mut text, row, width, true_width);
        }
        text
    }

    fn heading(&self, width: usize, true_width: usize) -> Option<String> {
        let outcomes = |row: &Row| matches!(row.sides, Sides::Outcomes { .. });
        self.rows.iter().any(outcomes).then(|| {
            let line = "line";
            format!(
                "  {line:>5}  {:width$}  {:true_width$}  false\n",
                "", "true"
            )
        })
    }

    fn row_text(&self, text: &mut String, row: &Row, width: usize, true_width: usize) {
        let (line, excerpt) = (row.place.begin.0, &row.excerpt);
        if row.place.path != self.path {
            let _ = writeln!(text, "         in {}:", row.place.path);
        }
        let _ = write!(text, "  {line:>5}  ");
        let _ = match &row.sides {
            Sides::Outcomes { on_true, on_false } => {
                writeln!(text, "{excerpt:width$}  {on_true:true_width$}  {on_false}")
            }
            Sides::Statement(status) => writeln!(text, "{excerpt:width$}  {status}"),
            Sides::Labels(labels) => {
                let _ = writeln!(text, "{excerpt}");
                labels.iter().try_for_each(|(line, label, status)| {
                    let label = format!("  {label}");
                    writeln!(text, "  {line:>5}  {label:width$}  {status}")
                })
            }
        };
    }
}
