//! All linear equations modulo a power of two that hold of some points ("The modulo-2^w affine
//! abstract domain": Müller-Olm and Seidl 2007, "Analysis of modular arithmetic").
//!
//! An equation is a row of coefficients `c0, c1, …, cn` with `c0 + c1*x1 + … + cn*xn == 0`. Those
//! that hold of some points are a module over the numbers modulo `2^w`. It begins with all rows, and
//! loses with each point those that do not hold of it:
//!
//! ```text
//! generators := the unit rows            // no point: every equation holds, 1 == 0 too
//! add(point):
//!     value(g) := g applied to the point
//!     pivot    := a generator whose value has the fewest factors of 2
//!     each other generator g: g := g - (value(g) / value(pivot)) * pivot     // its value is 0 now
//!     pivot    := pivot * 2^(w - factors of value(pivot))                    // and so is this one's
//! ```
//!
//! Numbers divide each other up to their factors of 2, so that the division is exact. An equation
//! whose coefficients are all multiples of `2^s` says that a sum is a multiple of `2^(w-s)`: equations
//! and congruences by powers of two are one.

use expr::{inverse_of_odd, mask, to_signed};

/// The equations over some variables of one width that hold of all points so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equations {
    width: u32,
    generators: Vec<Row>,
}

/// An equation: the constant, and the coefficient of each variable.
pub type Row = Vec<u128>;

impl Equations {
    /// All equations over so many variables of a width.
    pub fn of_no_point(width: u32, variables: usize) -> Equations {
        let unit = |at: usize| (0..=variables).map(|it| u128::from(it == at)).collect();
        Equations {
            width,
            generators: (0..=variables).map(unit).collect(),
        }
    }

    /// Keeps those that hold of a point, too. Returns whether any is lost.
    pub fn add(&mut self, point: &[u128]) -> bool {
        let values: Vec<u128> = self
            .generators
            .iter()
            .map(|row| self.value(row, point))
            .collect();
        let factors = |value: u128| value.trailing_zeros();
        let broken = (0..values.len()).filter(|&at| values[at] != 0);
        let Some(pivot) = broken.min_by_key(|&at| (factors(values[at]), self.weight(at))) else {
            return false;
        };
        let own = factors(values[pivot]);
        let inverse = self.inverse(values[pivot] >> own);
        let row = self.generators[pivot].clone();
        for (at, &value) in values.iter().enumerate() {
            if at != pivot && value != 0 {
                let times = (value >> own).wrapping_mul(inverse);
                self.subtract(at, times, &row);
            }
        }
        self.generators[pivot] = self.without(&row, own);
        self.generators.retain(|row| row.iter().any(|&it| it != 0));
        true
    }

    /// Equations that all others follow from, with small coefficients where these are found.
    pub fn rows(&self) -> Vec<Row> {
        let mut reduced = self.clone();
        reduced.reduce();
        reduced
            .generators
            .retain(|row| row.iter().any(|&it| it != 0));
        let rows = (0..reduced.generators.len()).map(|at| reduced.normalised(at));
        rows.collect()
    }

    /// Whether an equation follows from these: it is a sum of multiples of them.
    pub fn imply(&self, row: &[u128]) -> bool {
        let mut rest = self.clone();
        let mut row = row.to_vec();
        for column in 0..row.len() {
            let with = (0..rest.generators.len()).filter(|&at| rest.generators[at][column] != 0);
            let pivot = with.min_by_key(|&at| rest.generators[at][column].trailing_zeros());
            let Some(pivot) = pivot else {
                if row[column] != 0 {
                    return false;
                }
                continue;
            };
            let by = rest.generators.swap_remove(pivot);
            let factors = by[column].trailing_zeros();
            if row[column] != 0 && row[column].trailing_zeros() < factors {
                return false;
            }
            let inverse = self.inverse(by[column] >> factors);
            // What is left of the pivot has no such coefficient either.
            rest.generators.push(vec![0; row.len()]);
            let last = rest.generators.len() - 1;
            for at in 0..last {
                let times = (rest.generators[at][column] >> factors).wrapping_mul(inverse);
                rest.subtract(at, times, &by);
            }
            let times = (row[column] >> factors).wrapping_mul(inverse);
            rest.generators[last] = row;
            rest.subtract(last, times, &by);
            row = std::mem::replace(&mut rest.generators[last], self.without(&by, factors));
        }
        true
    }

