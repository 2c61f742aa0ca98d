//! The loop that executes prepared code.

use ir::test::LossKind;
use ir::{CastKind, CodeEdge, DefectKind, TraceEvent};
use semantics::quick;

use crate::address::Purpose;
use crate::arithmetic::fast_index;
use crate::code::{Access, Op, PlaceCode, ReturnCode, Slot};
use crate::passed::Passed;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Shadow, Value};

impl Run<'_, '_> {
    /// Executes until the innermost call, which has just been set up, returns.
    pub fn execute_frame(&mut self) -> Flow<Passed> {
        let floor = self.state.frames.len();
        loop {
            let ended = self.interpret(floor);
            if !self.replace_tried()? {
                return ended;
            }
        }
    }

    /// Executes until fewer than so many calls are under way.
    fn interpret(&mut self, floor: usize) -> Flow<Passed> {
        let code = self.code;
        let mut pc = self.state.pc;
        loop {
            self.state.pc = pc;
            // By reference: a copy would go through memory.
            let op = &code.ops[pc as usize];
            match *op {
                Op::Int {
                    op,
                    scalar,
                    to,
                    left,
                    right,
                } => {
                    let (a, b) = (self.read(left), self.read(right));
                    let quick = (a.is_concrete() && b.is_concrete())
                        .then(|| quick::binary(op, scalar.integer(), a.bits as u64, b.bits as u64))
                        .flatten();
                    let value = match quick {
                        Some(bits) => Value::concrete(u128::from(bits)),
                        None => self.binary(op, scalar, a, b)?,
                    };
                    self.set(to, value);
                }
                Op::Compare {
                    op,
                    scalar,
                    to,
                    left,
                    right,
                } => {
                    let (a, b) = (self.read(left), self.read(right));
                    let quick = (a.is_concrete() && b.is_concrete())
                        .then(|| quick::compare(op, scalar.integer(), a.bits as u64, b.bits as u64))
                        .flatten();
                    let value = match quick {
                        Some(holds) => Value::concrete(u128::from(holds)),
                        None => self.compare(op, scalar, a, b)?,
                    };
                    self.set(to, value);
                }
                Op::Shift {
                    op,
                    scalar,
                    amount,
                    to,
                    left,
                    right,
                } => {
                    let (a, b) = (self.read(left), self.read(right));
                    let quick = (a.is_concrete() && b.is_concrete() && b.bits < 64)
                        .then(|| quick::shift(op, scalar.integer(), a.bits as u64, b.bits as u64))
                        .flatten();
                    let value = match quick {
                        Some(bits) => Value::concrete(u128::from(bits)),
                        None => self.shift(op, scalar, amount, a, b)?,
                    };
                    self.set(to, value);
                }
                Op::Copy { to, from, scalar } => {
                    let value = self.read(from);
                    if value.shadow.is_open() && !scalar.character {
                        self.used(value)?;
                    }
                    self.set(to, value);
                }
                Op::Load { to, place } => {
                    let place = &code.tables.places[place as usize];
                    let value = match self.load_quick(place) {
                        Some(value) => value,
                        None => self.load_place(place)?,
                    };
                    self.set(to, value);
                }
                Op::Store { place, from } => {
                    let value = self.read(from);
                    let place = &code.tables.places[place as usize];
                    if !(value.is_concrete() && self.store_quick(place, value.bits)) {
                        self.store_place(place, value)?;
                    }
                }
                Op::Cast {
                    kind,
                    source,
                    target,
                    to,
                    from,
                } => {
                    let value = self.read(from);
                    let quick = (value.is_concrete() && kind == CastKind::IntToInt)
                        .then(|| quick::convert(source.integer(), target.bits(), value.bits as u64))
                        .flatten();
                    let value = match quick {
                        Some(bits) => Value::concrete(u128::from(bits)),
                        None => self.cast(kind, source, target, value)?,
                    };
                    self.set(to, value);
                }
                Op::Offset {
                    index_scalar,
                    to,
                    pointer,
                    index,
                    element,
                } => {
                    let (pointer, index) = (self.read(pointer), self.read(index));
                    let quick = match (pointer.shadow, fast_index(index_scalar, index)) {
                        (Shadow::Pointer(id, None), Some(index))
                            if self.code.pointer_width == 64 =>
                        {
                            let (step, wraps) = (index as i64).overflowing_mul(element);
                            let bits = (pointer.bits as u64).wrapping_add(step as u64);
                            let allocation = self.state.memory.get(id);
                            let offset = bits.wrapping_sub(allocation.base);
                            (offset <= allocation.size && !wraps).then_some(Value {
                                bits: u128::from(bits),
                                shadow: pointer.shadow,
                            })
                        }
                        _ => None,
                    };
                    let value = match quick {
                        Some(value) => value,
                        None => self.pointer_offset(pointer, index, index_scalar, element)?,
                    };
                    self.set(to, value);
                }
                Op::Goto { exit, target } => {
                    self.leave(exit)?;
                    self.jump(target)?;
                    pc = self.state.pc;
                    continue;
                }
                Op::Branch {
                    exit,
                    operand,
                    scalar,
                    then,
                    otherwise,
                } => {
                    self.leave(exit)?;
                    let value = self.read(operand);
                    let taken = if value.is_concrete() {
                        value.bits != 0
                    } else {
                        self.branch(value, scalar)?
                    };
                    let edge = code.tables.exits[exit as usize].edge + u32::from(!taken);
                    self.take(edge);
                    self.jump(if taken { then } else { otherwise })?;
                    pc = self.state.pc;
                    continue;
                }
                Op::Probe {
                    exit,
                    operand,
                    scalar,
                    next,
                } => {
                    self.leave(exit)?;
                    let value = self.read(operand);
                    let edge = code.tables.exits[exit as usize].edge;
                    let holds = match value.is_concrete() {
                        true => value.bits != 0,
                        false => self.probe(value, scalar, edge)?,
                    };
                    self.take(edge + u32::from(!holds));
                    self.jump(next)?;
                    pc = self.state.pc;
                    continue;
                }
                Op::Switch {
                    exit,
                    operand,
                    switch,
                } => {
                    self.leave(exit)?;
                    let arm = self.switch(switch, operand)?;
                    let switch = &code.tables.switches[switch as usize];
                    let edge = code.tables.exits[exit as usize].edge + arm as u32;
                    self.take(edge);
                    let target = switch.arms.get(arm).map_or(switch.default, |arm| arm.2);
                    self.jump(target)?;
                    pc = self.state.pc;
                    continue;
                }
                Op::Call { exit, call } => {
                    self.leave(exit)?;
                    self.call(&code.tables.calls[call as usize])?;
                    pc = self.state.pc;
                    continue;
                }
                Op::Return { exit, value } => {
                    self.leave(exit)?;
                    let result = self.result(value)?;
                    self.pop_frame();
                    self.note_event(TraceEvent::Return);
                    if self.state.frames.len() < floor {
                        return Ok(result);
                    }
                    self.come_back(result)?;
                    pc = self.state.pc;
                    continue;
                }
                _ => self.rare(*op)?,
            }
            pc += 1;
        }
    }

