//! A table of figures, and its two forms: Markdown and JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub title: String,
    /// Its columns, the first of which names the row.
    pub columns: Vec<Column>,
    /// Its rows, each with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// What else the reader has to know.
    pub notes: Vec<String>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its key in JSON.
    pub key: String,
    /// Its heading for people.
    pub heading: String,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing is known.
    Nothing,
    /// Words.
    Text(String),
    /// A count.
    Count(u64),
    /// A figure that was measured, or that it is compared with.
    Figure(f64),
    /// Whether a bar is met.
    Met(bool),
    /// A part of a whole, such as covered goals.
    Part(usize, usize),
}

impl Column {
    /// A column.
    pub fn new(key: &str, heading: &str) -> Self {
        Column {
            key: key.to_owned(),
            heading: heading.to_owned(),
        }
    }
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Cell::Text(text.into())
    }

    /// A figure that may be missing.
    pub fn figure(figure: Option<f64>) -> Self {
        figure.map_or(Cell::Nothing, Cell::Figure)
    }

    fn markdown(&self) -> String {
        match self {
            Cell::Nothing => "–".to_owned(),
            Cell::Text(text) => text.replace('|', "\\|"),
            Cell::Count(count) => grouped(*count),
            Cell::Figure(figure) => rounded(*figure),
            Cell::Met(true) => "met".to_owned(),
            Cell::Met(false) => "**missed**".to_owned(),
            Cell::Part(part, whole) => format!("{part} of {whole}"),
        }
    }

    fn json(&self) -> Value {
        match self {
            Cell::Nothing => Value::Null,
            Cell::Text(text) => json!(text),
            Cell::Count(count) => json!(count),
            Cell::Figure(figure) => json!(figure),
            Cell::Met(met) => json!(met),
            Cell::Part(part, whole) => json!({ "part": part, "whole": whole }),
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Cell::Count(_) | Cell::Figure(_) | Cell::Part(..))
    }
}

impl Table {
    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        let cells: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(Cell::markdown).collect())
            .collect();
        let width = |column: usize| {
            let heading = self.columns[column].heading.chars().count();
            let widest = cells.iter().filter_map(|row| row.get(column));
            widest
                .map(|cell| cell.chars().count())
                .fold(heading.max(3), usize::max)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let numbers: Vec<bool> = (0..self.columns.len())
            .map(|column| self.is_numeric(column))
            .collect();
        let mut text = format!("## {}\n\n", self.title);
        let headings: Vec<String> = self.columns.iter().map(|c| c.heading.clone()).collect();
        line(&mut text, &headings, &widths, &numbers);
        let rules: Vec<String> = widths.iter().zip(&numbers).map(rule).collect();
        line(&mut text, &rules, &widths, &numbers);
        for row in &cells {
            line(&mut text, row, &widths, &numbers);
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        text
    }

    /// The table as JSON: for each row an object with the columns' keys.
    pub fn json(&self) -> Value {
        let row = |row: &Vec<Cell>| {
            let keys = self.columns.iter().map(|column| column.key.clone());
            Value::Object(keys.zip(row.iter().map(Cell::json)).collect::<Map<_, _>>())
        };
        json!({
            "table": self.name,
            "title": self.title,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }

    fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.any(Cell::is_number)
    }
}

fn line(text: &mut String, cells: &[String], widths: &[usize], numbers: &[bool]) {
    for ((cell, &width), &number) in cells.iter().zip(widths).zip(numbers) {
        let _ = match number {
            true => write!(text, "| {cell:>width$} "),
            false => write!(text, "| {cell:width$} "),
        };
    }
    text.push_str("|\n");
}

/// The line under a heading, which says on which side the column is aligned.
fn rule((&width, &number): (&usize, &bool)) -> String {
    let dashes = "-".repeat(width - 1);
    match number {
        true => format!("{dashes}:"),
        false => format!(":{dashes}"),
    }
}

/// Three significant digits where the figure is small, none behind the point where it is large.
fn rounded(figure: f64) -> String {
    match figure.abs() {
        0.0 => "0".to_owned(),
        size if size < 0.1 => format!("{figure:.4}"),
        size if size < 10.0 => format!("{figure:.2}"),
        size if size < 1000.0 => format!("{figure:.0}"),
        _ => grouped(figure as u64),
    }
}

/// A count with commas between its thousands.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Cell, Column, Table, grouped};

    fn table() -> Table {
        Table {
            name: "search",
            title: "Time for all paths".to_owned(),
            columns: ["program", "seconds", "coverage", "bar"]
                .map(|key| Column::new(key, key))
                .into(),
            rows: vec![
                vec![
                    Cell::text("a|b"),
                    Cell::Figure(0.01234),
                    Cell::Part(3, 4),
                    Cell::Met(false),
                ],
                vec![
                    Cell::text("c"),
                    Cell::Count(1_234_567),
                    Cell::Nothing,
                    Cell::Met(true),
                ],
            ],
            notes: vec!["Seconds of search.".to_owned()],
        }
    }

    #[test]
    fn a_table_becomes_markdown() {
        expect_test::expect![[r#"
            ## Time for all paths

            | program |   seconds | coverage | bar        |
            | :------ | --------: | -------: | :--------- |
            | a\|b    |    0.0123 |   3 of 4 | **missed** |
            | c       | 1,234,567 |        – | met        |

            Seconds of search.
        "#]]
        .assert_eq(&table().markdown());
    }

    #[test]
    fn a_table_becomes_json() {
        let json = table().json();
        assert_eq!(json["rows"][0]["coverage"]["whole"], 4);
        assert_eq!(json["rows"][1]["seconds"], 1_234_567);
        assert!(json["rows"][1]["coverage"].is_null());
    }

    #[test]
    fn thousands_are_grouped() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ];
        for (count, text) in cases {
            assert_eq!(grouped(count), text);
        }
    }
}
