//! From nodes and links to lines of text.

use std::collections::BTreeSet;

/// Lines are broken here.
const WIDTH: usize = 72;

/// Where a pointer from one node to another leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Nowhere.
    Null,
    /// To a node, by its number.
    To(usize),
    /// To something that is not drawn.
    Elsewhere,
}

/// An object of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The values in it.
    pub label: String,
    /// Its pointers to nodes, by member; the same members for all nodes of a structure.
    pub links: Vec<(String, Link)>,
}

/// Objects of one type that are linked to each other, the first of which leads to all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// The objects.
    pub nodes: Vec<Node>,
}

/// The link by which a drawing reaches a node: an edge of the tree that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TreeEdge {
    from: usize,
    link: usize,
    to: usize,
}

/// The contents of a drawing: each node once, where a forward link first leads to it.
#[derive(Debug)]
struct Plan {
    /// The member that leads back to where one came from, as `prev` and `parent` do.
    back: Option<usize>,
    steps: Vec<TreeEdge>,
    /// The nodes that are shown by their number once more.
    numbered: BTreeSet<usize>,
}

impl Structure {
    /// Whether there is anything to draw.
    pub fn is_linked(&self) -> bool {
        let links = self.nodes.iter().flat_map(|node| &node.links);
        let mut links = links.map(|(_, link)| *link);
        links.any(|link| matches!(link, Link::To(_)))
    }

    /// The drawing, begun with a title.
    pub fn lines(&self, title: &str) -> Vec<String> {
        let plan = self.plan();
        let members = self.nodes.first().map_or(0, |node| node.links.len());
        let forward = members - usize::from(plan.back.is_some());
        if forward == 1 {
            return self.chain(&plan, title);
        }
        let mut lines = vec![format!("{title}: {}", self.shown(&plan, 0))];
        self.branches(&plan, 0, "", &mut lines);
        lines
    }

    fn plan(&self) -> Plan {
        let members = self.nodes.first().map_or(0, |node| node.links.len());
        let backs = (0..members).filter(|_| members > 1);
        let back = backs.map(Some).find(|&back| self.leads_back(back));
        let back = back.flatten();
        let steps = self.steps(back);
        let numbered = self.shown_again(back, &steps);
        Plan {
            back,
            steps,
            numbered,
        }
    }

    /// The links by which each node but the first is reached, depth first.
    fn steps(&self, back: Option<usize>) -> Vec<TreeEdge> {
        let mut steps: Vec<TreeEdge> = Vec::new();
        let mut seen = BTreeSet::from([0]);
        let mut open = vec![(0, 0)];
        while let Some((from, link)) = open.pop() {
            let Some((_, target)) = self.nodes[from].links.get(link) else {
                continue;
            };
            open.push((from, link + 1));
            if let Link::To(to) = *target
                && Some(link) != back
                && seen.insert(to)
            {
                steps.push(TreeEdge { from, link, to });
                open.push((to, 0));
            }
        }
        steps
    }

    /// Whether a member leads from each node back to the one that it is come from, and the others
    /// lead everywhere.
    fn leads_back(&self, back: Option<usize>) -> bool {
        let Some(member) = back else {
            return false;
        };
        let steps = self.steps(back);
        let leads = |step: &TreeEdge| self.nodes[step.to].links[member].1 == Link::To(step.from);
        // In a ring the first node leads back to the last.
        let last = steps.last().map_or(0, |step| step.to);
        let closes = self.nodes[last].links.iter().enumerate();
        let mut closes = closes.filter(|&(link, _)| link != member);
        let is_closed = match self.nodes[0].links[member].1 {
            Link::Null => true,
            Link::To(end) => end == last && closes.any(|(_, (_, to))| *to == Link::To(0)),
            Link::Elsewhere => false,
        };
        steps.len() + 1 == self.nodes.len() && steps.iter().all(leads) && is_closed
    }

    /// The nodes that forward links lead to more than once.
    fn shown_again(&self, back: Option<usize>, steps: &[TreeEdge]) -> BTreeSet<usize> {
        let mut again = BTreeSet::new();
        for (from, node) in self.nodes.iter().enumerate() {
            for (link, (_, target)) in node.links.iter().enumerate() {
                if let Link::To(to) = *target
                    && Some(link) != back
                    && !steps.contains(&TreeEdge { from, link, to })
                {
                    again.insert(to);
                }
            }
        }
        again
    }

    /// A node at its place.
    fn shown(&self, plan: &Plan, node: usize) -> String {
        let number = match plan.numbered.contains(&node) {
            true => format!("#{} ", node + 1),
            false => String::new(),
        };
        format!("{number}{{{}}}", self.nodes[node].label)
    }