    /// The less frequent operations, which are kept out of the loop.
    fn rare(&mut self, op: Op) -> Flow<()> {
        let code = self.code;
        match op {
            Op::Unary {
                op,
                scalar,
                to,
                from,
            } => {
                let value = self.read(from);
                let value = self.unary(op, scalar, value)?;
                self.set(to, value);
            }
            Op::Difference {
                scalar,
                to,
                left,
                right,
                element,
            } => {
                let (left, right) = (self.read(left), self.read(right));
                let element = code.tables.sizes[element as usize];
                let value = self.pointer_difference(scalar, left, right, element)?;
                self.set(to, value);
            }
            Op::AddressOf { to, place } => {
                let address = self.locate(&code.tables.places[place as usize], Purpose::Point)?;
                self.set(to, address.value);
            }
            Op::CopyObject { to, from } => {
                self.copy_object(
                    &code.tables.places[to as usize],
                    &code.tables.places[from as usize],
                )?;
            }
            Op::ZeroObject { place } => self.zero_object(&code.tables.places[place as usize])?,
            Op::Forget { slot } => self.set(slot, Value::UNINITIALISED),
            Op::RenewRegister { slot } => self.renew_register(self.state.base + slot as usize),
            Op::Renew { slot } => self.renew_local(self.state.base + slot as usize),
            Op::LiveArray { array, length } => {
                let length = self.read(length);
                self.start_array(code.tables.arrays[array as usize], length)?;
            }
            Op::Dead { slot } => self.end_local(self.state.base + slot as usize),
            Op::Unsupported { text } => {
                let what = code.tables.texts[text as usize].clone();
                return Err(self.unsupported(what));
            }
            Op::Unreachable { exit } => {
                self.leave(exit)?;
                let message = "what __builtin_unreachable or __builtin_assume rules out is reached";
                return Err(self.defect(DefectKind::Unreachable, message));
            }
            // The loop executes all others.
            _ => {}
        }
        Ok(())
    }

    #[inline(always)]
    fn set(&mut self, slot: Slot, value: Value) {
        let at = self.state.base + slot as usize;
        self.state.stack[at] = value;
    }

    /// Jumps to a position. A jump backwards ends the execution if the state was met before.
    #[inline(always)]
    fn jump(&mut self, target: u32) -> Flow<()> {
        if target <= self.state.pc && self.state.record.steps >= self.state.cycles.from {
            self.look_for_cycle(target)?;
        }
        self.state.pc = target;
        Ok(())
    }

