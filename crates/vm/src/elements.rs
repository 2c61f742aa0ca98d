//! Reading and writing memory at symbolic offsets: every element that the offset may mean.

use expr::Term;

use crate::ids::AllocationId;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Scalar, Shadow, Value, mask};

/// What some offsets in a row hold.
struct Held {
    first: u64,
    last: u64,
    value: Term,
}

impl Run<'_, '_> {
    /// The offsets that a symbolic one may mean, given that the access is in bounds; `None` if they
    /// are too many.
    fn candidates(
        &mut self,
        id: AllocationId,
        offset: u64,
        term: Term,
        range: Option<(u64, u64)>,
        size: u64,
    ) -> Option<Vec<u64>> {
        let congruence = self.congruence(term);
        let allocation = self.state.memory.get(id);
        let last = allocation.size.checked_sub(size)?;
        let (mut low, mut high) = range.unwrap_or((0, last));
        high = high.min(last);
        if let Some(input) = allocation.input.as_ref().filter(|input| input.growable) {
            // The bound of input arrays holds on the side that is accessed.
            if offset >= input.origin {
                low = low.max(input.origin);
            } else {
                high = high.min(input.origin.checked_sub(size)?);
            }
        }
        let modulus = u64::try_from(congruence.modulus).ok()?;
        if modulus == 0 {
            return Some(vec![offset]);
        }
        let residue = (congruence.residue % u128::from(modulus)) as u64;
        let skip = (residue + modulus - low % modulus) % modulus;
        let first = low.checked_add(skip)?;
        if first > high {
            return None;
        }
        let count = (high - first) / modulus + 1;
        if count > self.code.config.symbolic_elements {
            return None;
        }
        let found: Vec<u64> = (0..count).map(|n| first + n * modulus).collect();
        found.contains(&offset).then_some(found)
    }

    /// The values at the offsets, if all are numbers.
    fn numbers(
        &mut self,
        id: AllocationId,
        offsets: &[u64],
        scalar: Scalar,
    ) -> Flow<Option<Vec<Value>>> {
        let mut values = Vec::with_capacity(offsets.len());
        for &offset in offsets {
            // What was never written is looked at where it is read only.
            self.reach(id, offset + scalar.size())?;
            let allocation = self.state.memory.get(id);
            if allocation.has_unwritten(offset, scalar.size()) {
                return Ok(None);
            }
            let value = self.load_at(id, offset, scalar)?;
            if !matches!(value.shadow, Shadow::None | Shadow::Term(_)) {
                return Ok(None);
            }
            values.push(value);
        }
        Ok(Some(values))
    }

    /// Reads at a symbolic offset, which has the concrete value `offset`.
    pub fn load_symbolic(
        &mut self,
        id: AllocationId,
        offset: u64,
        term: Term,
        range: Option<(u64, u64)>,
        scalar: Scalar,
    ) -> Flow<Value> {
        let size = scalar.size();
        let width = size as u32 * 8;
        let place = Value::symbolic(u128::from(offset), term);
        self.read_locale_table(id, place)?;
        let offsets = self.candidates(id, offset, term, range, size);
        let values = match &offsets {
            Some(offsets) if self.is_locale_table(id) => {
                // What depends on the locale is noted by now.
                let allocation = self.state.memory.get(id);
                let at = |&at: &u64| Value::concrete(allocation.bits(at, size));
                Some(offsets.iter().map(at).collect())
            }
            Some(offsets) => self.numbers(id, offsets, scalar)?,
            None => None,
        };
        let (Some(offsets), Some(values)) = (offsets, values) else {
            self.concretise(term, u128::from(offset));
            return self.load_at(id, offset, scalar);
        };
        let concrete = offsets.iter().zip(&values).find(|(at, _)| **at == offset);
        let bits = concrete.map_or(0, |(_, value)| value.bits);
        let mut chain: Option<Term> = None;
        for run in self.runs(&offsets, &values, width).into_iter().rev() {
            chain = Some(match chain {
                None => run.value,
                Some(others) => {
                    let condition = match run.first == run.last {
                        true => self.is_at(term, run.first),
                        false => self.is_at_most(term, run.last),
                    };
                    self.terms.ite(condition, run.value, others)
                }
            });
        }
        Ok(match chain {
            Some(chain) => self.valued(bits & mask(width), chain),
            None => Value::concrete(bits),
        })
    }

    /// Offsets in a row that hold the same: tables such as those of ctype.h have few such runs.
    fn runs(&mut self, offsets: &[u64], values: &[Value], width: u32) -> Vec<Held> {
        let mut runs: Vec<Held> = Vec::new();
        for (&at, &value) in offsets.iter().zip(values) {
            let value = self.term_of(value, width);
            match runs.last_mut() {
                Some(run) if run.value == value => run.last = at,
                _ => runs.push(Held {
                    first: at,
                    last: at,
                    value,
                }),
            }
        }
        runs
    }

    /// Writes at a symbolic offset, which has the concrete value `offset`.
    pub fn store_symbolic(
        &mut self,
        id: AllocationId,
        offset: u64,
        term: Term,
        range: Option<(u64, u64)>,
        scalar: Scalar,
        value: Value,
    ) -> Flow<()> {
        let size = scalar.size();
        let width = size as u32 * 8;
        let is_number = matches!(value.shadow, Shadow::None | Shadow::Term(_));
        let offsets = self
            .candidates(id, offset, term, range, size)
            .filter(|_| is_number && scalar.padding == 0);
        let apart = offsets
            .as_ref()
            .is_some_and(|offsets| offsets.windows(2).all(|pair| pair[1] - pair[0] >= size));
        let values = match &offsets {
            Some(offsets) if apart => self.numbers(id, offsets, scalar)?,
            _ => None,
        };
        let (Some(offsets), Some(values)) = (offsets, values) else {
            self.concretise(term, u128::from(offset));
            return self.store_at(id, offset, scalar, value);
        };
        let new = self.term_of(value, width);
        for (&at, &old) in offsets.iter().zip(&values) {
            let condition = self.is_at(term, at);
            let old_term = self.term_of(old, width);
            let either = self.terms.ite(condition, new, old_term);
            let bits = if at == offset { value.bits } else { old.bits };
            let stored = self.valued(bits, either);
            self.store_at(id, at, scalar, stored)?;
        }
        Ok(())
    }

    fn is_at_most(&mut self, term: Term, offset: u64) -> Term {
        let width = self.terms.width(term);
        let constant = self.terms.constant(width, u128::from(offset));
        self.terms.ule(term, constant)
    }

    fn is_at(&mut self, term: Term, offset: u64) -> Term {
        let width = self.terms.width(term);
        let constant = self.terms.constant(width, u128::from(offset));
        self.terms.eq(term, constant)
    }
}
