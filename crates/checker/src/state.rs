//! What is known where control is: how it came there, and what objects hold.

use std::collections::{BTreeMap, BTreeSet};

use expr::Term;
use ir::TypeId;

use crate::addresses::Address;
use crate::contents::{Contents, Held};
use crate::formulas::Formulas;
use crate::objects::{INDEX_WIDTH, Object};
use crate::world::World;

/// The state at a place of the code.
#[derive(Clone, Debug)]
pub struct State {
    /// Whether control is there.
    pub reach: Term,
    /// What objects hold that may hold something else than at the start.
    pub objects: BTreeMap<Object, Held>,
}

/// The memory of all states: terms, and what objects hold.
pub struct Memory<'w, 'p> {
    /// What is known of the code.
    pub world: &'w World<'p>,
    /// The terms.
    pub formulas: Formulas,
    /// What objects hold.
    pub contents: Contents<'p>,
    /// What objects hold at the start.
    start: BTreeMap<Object, Held>,
}

impl<'w, 'p> Memory<'w, 'p> {
    /// The memory of code, of which nothing is executed yet.
    pub fn new(world: &'w World<'p>) -> Memory<'w, 'p> {
        Memory {
            world,
            formulas: Formulas::default(),
            contents: Contents::new(world.program),
            start: BTreeMap::new(),
        }
    }

    /// Any state.
    pub fn any_state(&mut self) -> State {
        State {
            reach: self.formulas.bool(true),
            objects: BTreeMap::new(),
        }
    }

    /// The state where executions start.
    pub fn first_state(&mut self) -> State {
        let mut state = self.any_state();
        if self.world.starts_afresh() {
            for (global, data) in self.world.program.globals.iter_enumerated() {
                let object = Object::Global(global);
                if data.initializer.is_some() && self.world.is_known(object) {
                    let initial = self.contents.initial(global);
                    state.objects.insert(object, initial);
                }
            }
        }
        // The nodes of earlier calls are none that pointers of the code lead to.
        for class in self.world.targets.sites.classes() {
            let none = self.contents.zero();
            state.objects.insert(Object::Live(class), none);
        }
        state
    }

    /// The type of an object whose scalars are told apart; registers have one scalar.
    pub fn type_of(&self, object: Object) -> Option<TypeId> {
        let is_register = match object {
            Object::Local(frame, local) => self.world.unfolding.is_register(frame, local),
            Object::Global(_) => false,
            _ => true,
        };
        let ty = self.world.unfolding.type_of(object);
        ty.filter(|_| !is_register)
    }

    /// What an object holds.
    pub fn held(&mut self, state: &State, object: Object) -> Held {
        if let Some(&held) = state.objects.get(&object) {
            return held;
        }
        if let Some(&held) = self.start.get(&object) {
            return held;
        }
        let ty = self.type_of(object);
        let held = match object {
            Object::Global(global) if self.world.is_constant(object) => {
                self.contents.initial(global)
            }
            _ => self.contents.unknown(ty),
        };
        self.start.insert(object, held);
        held
    }

    /// Bits of an object.
    pub fn load(&mut self, state: &State, object: Object, address: Address, width: u32) -> Term {
        if !self.world.is_known(object) {
            return self.formulas.fresh(width);
        }
        let held = self.held(state, object);
        let ty = self.type_of(object);
        self.contents
            .load(&mut self.formulas, (held, ty), address, width)
    }

    /// Which element a pointer leads to.
    pub fn position(&mut self, state: &State, object: Object) -> Term {
        self.load(state, object, Address::at(0), INDEX_WIDTH)
    }

    /// Makes an object unknown.
    pub fn forget(&mut self, state: &mut State, object: Object) {
        if self.world.is_constant(object) {
            return;
        }
        if let Object::Nodes(class) = object {
            self.forget(state, Object::Live(class));
            for member in self.world.members_of(class) {
                self.forget(state, member);
            }
        }
        let unknown = self.contents.unknown(self.type_of(object));
        state.objects.insert(object, unknown);
        if let Object::Local(frame, local) = object
            && self.world.targets.is_moving(frame, local)
        {
            let unknown = self.contents.unknown(None);
            let position = Object::Position(frame, local);
            state.objects.insert(position, unknown);
        }
    }

    /// A state under a condition.
    pub fn under(&mut self, state: &State, condition: Term) -> State {
        State {
            reach: self.formulas.both(state.reach, condition),
            objects: state.objects.clone(),
        }
    }

    /// The state where several ways meet, of which an execution takes one; `None` if there is none.
    pub fn join(&mut self, states: Vec<State>) -> Option<State> {
        let mut states = states.into_iter();
        let mut joined = states.next()?;
        for other in states {
            let named = joined.objects.keys().chain(other.objects.keys());
            let named: BTreeSet<Object> = named.copied().collect();
            let mut objects = BTreeMap::new();
            for object in named {
                let here = self.held(&other, object);
                let there = self.held(&joined, object);
                let held = self.contents.join(other.reach, here, there);
                objects.insert(object, held);
            }
            joined = State {
                reach: self.formulas.either(joined.reach, other.reach),
                objects,
            };
        }
        Some(joined)
    }
}
