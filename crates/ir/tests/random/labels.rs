//! What criteria add to code.

use std::collections::BTreeMap;

use ir::*;

use super::Source;

impl Source<'_> {
    /// A label of the user, or a boundary value.
    fn coverage_label(&mut self) -> CoverageLabel {
        let kind = match self.pick(2) {
            0 => CoverageLabelKind::Boundary(self.pick(4).into(), self.one(&[-1, 0, 1])),
            _ => CoverageLabelKind::User {
                name: self.one(&["here", "two words", ""]).to_owned(),
                span: self.span(),
            },
        };
        CoverageLabel {
            kind,
            block: self.block(),
        }
    }

    /// A body with labels and copies.
    pub(super) fn labelled(&mut self, body: Body) -> Body {
        let copies = self.several(2, |s| (s.block(), s.block()));
        Body {
            coverage_labels: self.several(2, Self::coverage_label).into(),
            copies: BTreeMap::from_iter(copies),
            ..body
        }
    }
}
