//! Sequences that an execution only adds to, such as its path: copies share what was there before.

use std::sync::Arc;

/// A sequence whose copies share what was in it at the last [`Log::share`].
///
/// The shared parts shrink geometrically from the first to the last, so that there are few of them
/// and each element is moved or copied a logarithmic number of times.
#[derive(Clone, Debug)]
pub(crate) struct Log<T> {
    shared: Vec<Arc<Vec<T>>>,
    /// How many elements the shared parts hold.
    before: usize,
    /// The elements after them.
    tail: Vec<T>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Log {
            shared: Vec::new(),
            before: 0,
            tail: Vec::new(),
        }
    }
}

impl<T: Clone> Log<T> {
    /// Adds an element.
    #[inline]
    pub fn push(&mut self, element: T) {
        self.tail.push(element);
    }

    /// Adds elements.
    pub fn extend_from_slice(&mut self, elements: &[T]) {
        self.tail.extend_from_slice(elements);
    }

    /// How many elements there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.before + self.tail.len()
    }

    /// The elements, from the first on.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let shared = self.shared.iter().flat_map(|part| part.iter());
        shared.chain(&self.tail)
    }

    /// Removes all elements but the first ones.
    pub fn truncate(&mut self, length: usize) {
        while self.before > length
            && let Some(part) = self.shared.pop()
        {
            self.before -= part.len();
            self.tail = Arc::unwrap_or_clone(part);
        }
        self.tail.truncate(length.saturating_sub(self.before));
    }

    /// Makes the next copy share all elements.
    pub fn share(&mut self) {
        if self.tail.is_empty() {
            return;
        }
        self.before += self.tail.len();
        let mut last = std::mem::take(&mut self.tail);
        while let Some(part) = self.shared.pop_if(|part| part.len() <= last.len()) {
            let mut whole = Arc::unwrap_or_clone(part);
            whole.append(&mut last);
            last = whole;
        }
        self.shared.push(Arc::new(last));
    }

    /// All elements.
    pub fn into_vec(mut self) -> Vec<T> {
        let mut all = Vec::new();
        self.shared.push(Arc::new(self.tail));
        for part in self.shared {
            match all.is_empty() {
                true => all = Arc::unwrap_or_clone(part),
                false => all.extend(Arc::unwrap_or_clone(part)),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Log;

    #[derive(Clone, Debug)]
    enum Change {
        Push(u8),
        Share,
        Truncate(usize),
        Copy,
        ComeBack,
    }

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            4 => any::<u8>().prop_map(Change::Push),
            2 => Just(Change::Share),
            1 => (0usize..20).prop_map(Change::Truncate),
            2 => Just(Change::Copy),
            2 => Just(Change::ComeBack),
        ]
    }

    proptest! {
        /// A log and its copies hold what vectors would.
        #[test]
        fn is_like_a_vector(changes in prop::collection::vec(change(), 0..40)) {
            let (mut log, mut vector) = (Log::default(), Vec::new());
            let mut copies = Vec::new();
            for change in changes {
                match change {
                    Change::Push(element) => {
                        log.push(element);
                        vector.push(element);
                    }
                    Change::Share => log.share(),
                    Change::Truncate(length) => {
                        log.truncate(length);
                        vector.truncate(length);
                    }
                    Change::Copy => copies.push((log.clone(), vector.clone())),
                    Change::ComeBack => {
                        if let Some((old_log, old_vector)) = copies.pop() {
                            (log, vector) = (old_log, old_vector);
                        }
                    }
                }
                prop_assert_eq!(log.len(), vector.len());
                prop_assert!(log.iter().eq(&vector));
            }
            prop_assert_eq!(log.into_vec(), vector);
        }
    }
}
