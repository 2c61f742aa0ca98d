//! Drawings of the linked structures of a test, for its comment: lists, rings and trees.
//!
//! A node is an object of a record type that has pointers to objects of the same type; what other
//! pointers there are in it is left to the declarations.

mod render;

use std::collections::{BTreeMap, BTreeSet};

use ir::input::{InputValue, Root};
use ir::{ObjectId, RecordKind, Type, TypeId, Types};

use self::render::{Link, Node, Structure};
use super::literal;
use super::scene::Scene;
use crate::graph::Object;

/// Structures with more nodes are not drawn: such a drawing is unreadable.
const MOST_NODES: usize = 24;

/// Values that a node is drawn with.
const MOST_VALUES: usize = 3;

/// Elements of arrays inside nodes that are looked at, such as the children of a trie's node.
const MOST_ELEMENTS: u64 = 64;

/// Scalars of a node that are looked at.
const MOST_LEAVES: usize = 256;

/// The drawings of a test, as lines of a comment.
pub fn drawings(scene: &Scene<'_>) -> Vec<String> {
    let mut drawn = BTreeSet::new();
    let mut lines = Vec::new();
    for (&id, object) in &scene.graph.objects {
        if drawn.contains(&id) || !is_node(scene, object) {
            continue;
        }
        let nodes = reached(scene, id);
        drawn.extend(nodes.iter().copied());
        let structure = structure(scene, &nodes);
        if nodes.len() <= MOST_NODES
            && structure.is_linked()
            && let Some(title) = title(scene, id, object)
        {
            lines.extend(structure.lines(&title));
        }
    }
    lines
}

/// A scalar of a node.
struct Leaf {
    path: String,
    offset_bits: i64,
    ty: TypeId,
}

/// The scalars of a type that have a name of their own, in order.
fn leaves(types: &Types, ty: TypeId, path: &str, offset_bits: i64, out: &mut Vec<Leaf>) {
    if out.len() > MOST_LEAVES {
        return;
    }
    match types.kind(ty) {
        Type::Record(record) if types.records[*record].kind == RecordKind::Struct => {
            for field in &types.records[*record].fields {
                let path = match &field.name {
                    Some(name) if path.is_empty() => name.clone(),
                    Some(name) => format!("{path}.{name}"),
                    None => path.to_owned(),
                };
                let offset = offset_bits + field.offset_bits as i64;
                leaves(types, field.ty, &path, offset, out);
            }
        }
        Type::Array {
            element,
            length: Some(length),
        } => {
            let stride = types.size(*element) as i64 * 8;
            for index in 0..(*length).min(MOST_ELEMENTS) as i64 {
                let path = format!("{path}[{index}]");
                leaves(types, *element, &path, offset_bits + index * stride, out);
            }
        }
        Type::Int(_) | Type::Enum(_) | Type::Pointer { .. } => out.push(Leaf {
            path: path.to_owned(),
            offset_bits,
            ty,
        }),
        _ => {}
    }
}

/// The members of a type that point to objects of it.
fn links(types: &Types, ty: TypeId) -> Vec<Leaf> {
    let mut all = Vec::new();
    leaves(types, ty, "", 0, &mut all);
    all.retain(|leaf| types.pointee(leaf.ty) == Some(ty));
    all
}

fn is_node(scene: &Scene<'_>, object: &Object) -> bool {
    let types = scene.subject.types;
    let is_one = object.extent.before == 0 && object.extent.after <= types.size(object.ty);
    types.record(object.ty).is_some() && is_one && !links(types, object.ty).is_empty()
}

/// The node that a link leads to.
fn target(scene: &Scene<'_>, object: &Object, link: &Leaf) -> Option<ObjectId> {
    let cell = object.cells.get(&link.offset_bits)?;
    let id = match cell.value {
        InputValue::Fresh => *scene.graph.pointees.get(&cell.cell)?,
        InputValue::Alias { object, offset: 0 } => object,
        _ => return None,
    };
    let there = scene.graph.objects.get(&id)?;
    (there.ty == object.ty && is_node(scene, there)).then_some(id)
}

/// The nodes that links lead to from one of them, which comes first.
fn reached(scene: &Scene<'_>, first: ObjectId) -> Vec<ObjectId> {
    let mut found = vec![first];
    let mut next = 0;
    while let Some(&id) = found.get(next) {
        next += 1;
        let object = &scene.graph.objects[&id];
        for link in links(scene.subject.types, object.ty) {
            if let Some(there) = target(scene, object, &link)
                && !found.contains(&there)
            {
                found.push(there);
            }
        }
    }
    found
}

fn structure(scene: &Scene<'_>, nodes: &[ObjectId]) -> Structure {
    let numbers: BTreeMap<ObjectId, usize> = nodes.iter().copied().zip(0..).collect();
    let nodes = nodes.iter().map(|id| {
        let object = &scene.graph.objects[id];
        let links = links(scene.subject.types, object.ty).into_iter();
        let links = links.map(|link| {
            let cell = object.cells.get(&link.offset_bits);
            let is_null = cell.is_none_or(|cell| cell.value == InputValue::Null);
            let to = match target(scene, object, &link) {
                Some(id) => Link::To(numbers[&id]),
                None if is_null => Link::Null,
                None => Link::Elsewhere,
            };
            (link.path, to)
        });
        Node {
            label: label(scene, object),
            links: links.collect(),
        }
    });
    Structure {
        nodes: nodes.collect(),
    }
}

/// The numbers in a node that the code looked at.
fn label(scene: &Scene<'_>, object: &Object) -> String {
    let types = scene.subject.types;
    let mut all = Vec::new();
    leaves(types, object.ty, "", 0, &mut all);
    let values = all.into_iter().filter_map(|leaf| {
        let cell = object.cells.get(&leaf.offset_bits)?;
        let InputValue::Bits(bits) = cell.value else {
            return None;
        };
        let text = literal::integer(types, cell.ty, cell.width, bits);
        Some((leaf.path, text))
    });
    let values: Vec<(String, String)> = values.take(MOST_VALUES).collect();
    match values.as_slice() {
        [(_, only)] => only.clone(),
        several => {
            let named = several.iter().map(|(path, text)| format!("{path} {text}"));
            named.collect::<Vec<_>>().join(", ")
        }
    }
}

/// How the test gets to the first node.
fn title(scene: &Scene<'_>, id: ObjectId, object: &Object) -> Option<String> {
    if let Root::Pointee(cell) = object.root {
        let data = scene.subject.space.cell_data(cell);
        return scene.place(data.object, data.offset_bits, data.ty, data.width);
    }
    let storage = scene.storages.get(&id)?;
    Some(storage.name.clone())
}
