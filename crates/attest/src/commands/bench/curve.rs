//! Coverage over time.

/// How many goals were covered, and since when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Seconds and covered goals, both growing.
    points: Vec<(f64, usize)>,
}

impl Curve {
    /// Records how many goals are covered now.
    pub fn note(&mut self, seconds: f64, covered: usize) {
        if covered > self.last() || self.points.is_empty() {
            self.points.push((seconds, covered));
        }
    }

    /// The goals covered at the end.
    pub fn last(&self) -> usize {
        self.points.last().map_or(0, |point| point.1)
    }

    /// When the last goal was covered.
    pub fn last_news(&self) -> f64 {
        self.points.last().map_or(0.0, |point| point.0)
    }

    /// The goals covered after so many seconds.
    pub fn at(&self, seconds: f64) -> usize {
        let reached = self.points.iter().take_while(|point| point.0 <= seconds);
        reached.last().map_or(0, |point| point.1)
    }

    /// When so many goals were covered, if that many ever were.
    pub fn reached(&self, covered: usize) -> Option<f64> {
        let mut points = self.points.iter();
        points.find(|point| point.1 >= covered).map(|point| point.0)
    }

    /// Seconds and covered goals, both growing.
    pub fn points(&self) -> &[(f64, usize)] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::Curve;

    #[test]
    fn only_news_are_kept() {
        let mut curve = Curve::default();
        for (seconds, covered) in [(0.5, 0), (1.0, 3), (2.0, 3), (4.0, 5)] {
            curve.note(seconds, covered);
        }
        assert_eq!(curve.points(), [(0.5, 0), (1.0, 3), (4.0, 5)]);
        assert_eq!([0.1, 1.0, 3.9, 9.0].map(|at| curve.at(at)), [0, 3, 3, 5]);
        assert_eq!((curve.last(), curve.last_news()), (5, 4.0));
        assert_eq!(
            [0, 2, 3, 6].map(|n| curve.reached(n)),
            [Some(0.5), Some(1.0), Some(1.0), None]
        );
    }
}