    /// Keeps only what follows from some of them.
    pub fn keep(&mut self, rows: &[Row]) {
        self.generators = rows.to_vec();
    }

    /// A row times the power of two that makes a coefficient with so many factors of two 0.
    fn without(&self, row: &[u128], factors: u32) -> Row {
        let scale = match self.width - factors {
            128.. => 0,
            shift => 1u128 << shift,
        };
        self.scaled(row, scale)
    }

    /// Subtracts rows from each other while that makes coefficients fewer or smaller.
    fn reduce(&mut self) {
        let mut is_changed = true;
        let mut rounds = 0;
        while is_changed && rounds < 8 {
            is_changed = false;
            rounds += 1;
            for at in 0..self.generators.len() {
                self.generators[at] = self.normalised(at);
                for other in 0..self.generators.len() {
                    is_changed |= at != other && self.reduce_by(at, other);
                }
            }
        }
    }

    /// Subtracts the multiple of another row that cancels a coefficient, or leaves as little of it as is
    /// possible, if the result is lighter.
    fn reduce_by(&mut self, at: usize, other: usize) -> bool {
        let by = self.generators[other].clone();
        for column in 0..by.len() {
            let (own, theirs) = (self.generators[at][column], by[column]);
            if own == 0 || theirs == 0 {
                continue;
            }
            let factors = theirs.trailing_zeros();
            let rest = match factors {
                0 => 0,
                _ => to_signed(factors, own & mask(factors)) as u128,
            };
            let multiple = own.wrapping_sub(rest) & mask(self.width);
            let times = (multiple >> factors).wrapping_mul(self.inverse(theirs >> factors));
            let before = (self.generators[at].clone(), self.weight(at));
            self.subtract(at, times, &by);
            if self.weight(at) < before.1 {
                return true;
            }
            self.generators[at] = before.0;
        }
        self.reduce_by_parity(at, &by)
    }

    /// Subtracts a row that says that a sum is even, if the result times an odd number is lighter.
    fn reduce_by_parity(&mut self, at: usize, by: &Row) -> bool {
        let top = 1u128 << (self.width - 1);
        if by.iter().any(|&it| it != 0 && it != top) {
            return false;
        }
        let before = (self.generators[at].clone(), self.weight(at));
        self.subtract(at, 1, by);
        self.generators[at] = self.normalised(at);
        let is_lighter = self.weight(at) < before.1;
        if !is_lighter {
            self.generators[at] = before.0;
        }
        is_lighter
    }

    /// A row times the odd number that makes it the lightest: one that makes a coefficient a power of
    /// two.
    fn normalised(&self, at: usize) -> Row {
        let row = &self.generators[at];
        let candidates = row.iter().filter(|&&it| it != 0).map(|&coefficient| {
            let odd = coefficient >> coefficient.trailing_zeros();
            self.scaled(row, self.inverse(odd))
        });
        let lightest = candidates.min_by_key(|row| weight(self.width, row));
        lightest.unwrap_or_else(|| row.clone())
    }

    fn weight(&self, at: usize) -> u32 {
        weight(self.width, &self.generators[at])
    }

    fn value(&self, row: &[u128], point: &[u128]) -> u128 {
        let variables = row.iter().skip(1).zip(point);
        let constant = row.first().copied().unwrap_or(0);
        let sum = variables.fold(constant, |sum, (&c, &x)| {
            sum.wrapping_add(c.wrapping_mul(x))
        });
        sum & mask(self.width)
    }

    fn scaled(&self, row: &[u128], by: u128) -> Row {
        let scaled = row.iter().map(|it| it.wrapping_mul(by) & mask(self.width));
        scaled.collect()
    }