    /// One link after the other: `{3} -> {5} -> NULL`.
    fn chain(&self, plan: &Plan, title: &str) -> Vec<String> {
        let arrow = match plan.back {
            Some(_) => " <-> ",
            None => " -> ",
        };
        let mut parts = vec![format!("{title}: {}", self.shown(plan, 0))];
        let mut last = 0;
        for step in &plan.steps {
            parts.push(format!("{arrow}{}", self.shown(plan, step.to)));
            last = step.to;
        }
        let links = self.nodes[last].links.iter().enumerate();
        let mut forward = links.filter(|&(link, _)| Some(link) != plan.back);
        parts.push(match forward.next() {
            Some((_, (_, Link::To(to)))) => format!("{arrow}#{}", to + 1),
            Some((_, (_, Link::Elsewhere))) => " -> ...".to_owned(),
            _ => " -> NULL".to_owned(),
        });
        filled(&parts)
    }

    /// The nodes that a node leads to, a line each.
    fn branches(&self, plan: &Plan, node: usize, indent: &str, lines: &mut Vec<String>) {
        let links = self.nodes[node].links.iter().enumerate();
        let shown: Vec<_> = links
            .filter(|&(link, (_, to))| Some(link) != plan.back && *to != Link::Null)
            .collect();
        for (position, (link, (member, target))) in shown.iter().enumerate() {
            let (branch, continuation) = match position + 1 == shown.len() {
                true => ("`-- ", "    "),
                false => ("|-- ", "|   "),
            };
            let Link::To(to) = *target else {
                lines.push(format!("{indent}{branch}{member} ..."));
                continue;
            };
            let step = TreeEdge {
                from: node,
                link: *link,
                to,
            };
            if plan.steps.contains(&step) {
                let shown = self.shown(plan, to);
                lines.push(format!("{indent}{branch}{member} {shown}"));
                self.branches(plan, to, &format!("{indent}{continuation}"), lines);
            } else {
                lines.push(format!("{indent}{branch}{member} -> #{}", to + 1));
            }
        }
    }
}

/// Parts joined to lines that are not too long.
fn filled(parts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.len() + part.len() <= WIDTH => line.push_str(part),
            Some(_) => lines.push(format!("   {part}")),
            None => lines.push(part.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{Link, Node, Structure};

    /// The drawing of nodes, each given by its label and where its members lead: a number, `.` for
    /// NULL, `?` for elsewhere.
    fn drawn(members: &[&str], nodes: &[(&str, &str)]) -> String {
        let nodes = nodes.iter().map(|(label, targets)| {
            let targets = targets.split(' ').map(|target| match target {
                "." => Link::Null,
                "?" => Link::Elsewhere,
                number => Link::To(number.parse().expect("a number")),
            });
            let members = members.iter().map(|&member| member.to_owned());
            Node {
                label: (*label).to_owned(),
                links: members.zip(targets).collect(),
            }
        });
        let structure = Structure {
            nodes: nodes.collect(),
        };
        structure.lines("p").join("\n")
    }

    #[test]
    fn lists_are_chains() {
        let next = &["next"];
        assert_eq!(
            drawn(next, &[("3", "1"), ("5", ".")]),
            "p: {3} -> {5} -> NULL"
        );
        assert_eq!(drawn(next, &[("3", "0")]), "p: #1 {3} -> #1");
        assert_eq!(
            drawn(next, &[("3", "1"), ("", "2"), ("7", "1")]),
            "p: {3} -> #2 {} -> {7} -> #2"
        );
        assert_eq!(
            drawn(next, &[("3", "1"), ("4", "?")]),
            "p: {3} -> {4} -> ..."
        );
    }

    #[test]
    fn links_back_are_arrows_both_ways() {
        let both = &["prev", "next"];
        assert_eq!(
            drawn(both, &[("3", ". 1"), ("5", "0 .")]),
            "p: {3} <-> {5} -> NULL"
        );
        assert_eq!(
            drawn(both, &[("3", "1 1"), ("5", "0 0")]),
            "p: #1 {3} <-> {5} <-> #1"
        );
        assert_eq!(
            drawn(both, &[("3", "? 1"), ("5", "1 .")]),
            "p: {3}\n|-- prev ...\n`-- next #2 {5}\n    `-- prev -> #2"
        );
    }

    #[test]
    fn trees_branch() {
        let children = &["left", "right", "parent"];
        assert_eq!(
            drawn(
                children,
                &[
                    ("5", "1 2 ."),
                    ("3", ". 3 0"),
                    ("8", ". . 0"),
                    ("4", ". . 1")
                ]
            ),
            "p: {5}\n|-- left {3}\n|   `-- right {4}\n`-- right {8}"
        );
        assert_eq!(
            drawn(&["left", "right"], &[("5", "1 1"), ("3", ". .")]),
            "p: {5}\n|-- left #2 {3}\n`-- right -> #2"
        );
    }

    #[test]
    fn long_lists_take_several_lines() {
        let nodes: Vec<(String, String)> = (1..=20)
            .map(|number| (format!("{}", number * 1000), number.to_string()))
            .collect();
        let mut nodes: Vec<(&str, &str)> = nodes
            .iter()
            .map(|(label, next)| (label.as_str(), next.as_str()))
            .collect();
        nodes[19].1 = ".";
        let text = drawn(&["next"], &nodes);
        assert!(text.lines().count() == 4, "{text}");
        assert!(text.lines().all(|line| line.len() <= 72), "{text}");
        assert!(text.ends_with("{20000} -> NULL"), "{text}");
    }
}