    /// Notes that an edge was taken.
    #[inline(always)]
    fn take(&mut self, edge: u32) {
        self.state.record.visited.all.edges.insert(edge as usize);
        if self.state.notes_edges {
            self.note_edge(CodeEdge::from_raw(edge));
        }
    }

    /// Notes that all statements of a block ran.
    #[inline(always)]
    fn leave(&mut self, exit: u32) -> Flow<()> {
        let exit = &self.code.tables.exits[exit as usize];
        self.state
            .record
            .visited
            .all
            .blocks
            .insert(exit.block.index());
        self.state.record.steps += u64::from(exit.steps);
        if self.state.steps.is_time_to_look(self.state.record.steps) {
            return self.look_at_limits();
        }
        Ok(())
    }

    #[cold]
    fn look_at_limits(&mut self) -> Flow<()> {
        if self.state.steps.is_past_limit(self.state.record.steps) {
            return Err(self.past_limit());
        }
        if (self.is_interrupted)() {
            return Err(self.limit(LossKind::TimeLimit, "the search ended within an execution"));
        }
        let may_end = self.has_recorded_all() || self.watch.is_some();
        if may_end && self.inputs.defaults.are_used_up() {
            let detail = "the choices behind a proposed input are not recorded";
            return Err(self.limit(LossKind::ChoiceLimit, detail));
        }
        self.state.steps.look_later(self.state.record.steps);
        Ok(())
    }

    fn past_limit(&mut self) -> crate::stop::Stop {
        let limit = self.choice_limit;
        if self.has_recorded_all() && self.unrecorded == 0 {
            let detail = format!("more than {limit} choices of the input");
            return self.limit(LossKind::ChoiceLimit, detail);
        }
        let limit = self.step_limit;
        self.limit(LossKind::StepLimit, format!("more than {limit} steps"))
    }

    /// The concrete address of a place in a live allocation; `None` where the place needs further
    /// checks.
    #[inline(always)]
    fn quick_address(&self, place: &PlaceCode) -> Option<(crate::ids::AllocationId, u64)> {
        let base = self.read(place.base);
        let Shadow::Pointer(id, None) = base.shadow else {
            return None;
        };
        let mut address = (base.bits as u64).wrapping_add_signed(place.offset);
        if base.bits as u64 & (place.align - 1) != 0 {
            return None;
        }
        for index in &place.indices {
            let at = fast_index(index.scalar, self.read(index.operand))?;
            if index.length.is_some_and(|length| at >= length) {
                return None;
            }
            address = address.wrapping_add(at.wrapping_mul(index.element));
        }
        let offset = address.wrapping_sub(self.state.memory.get(id).base);
        Some((id, offset))
    }

    #[inline(always)]
    fn load_quick(&self, place: &PlaceCode) -> Option<Value> {
        let Access::Scalar(scalar) = place.access else {
            return None;
        };
        let (id, offset) = self.quick_address(place)?;
        let allocation = self.state.memory.get(id);
        if place.volatile || scalar.floating || (scalar.character && allocation.declaration.padded)
        {
            return None;
        }
        if allocation.is_pointed_to_otherwise(place.accessed) {
            return None;
        }
        let bits = allocation.load_concrete(offset, scalar.size())?;
        if scalar.boolean && bits > 1 {
            return None;
        }
        Some(Value::concrete(u128::from(bits)))
    }

    #[inline(always)]
    fn store_quick(&mut self, place: &PlaceCode, bits: u128) -> bool {
        let Access::Scalar(scalar) = place.access else {
            return false;
        };
        if scalar.width > 64 {
            return false;
        }
        match self.quick_address(place) {
            Some((id, offset)) => {
                if self
                    .state
                    .memory
                    .get(id)
                    .is_pointed_to_otherwise(place.accessed)
                {
                    return false;
                }
                let allocation = self.state.memory.get_mut(id);
                allocation.store_concrete(offset, scalar.size(), bits as u64)
            }
            None => false,
        }
    }

    /// What a return statement returns.
    fn result(&mut self, value: Option<ReturnCode>) -> Flow<Passed> {
        Ok(match value {
            None => Passed::Nothing,
            Some(ReturnCode::Scalar(source, scalar)) => {
                let value = self.read(source);
                if value.shadow.is_open() && !scalar.character {
                    self.used(value)?;
                }
                Passed::Scalar(value, scalar)
            }
            Some(ReturnCode::NonNull(source, scalar)) => {
                let value = self.read(source);
                if value.shadow.is_open() {
                    self.used(value)?;
                }
                self.check_nonnull_result(self.site().function, value)?;
                Passed::Scalar(value, scalar)
            }
            Some(ReturnCode::Object(place, ty)) => Passed::Object(self.moved_object(place, ty)?),
        })
    }
}