    fn subtract(&mut self, at: usize, times: u128, row: &[u128]) {
        let width = self.width;
        for (it, &other) in self.generators[at].iter_mut().zip(row) {
            *it = it.wrapping_sub(times.wrapping_mul(other)) & mask(width);
        }
    }

    /// The inverse of an odd number modulo `2^w`.
    fn inverse(&self, odd: u128) -> u128 {
        inverse_of_odd(odd) & mask(self.width)
    }
}

/// How many bits the coefficients of a row have, with one for each that is not 0.
fn weight(width: u32, row: &[u128]) -> u32 {
    let bits = |&it: &u128| match to_signed(width, it).unsigned_abs() {
        0 => 0,
        size => 2 + size.ilog2(),
    };
    row.iter().map(bits).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(width: u32, points: &[&[u128]]) -> Vec<Row> {
        let variables = points.first().map_or(0, |point| point.len());
        let mut equations = Equations::of_no_point(width, variables);
        for point in points {
            equations.add(point);
        }
        equations.rows()
    }

    #[test]
    fn no_point_satisfies_everything() {
        let all = Equations::of_no_point(8, 1);
        assert_eq!(all.rows(), [vec![1, 0], vec![0, 1]]);
    }

    #[test]
    fn a_line_is_one_equation() {
        // x2 == 2 * x1 + 3
        let found = rows(32, &[&[0, 3], &[1, 5], &[7, 17]]);
        assert_eq!(
            found,
            [vec![(-3i32) as u32 as u128, (-2i32) as u32 as u128, 1]]
        );
    }

    #[test]
    fn wrapping_sums_are_equations() {
        let big = 0xffff_fff0;
        let found = rows(
            32,
            &[&[big, 0x20, 0x10], &[1, 2, 3], &[5, 0, 5], &[0, 9, 9]],
        );
        assert_eq!(found.len(), 1);
        let wrong = found[0].iter().filter(|&&it| it == 0).count();
        assert_eq!(wrong, 1, "{found:?}");
    }

    #[test]
    fn a_common_factor_of_two_is_a_congruence() {
        let found = rows(8, &[&[2], &[6], &[14]]);
        // x == 2 modulo 4: 64 * (x - 2) == 0.
        assert_eq!(found, [vec![128, 64]]);
    }

    #[test]
    fn coefficients_are_small_where_a_congruence_allows_it() {
        // x2 is even, and x1 + x2 == 0: so is x1 + (1 + 128) * x2.
        let points: [&[u128]; 3] = [&[254, 2], &[6, 250], &[0, 0]];
        let found = rows(8, &points);
        assert_eq!(found, [vec![0, 128, 0], vec![0, 1, 1]]);
    }

    #[test]
    fn every_equation_of_the_points_is_generated() {
        // Width 3, two variables: all 512 rows, against all sums of multiples of what is found.
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..200 {
            let count = rng.usize(1..4);
            let points: Vec<Vec<u128>> = (0..count)
                .map(|_| vec![rng.u128(0..8), rng.u128(0..8)])
                .collect();
            let mut equations = Equations::of_no_point(3, 2);
            for point in &points {
                equations.add(point);
            }
            let found = equations.rows();
            let mut generated = std::collections::BTreeSet::from([vec![0u128; 3]]);
            for row in &found {
                let before = generated.clone();
                for times in 0..8 {
                    generated.extend(before.iter().map(|sum| {
                        let sums = sum.iter().zip(row).map(|(a, b)| (a + times * b) % 8);
                        sums.collect::<Row>()
                    }));
                }
            }
            for number in 0..512u128 {
                let row = vec![number % 8, number / 8 % 8, number / 64];
                let holds = points.iter().all(|it| equations.value(&row, it) == 0);
                assert_eq!(holds, generated.contains(&row), "{points:?} {row:?}");
                assert_eq!(holds, equations.imply(&row), "{points:?} {row:?}");
            }
        }
    }
}
