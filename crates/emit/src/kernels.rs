//! Calls of the functions of the runtime.

use loops::{Atom, Kernel, Matrix, Place, Scalar, Var};

use crate::prims::neutral;
use crate::printer::{Printer, element_type, variable};

impl Printer<'_> {
    pub(crate) fn kernel(&mut self, kernel: &Kernel) {
        match kernel {
            Kernel::Fill { array, at, len, value } => self.fill(*array, at, *len, *value),
            Kernel::Copy { from, from_at, into, into_at, len }
                if self.has_lanes(*from) || self.has_lanes(*into) =>
            {
                self.needs.insert("lanes");
                let len = self.atom(*len);
                let value = self.load_further(*from, from_at, " + k");
                let into_place = format!("{} + k", self.place(into_at));
                self.open(&format!("for (int64_t k = 0; k < {len}; k++) {{"));
                self.set_element(*into, &into_place, &value);
                self.close();
            }
            Kernel::Copy { from, from_at, into, into_at, len } => {
                self.needs.insert("copy");
                let ty = element_type(self.element(*into));
                let from = self.pointer(*from, from_at);
                let into = self.pointer(*into, into_at);
                let len = self.atom(*len);
                self.line(&format!("ct_copy({into}, {from}, {len}, sizeof({ty}));"));
            }
            Kernel::Product { m, n, k, a, b, c, add, scaled } => {
                self.needs.extend(["lanes", "matrix"]);
                self.functions.insert("scale1".to_string());
                let [m, n, k] = [m, n, k].map(|it| self.atom(*it));
                let [a, b, c] = [a, b, c].map(|it| self.matrix(it));
                let name = if *scaled { "ct_matrix_scaled" } else { "ct_matrix_product" };
                let add = i32::from(*add);
                self.line(&format!("{name}(ctx, {m}, {n}, {k}, {a}, {b}, {c}, {add});"));
            }
            Kernel::Tell { saying, every, text, value, sizes } => {
                self.tell(*saying, [*every, *text, *value], sizes);
            }
            Kernel::Sort { from, into, len } => self.sort("ct_sort", *from, *into, *len),
            Kernel::Argsort { from, into, len } => self.sort("ct_argsort", *from, *into, *len),
        }
    }

    fn fill(&mut self, array: Var, at: &Place, len: Atom, value: Atom) {
        self.needs.insert("fill");
        let scalar = self.element(array);
        let name = suffix(scalar);
        if let (Some(how), true) = (self.lanes[array.0 as usize], self.options.vector) {
            // The value in the first lane, what does not count in the others.
            let (zero, place) = (neutral(how, scalar), self.place(at));
            let (array, len, value) = (variable(array), self.atom(len), self.atom(value));
            let start = if place == "0" { array } else { format!("({array} + ({place}) * CT_W)") };
            self.line(&format!("ct_fill_{name}({start}, ({len}) * CT_W, {zero});"));
            self.line(&format!("for (int64_t k = 0; k < {len}; k++) {start}[k * CT_W] = {value};"));
            return;
        }
        let (array, len, value) = (self.pointer(array, at), self.atom(len), self.atom(value));
        self.line(&format!("ct_fill_{name}({array}, {len}, {value});"));
    }

    fn matrix(&self, it: &Matrix) -> String {
        let (rows, columns) = (self.atom(it.rows), self.atom(it.columns));
        format!("(ct_matrix){{{}, {rows}, {columns}}}", self.pointer(it.array, &it.at))
    }

    fn sort(&mut self, name: &str, from: Var, into: Var, len: Atom) {
        self.needs.insert("sort");
        let suffix = suffix(self.element(from));
        let (from, into, len) = (variable(from), variable(into), self.atom(len));
        self.line(&format!("{name}_{suffix}(ctx, {from}, {into}, {len});"));
    }
}

fn suffix(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "real",
        Scalar::Int => "int",
        Scalar::Bool => "bool",
        Scalar::Box => "box",
    }
}
