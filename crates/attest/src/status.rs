//! The exit status of the process.

use std::process::ExitCode;

/// The exit status of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Every goal is decided, and there is no defect.
    Complete,
    /// A defect was found.
    DefectFound,
    /// The input or the arguments are unusable.
    BadInput,
    /// Goals are left undecided.
    Undecided,
    /// attest itself failed.
    Failed,
}

impl Status {
    /// Its number.
    pub fn code(self) -> u8 {
        match self {
            Status::Complete => 0,
            Status::DefectFound => 1,
            Status::BadInput => 2,
            Status::Undecided => 3,
            Status::Failed => 4,
        }
    }

    /// The status that wins where several hold: 2, 4, 1, 3, 0 in this order.
    pub fn and(self, other: Status) -> Status {
        if self.rank() <= other.rank() {
            self
        } else {
            other
        }
    }

    fn rank(self) -> u8 {
        match self {
            Status::BadInput => 0,
            Status::Failed => 1,
            Status::DefectFound => 2,
            Status::Undecided => 3,
            Status::Complete => 4,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn the_order_of_precedence_is_2_4_1_3_0() {
        let order = [
            Status::BadInput,
            Status::Failed,
            Status::DefectFound,
            Status::Undecided,
            Status::Complete,
        ];
        assert_eq!(order.map(Status::code), [2, 4, 1, 3, 0]);
        for (i, first) in order.iter().enumerate() {
            for second in &order[i..] {
                assert_eq!(first.and(*second), *first);
                assert_eq!(second.and(*first), *first);
            }
        }
    }
}
