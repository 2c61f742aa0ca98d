//! What criteria add to code.

use std::collections::BTreeMap;

use ir::*;

use super::Source;

impl Source<'_> {
    /// A label of the user, or a boundary value.
    fn coverage_label(&mut self) -> CoverageLabel {
        let kind = match self.pick(4) {
            0 => CoverageLabelKind::Boundary(self.pick(4).into(), self.one(&[-1, 0, 1])),
            1 => CoverageLabelKind::Mutant(Mutant {
                operation: self.pick(3).into(),
                change: match self.pick(3) {
                    0 => Change::Operator(self.one(&[BinaryOp::Add, BinaryOp::Shr, BinaryOp::Lt])),
                    1 => Change::Outcome(self.pick(2) == 0),
                    _ => Change::Constant(self.one(&[-1, 1])),
                },
            }),
            2 => CoverageLabelKind::Use {
                name: self.one(&["here", "two words", ""]).to_owned(),
                definition: (self.pick(2) == 0).then(|| self.span_id()),
                usage: self.span_id(),
                is_result: self.pick(2) == 0,
            },
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

    pub(super) fn optional_operation(&mut self) -> Option<OperationId> {
        (self.pick(3) == 0).then(|| self.pick(3).into())
    }

    /// A body with operations, labels and copies.
    pub(super) fn labelled(&mut self, body: Body) -> Body {
        let operation = |s: &mut Self| Operation {
            span: s.span_id(),
            sides: [s.span_id(), s.span_id()],
            assigns: s.pick(2) == 0,
        };
        let operations = self.several(3, operation).into();
        let copies = self.several(2, |s| (s.block(), s.block()));
        Body {
            coverage_labels: self.several(2, Self::coverage_label).into(),
            operations,
            copies: BTreeMap::from_iter(copies),
            ..body
        }
    }
}
