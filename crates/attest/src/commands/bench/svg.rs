//! Coverage over time as a picture: one panel for each program, one line for each strategy. And what
//! is decided by the share of time for proofs.

use std::fmt::Write as _;

use super::curve::Curve;

/// The curves of one program.
#[derive(Clone, Debug)]
pub struct Panel {
    title: String,
    /// Goals in all.
    pub goals: usize,
    axis: Axis,
    lines: Vec<Line>,
}

/// What the horizontal axis shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    /// Seconds of a search. What is covered stays covered, so that lines go up in steps.
    Seconds,
    /// Percent of the time. Each point is a search of its own.
    Share,
}

#[derive(Clone, Debug)]
struct Line {
    name: String,
    /// Seconds or percent, growing, and goals.
    points: Vec<(f64, usize)>,
    /// When the search ended, or the last share.
    end: f64,
}

/// Size of a panel, and of the room around its axes.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 130.0;
const ABOVE: f64 = 30.0;
const BELOW: f64 = 36.0;
/// Panels beside each other.
const BESIDE: usize = 2;

/// Colours that people with any kind of colour vision tell apart (Okabe and Ito).
const COLOURS: [&str; 8] = [
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7",
];
/// Dashes of the lines whose colour is used a second time.
const DASHES: [&str; 2] = ["", " stroke-dasharray=\"5 3\""];

impl Panel {
    /// A panel without lines.
    pub fn new(title: &str, goals: usize) -> Panel {
        Panel {
            title: title.to_owned(),
            goals,
            axis: Axis::Seconds,
            lines: Vec::new(),
        }
    }

    /// A panel of what is found by a share of the time.
    pub fn by_share(title: &str, goals: usize) -> Panel {
        Panel {
            axis: Axis::Share,
            ..Panel::new(title, goals)
        }
    }

    /// Adds points: a share in percent, and goals.
    pub fn add_points(&mut self, name: &str, points: Vec<(f64, usize)>) {
        self.lines.push(Line {
            name: name.to_owned(),
            end: points.last().map_or(0.0, |point| point.0),
            points,
        });
    }

    /// Adds the curve of a search that took so many seconds.
    pub fn add(&mut self, name: &str, curve: Curve, end: f64) {
        self.lines.push(Line {
            name: name.to_owned(),
            points: curve.points().to_vec(),
            end,
        });
    }

    fn draw(&self, text: &mut String) {
        let seconds = self.lines.iter().map(|line| line.end).fold(1e-3, f64::max);
        let points = self.lines.iter().flat_map(|line| &line.points);
        let most = points.map(|point| point.1).max();
        let most = most.unwrap_or(1).max(1) as f64;
        let x = |at: f64| LEFT + at / seconds * (WIDTH - LEFT - RIGHT);
        let y = |covered: f64| HEIGHT - BELOW - covered / most * (HEIGHT - ABOVE - BELOW);
        let (right, bottom) = (x(seconds), y(0.0));
        let _ = writeln!(
            text,
            "<text x=\"{LEFT}\" y=\"18\" font-weight=\"bold\">{}: {} goals</text>",
            escaped(&self.title),
            self.goals
        );
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT},{ABOVE} V{bottom} H{right}\" fill=\"none\" stroke=\"#888\"/>"
        );
        for part in [0.0, 0.5, 1.0] {
            let (at, goals) = (part * seconds, part * most);
            let label = match self.axis {
                Axis::Seconds => format!("{at:.1} s"),
                Axis::Share => format!("{at:.0} %"),
            };
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{goals:.0}</text>",
                x(at),
                bottom + 16.0,
                LEFT - 5.0,
                y(goals) + 4.0,
            );
        }
        for (number, line) in self.lines.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let dashes = DASHES[number / COLOURS.len() % DASHES.len()];
            let stroke = format!("stroke=\"{colour}\"{dashes}");
            let path = match self.axis {
                Axis::Seconds => steps(line, &x, &y),
                Axis::Share => straight(line, &x, &y),
            };
            let _ = writeln!(
                text,
                "<path d=\"{path}\" fill=\"none\" stroke-width=\"1.5\" {stroke}/>"
            );
            let (from, to) = (right + 12.0, right + 30.0);
            let height = ABOVE + 6.0 + 16.0 * number as f64;
            let _ = writeln!(
                text,
                "<path d=\"M{from:.1},{height:.1} H{to:.1}\" stroke-width=\"1.5\" {stroke}/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                to + 5.0,
                height + 4.0,
                escaped(&line.name),
            );
        }
    }
}

/// A curve goes up in steps: what is covered stays covered.
fn steps(line: &Line, x: &dyn Fn(f64) -> f64, y: &dyn Fn(f64) -> f64) -> String {
    let mut path = format!("M{:.1},{:.1}", x(0.0), y(0.0));
    for &(seconds, covered) in &line.points {
        let _ = write!(path, " H{:.1} V{:.1}", x(seconds), y(covered as f64));
    }
    let _ = write!(path, " H{:.1}", x(line.end));
    path
}

/// Straight lines from point to point.
fn straight(line: &Line, x: &dyn Fn(f64) -> f64, y: &dyn Fn(f64) -> f64) -> String {
    let mut path = String::new();
    for &(share, goals) in &line.points {
        let start = if path.is_empty() { "M" } else { " L" };
        let _ = write!(path, "{start}{:.1},{:.1}", x(share), y(goals as f64));
    }
    path
}

/// All panels in one picture.
pub fn draw(panels: &[Panel]) -> String {
    let rows = panels.len().div_ceil(BESIDE).max(1);
    let (width, height) = (WIDTH * BESIDE as f64, HEIGHT * rows as f64);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (number, panel) in panels.iter().enumerate() {
        let x = WIDTH * (number % BESIDE) as f64;
        let y = HEIGHT * (number / BESIDE) as f64;
        let _ = writeln!(text, "<g transform=\"translate({x} {y})\">");
        panel.draw(&mut text);
        text.push_str("</g>\n");
    }
    text + "</svg>\n"
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Panel, draw};
    use crate::commands::bench::curve::Curve;

    #[test]
    fn each_curve_is_a_line_of_its_panel() {
        let mut curve = Curve::default();
        curve.note(1.0, 5);
        curve.note(3.0, 10);
        let mut panel = Panel::new("a < b", 12);
        panel.add("fair", curve.clone(), 4.0);
        panel.add("dfs", curve, 2.0);
        let picture = draw(&[panel]);
        assert!(picture.contains("a &lt; b: 12 goals"));
        assert!(
            picture.contains("M50.0,224.0 H120.0 V127.0 H260.0 V30.0 H330.0"),
            "{picture}"
        );
        assert_eq!(picture.matches("stroke-width").count(), 4);
        assert_eq!(
            picture.matches("<g ").count(),
            picture.matches("</g>").count()
        );
    }
}
