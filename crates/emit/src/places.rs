//! Elements of arrays, read and written: one, or one for every lane.

use loops::{Atom, How, Kernel, Place, Scalar, Term, Var};

use crate::atoms::int;
use crate::forms::Form;
use crate::lanes::{horizontal, splat, vector_type};
use crate::prims::{how_prim, neutral};
use crate::printer::{Printer, variable};

/// How lanes access an array: where their elements are.
pub(crate) enum Access {
    /// All at the same place.
    Same,
    /// Side by side.
    Next,
    /// At a distance.
    Steps(String),
    /// Anywhere: a vector of places.
    Anywhere(String),
}

impl Printer<'_> {
    /// One element.
    pub(crate) fn load(&mut self, array: Var, at: &Place) -> String {
        self.load_further(array, at, "")
    }

    /// One element, `offset` (text) elements further.
    pub(crate) fn load_further(&mut self, array: Var, at: &Place, offset: &str) -> String {
        let (array, at) = self.forms.whole(array, at);
        let (name, place) = (variable(array), self.place(&at) + offset);
        match self.lanes[array.0 as usize] {
            Some(how) if self.options.vector => {
                self.needs.insert("lanes");
                let scalar = self.element(array);
                let vector = format!("{}({name} + ({place}) * CT_W)", whole_load(scalar));
                horizontal(how, scalar, &vector)
            }
            Some(_) | None => format!("{name}[{place}]"),
        }
    }

    pub(crate) fn store(&mut self, array: Var, at: &Place, value: Atom, how: How) {
        let (array, at) = self.forms.whole(array, at);
        let vector = self.live.is_some()
            && (how != How::Set
                || self.forms.wide.contains(&array)
                || !self.forms.is_same_place(&at)
                || !self.forms.is_same(value));
        if vector {
            return self.wide_store(array, &at, value, how);
        }
        let (name, place, value) = (variable(array), self.place(&at), self.atom(value));
        if how == How::Set {
            return self.set_element(array, &place, &value);
        }
        let lanes = self.has_lanes(array);
        let target =
            if lanes { format!("{name}[({place}) * CT_W]") } else { format!("{name}[{place}]") };
        let value = self.combine(how, self.element(array), &target, &value);
        self.line(&format!("{target} = {value};"));
    }

    /// Of an array with lanes, the first one gets the value and the others what does not count.
    pub(crate) fn set_element(&mut self, array: Var, place: &str, value: &str) {
        let name = variable(array);
        match self.lanes[array.0 as usize] {
            Some(lanes) if self.options.vector => {
                let zero = neutral(lanes, self.element(array));
                self.line(&format!("{name}[({place}) * CT_W] = {value};"));
                self.line(&format!(
                    "for (int l = 1; l < CT_W; l++) {name}[({place}) * CT_W + l] = {zero};"
                ));
            }
            Some(_) | None => self.line(&format!("{name}[{place}] = {value};")),
        }
    }

    /// An element for every lane, `offset` (text) elements further.
    pub(crate) fn wide_load(&mut self, array: Var, at: &Place, offset: &str) -> String {
        let (array, at) = self.forms.whole(array, at);
        let scalar = self.element(array);
        let live = self.live.clone().unwrap_or_default();
        let access = self.access(&at);
        let prefix = memory_prefix(scalar);
        if self.forms.wide.contains(&array) {
            let name = variable(array);
            return match access {
                Access::Same => format!("{name}[{}{offset}]", self.place(&at)),
                Access::Next | Access::Steps(_) | Access::Anywhere(_) => {
                    let index = self.index_vector(&at);
                    format!("ct_{prefix}own({name}, {index}{offset}, {live})")
                }
            };
        }
        if self.has_lanes(array) && !matches!(access, Access::Same) {
            return self.load_combined(array, &at, offset);
        }
        match access {
            Access::Same => {
                let one = self.load_further(array, &at, offset);
                splat(scalar, &one)
            }
            Access::Next => {
                format!("ct_{prefix}get({}{offset}, {live})", self.pointer(array, &at))
            }
            Access::Steps(step) => {
                let pointer = self.pointer(array, &at);
                format!("ct_{prefix}get_step({pointer}{offset}, {step}, {live})")
            }
            Access::Anywhere(index) => {
                format!("ct_{prefix}get_at({}{offset}, {index}, {live})", variable(array))
            }
        }
    }

    /// From an array with lanes, which are combined, at another place in each lane.
    fn load_combined(&mut self, array: Var, at: &Place, offset: &str) -> String {
        let scalar = self.element(array);
        let live = self.live.clone().unwrap_or_default();
        let how = self.lanes[array.0 as usize].unwrap_or(How::Add);
        let (index, all) = (self.index_vector(at), self.fresh("all"));
        self.line(&format!("{} {all} = {};", vector_type(scalar), splat(scalar, "0")));
        let place = format!("({index}[l]{offset}) * CT_W");
        let one = format!("{}({} + {place})", whole_load(scalar), variable(array));
        let sign = if scalar == Scalar::Bool { "-" } else { "" };
        let one = horizontal(how, scalar, &one);
        self.line(&format!("for (int64_t l = 0; l < {live}; l++) {all}[l] = {sign}{one};"));
        all
    }

    fn wide_store(&mut self, array: Var, at: &Place, value: Atom, how: How) {
        let scalar = self.element(array);
        let live = self.live.clone().unwrap_or_default();
        let name = variable(array);
        let access = self.access(at);
        let own = self.has_lanes(array);
        if self.forms.wide.contains(&array) || own {
            return self.own_store(array, at, value, how, &access);
        }
        match access {
            Access::Next => {
                let pointer = self.pointer(array, at);
                let prefix = memory_prefix(scalar);
                let mut value = self.wide_atom(value);
                if how != How::Set {
                    let old = format!("ct_{prefix}get({pointer}, {live})");
                    value = self.vector_prim(how_prim(how), scalar, &[old, value]);
                }
                self.line(&format!("ct_{prefix}put({pointer}, {live}, {value});"));
            }
            Access::Same if how != How::Set => {
                let target = format!("{name}[{}]", self.place(at));
                let value = self.alive(value, how, scalar);
                let total = horizontal(how, scalar, &value);
                let sum = self.combine(how, scalar, &target, &total);
                self.line(&format!("{target} = {sum};"));
            }
            Access::Same => {
                let last = self.lane(value, &format!("({live} - 1)"));
                self.line(&format!("{name}[{}] = {last};", self.place(at)));
            }
            Access::Steps(step) if how == How::Set && scalar == Scalar::Real => {
                let (pointer, value) = (self.pointer(array, at), self.wide_atom(value));
                self.line(&format!("ct_put_step({pointer}, {step}, {live}, {value});"));
            }
            Access::Steps(step) => {
                let target = format!("{name}[{} + l * {step}]", self.place(at));
                self.store_lanes(&target, scalar, value, how);
            }
            Access::Anywhere(index) => {
                let target = format!("{name}[{index}[l]]");
                self.store_lanes(&target, scalar, value, how);
            }
        }
    }

    /// Lane after lane, so that all count where places are equal.
    fn store_lanes(&mut self, target: &str, scalar: Scalar, value: Atom, how: How) {
        let live = self.live.clone().unwrap_or_default();
        let value = self.lane(value, "l");
        let value = self.combine(how, scalar, target, &value);
        self.line(&format!("for (int64_t l = 0; l < {live}; l++) {target} = {value};"));
    }

    /// To an array that has an element for each lane.
    fn own_store(&mut self, array: Var, at: &Place, value: Atom, how: How, access: &Access) {
        let scalar = self.element(array);
        let name = variable(array);
        let wide = self.forms.wide.contains(&array);
        match access {
            Access::Same if wide => {
                let target = format!("{name}[{}]", self.place(at));
                let mut value = self.wide_atom(value);
                if how != How::Set {
                    value = self.vector_prim(how_prim(how), scalar, &[target.clone(), value]);
                }
                self.line(&format!("{target} = {value};"));
            }
            Access::Same if how == How::Set => {
                let live = self.live.clone().unwrap_or_default();
                let last = self.lane(value, &format!("({live} - 1)"));
                self.set_element(array, &self.place(at), &last);
            }
            Access::Same => {
                let pointer = format!("{name} + ({}) * CT_W", self.place(at));
                let prefix = memory_prefix(scalar);
                let value = self.alive(value, how, scalar);
                let old = format!("ct_{prefix}get({pointer}, CT_W)");
                let value = self.vector_prim(how_prim(how), scalar, &[old, value]);
                self.line(&format!("ct_{prefix}put({pointer}, CT_W, {value});"));
            }
            Access::Next | Access::Steps(_) | Access::Anywhere(_) => {
                let index = self.index_vector(at);
                let base =
                    if wide { format!("((ct_any_{} *){name})", scalar_name(scalar)) } else { name };
                let target = format!("{base}[{index}[l] * CT_W + l]");
                self.store_lanes(&target, scalar, value, how);
            }
        }
    }

    pub(crate) fn access(&mut self, at: &Place) -> Access {
        let mut literal = 0i64;
        let mut texts = Vec::new();
        for Term { index, stride } in at {
            let (index, stride) = (self.resolve(*index), self.resolve(*stride));
            let (step, other) = match (self.forms.of_atom(index), self.forms.of_atom(stride)) {
                (Form::Same, Form::Same) => continue,
                (step @ (Form::Steps(_) | Form::Strides(_)), Form::Same) => (step, stride),
                (Form::Same, step @ (Form::Steps(_) | Form::Strides(_))) => (step, index),
                _ => return Access::Anywhere(self.index_vector(at)),
            };
            match (self.literal_step(step), other) {
                (Form::Steps(x), Atom::Int(y)) => {
                    literal = literal.wrapping_add(x.wrapping_mul(y));
                }
                (Form::Steps(1), _) => texts.push(self.atom(other)),
                (Form::Steps(x), _) => texts.push(format!("{} * {}", int(x), self.atom(other))),
                (Form::Strides(by), Atom::Int(1)) => texts.push(self.atom(Atom::Var(by))),
                (Form::Strides(by), _) => {
                    texts.push(format!("{} * {}", self.atom(Atom::Var(by)), self.atom(other)));
                }
                (Form::Same | Form::Vector, _) => {}
            }
        }
        if !texts.is_empty() {
            if literal != 0 {
                texts.push(int(literal));
            }
            return Access::Steps(format!("({})", texts.join(" + ")));
        }
        match literal {
            0 => Access::Same,
            1 => Access::Next,
            _ => Access::Steps(int(literal)),
        }
    }

    /// A stride that is a literal here is a step.
    fn literal_step(&self, form: Form) -> Form {
        match form {
            Form::Strides(by) => match self.resolve(Atom::Var(by)) {
                Atom::Int(step) => Form::Steps(step),
                Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => form,
            },
            Form::Same | Form::Steps(_) | Form::Vector => form,
        }
    }

    /// The places of all lanes, as a variable.
    fn index_vector(&mut self, at: &Place) -> String {
        let mut same = Place::new();
        let mut vectors = Vec::new();
        for term in at {
            let stride_same = self.forms.is_same(term.stride);
            if self.forms.is_same(term.index) && stride_same {
                same.push(*term);
            } else if stride_same && self.resolve(term.stride) == Atom::Int(1) {
                vectors.push(self.wide_atom(term.index));
            } else if stride_same {
                vectors.push(format!(
                    "{} * {}",
                    self.wide_atom(term.index),
                    self.atom(term.stride)
                ));
            } else {
                let (index, stride) = (self.wide_atom(term.index), self.wide_atom(term.stride));
                vectors.push(format!("{index} * {stride}"));
            }
        }
        let rest = self.place(&same);
        if vectors.is_empty() {
            vectors.push(format!("ct_set_n({rest})"));
        } else if rest != "0" {
            vectors.push(format!("({rest})"));
        }
        let name = self.fresh("at");
        self.line(&format!("vn {name} = {};", vectors.join(" + ")));
        name
    }

    /// An array with an element for each lane at each place, filled or copied to.
    pub(crate) fn wide_kernel(&mut self, kernel: &Kernel) -> bool {
        match kernel {
            Kernel::Fill { array, at, len, value } if self.forms.wide.contains(array) => {
                let (len, value) = (self.atom(*len), self.wide_atom(*value));
                let target = format!("{}[{} + k]", variable(*array), self.place(at));
                let ty = vector_type(self.element(*array));
                let all = self.fresh("all");
                self.line(&format!("{ty} {all} = {value};"));
                self.line(&format!("for (int64_t k = 0; k < {len}; k++) {target} = {all};"));
                true
            }
            Kernel::Copy { from, from_at, into, into_at, len }
                if self.forms.wide.contains(into) =>
            {
                let len = self.atom(*len);
                let target = format!("{}[{} + k]", variable(*into), self.place(into_at));
                let value = self.wide_load(*from, from_at, " + k");
                self.line(&format!("for (int64_t k = 0; k < {len}; k++) {target} = {value};"));
                true
            }
            Kernel::Fill { .. }
            | Kernel::Copy { .. }
            | Kernel::Product { .. }
            | Kernel::Sort { .. }
            | Kernel::Argsort { .. }
            | Kernel::Tell { .. } => false,
        }
    }
}

fn memory_prefix(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "",
        Scalar::Int => "int_",
        Scalar::Bool | Scalar::Box => "bool_",
    }
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "real",
        Scalar::Int => "int",
        Scalar::Bool | Scalar::Box => "mask",
    }
}

/// Reads a whole vector.
fn whole_load(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "ct_load",
        Scalar::Int => "ct_int_load",
        Scalar::Bool | Scalar::Box => "ct_bool_load",
    }
}
