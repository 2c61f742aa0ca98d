//! The memory graph of one test: its input objects with the values that the test gives them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ir::input::{Extent, InputSpace, InputValue, Root};
use ir::test::TestCase;
use ir::{CellId, ObjectId, TypeId};

/// The least number of bytes added to an object whose execution ended because it was too small.
const ROOM_BEYOND: u64 = 4096;

/// The input objects of one test, without those that only a precondition takes.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Objects that the test gives values to or points to, by number.
    pub objects: BTreeMap<ObjectId, Object>,
    /// For each pointer cell that points to an object of its own: that object.
    pub pointees: BTreeMap<CellId, ObjectId>,
    by_root: HashMap<Root, ObjectId>,
    /// The offset that is added to the pointer in a cell: its bits, and how many.
    added: BTreeMap<CellId, (u128, u32)>,
    /// The pointers to objects that lie at a distance from a multiple of 16 which matters.
    placed: BTreeSet<CellId>,
}

/// An input object of one test.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its logical address.
    pub root: Root,
    /// Its type; for a pointee, that of one element.
    pub ty: TypeId,
    /// The cells with values, by offset in bits from the object's start or pointer.
    pub cells: BTreeMap<i64, CellValue>,
    /// For a pointee, how far it extends.
    pub extent: Extent,
}

/// A cell with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellValue {
    /// Which cell.
    pub cell: CellId,
    /// Its scalar type.
    pub ty: TypeId,
    /// Its width in bits.
    pub width: u32,
    /// The value.
    pub value: InputValue,
}

impl Graph {
    /// Collects the objects of a test.
    pub fn new(space: &InputSpace, test: &TestCase) -> Self {
        let mut graph = Graph::default();
        // For each pointer to an object of its own, the object's type where the pointer does not
        // say it.
        let own: BTreeMap<CellId, Option<TypeId>> = test
            .inputs
            .values
            .iter()
            .filter_map(|(&cell, value)| match value {
                InputValue::Fresh => Some((cell, None)),
                InputValue::Member { whole, .. } => Some((cell, Some(*whole))),
                _ => None,
            })
            .collect();
        let valued: BTreeSet<ObjectId> = test
            .inputs
            .values
            .keys()
            .map(|&cell| space.cell_data(cell).object)
            .collect();
        for (id, object) in space.objects() {
            let present = match &object.root {
                root if root.is_of_precondition() => false,
                Root::Pointee(cell) => own
                    .get(cell)
                    .is_some_and(|ty| ty.is_none_or(|ty| ty == object.ty)),
                Root::Mapped(_) => test.inputs.extents.contains_key(&id),
                _ => valued.contains(&id),
            };
            if !present {
                continue;
            }
            if let Root::Pointee(cell) = object.root {
                graph.adopt(cell, id, test, &valued);
            }
            graph.by_root.entry(object.root.clone()).or_insert(id);
            graph.objects.insert(
                id,
                Object {
                    root: object.root.clone(),
                    ty: object.ty,
                    cells: BTreeMap::new(),
                    extent: test.inputs.extents.get(&id).copied().unwrap_or_default(),
                },
            );
        }
        graph.fill(space, test);
        graph.extend_images(space);
        graph.extend_outgrown(test);
        graph
    }

    /// Natively a test goes on where the machine had no room: most code needs little more.
    fn extend_outgrown(&mut self, test: &TestCase) {
        let outgrown = test.outgrown.and_then(|id| self.objects.get_mut(&id));
        if let Some(object) = outgrown {
            // A multiple of what is there: whole elements.
            let after = object.extent.after.max(1);
            object.extent.after = after * (ROOM_BEYOND / after + 2);
        }
    }

    /// The writes of a call to an object reach as far as its cells.
    fn extend_images(&mut self, space: &InputSpace) {
        for (&id, object) in &mut self.objects {
            if !matches!(space.object_data(id).root, Root::After { .. }) {
                continue;
            }
            let first = object.cells.keys().next().copied().unwrap_or(0);
            let last = object.cells.iter().next_back();
            let end = last.map_or(0, |(first, cell)| first + i64::from(cell.width));
            object.extent = Extent {
                before: first.min(0).unsigned_abs().div_ceil(8),
                after: end.max(0).unsigned_abs().div_ceil(8),
            };
        }
    }

    /// Records the object that a pointer points to. One pointer may have been seen with several
    /// types in different executions; the one that this test has values or an extent for counts.
    fn adopt(&mut self, cell: CellId, id: ObjectId, test: &TestCase, valued: &BTreeSet<ObjectId>) {
        let used = valued.contains(&id) || test.inputs.extents.contains_key(&id);
        if used || !self.pointees.contains_key(&cell) {
            self.pointees.insert(cell, id);
        }
    }

    fn fill(&mut self, space: &InputSpace, test: &TestCase) {
        for (&cell, &value) in &test.inputs.values {
            let data = space.cell_data(cell);
            if let (Root::Added(pointer), InputValue::Bits(bits)) =
                (&space.object_data(data.object).root, value)
            {
                self.added.insert(*pointer, (bits, data.width));
            }
            if let Root::Placed(pointer) = space.object_data(data.object).root {
                self.placed.insert(pointer);
            }
            if let Some(object) = self.objects.get_mut(&data.object) {
                object.cells.insert(
                    data.offset_bits,
                    CellValue {
                        cell,
                        ty: data.ty,
                        width: data.width,
                        value,
                    },
                );
            }
        }
    }

    /// Whether something may be added to the address in a cell.
    pub fn is_tagged(&self, cell: CellId) -> bool {
        self.added.contains_key(&cell)
    }

    /// Whether it matters how far the object that the pointer in a cell points to lies from a
    /// multiple of 16.
    pub fn is_placed(&self, cell: CellId) -> bool {
        self.placed.contains(&cell)
    }

    /// The low bits that are added to the address in a cell.
    pub fn tag(&self, cell: CellId) -> u64 {
        let added = self.added.get(&cell).map(|&(bits, _)| bits);
        added.and_then(|bits| u64::try_from(bits).ok()).unwrap_or(0)
    }

    /// How many elements after the other pointer's target a pointer into its array points.
    pub fn distance(&self, cell: CellId) -> i64 {
        match self.added.get(&cell) {
            Some(&(bits, width @ 1..=63)) => {
                (((bits as u64) << (64 - width)) as i64) >> (64 - width)
            }
            _ => 0,
        }
    }

    /// The object with this root, if the test has one.
    pub fn find(&self, root: &Root) -> Option<(ObjectId, &Object)> {
        let id = *self.by_root.get(root)?;
        Some((id, self.objects.get(&id)?))
    }
}
