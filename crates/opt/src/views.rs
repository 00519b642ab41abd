//! A recursion over parts of an array gets the array itself, and where the part is, ir to ir.
//!
//! A definition that calls itself with a part of its parameter, `build i, j => a[i + 1, if j < c then j else
//! j + 1]`, copies as many elements as the part has in every call, and its derivative adds as many cotangents.
//! Where it reads fewer elements than that, the recursion is done by another definition, a worker: it takes
//! the array that the first call was made with, which never changes, and for every axis where the elements of
//! the part are, a shift where it always is one and a list of positions else. Since all calls share the array,
//! its cotangent is one array that they add to, in place.
//!
//! Requires: dialect FirstOrder, verified, without tuples (`flatten`).
//! Ensures: the same dialect, results and errors at run time: an axis keeps its size, an index is compared with
//! that, and a slice is checked as before.
//! Cost: linear in the size of a definition that calls itself.
//! Not done: definitions with derivatives of their own or that are differentiated inside of themselves; those
//! that call one another in a circle of several; parts whose indices may be out of bounds; arrays that are used
//! as a whole, or read in as many loops as they have axes: a copy is read faster than by a list of positions.
//! No paper has it; it is ours. A worker and a wrapper as of Gill and Hutton.
//! Tests: `crates/opt/tests/views.rs`; whole programs: `tests/programs/language/parts.cot`.
//!
//! Example. `def f[n](a: [n]Real) { .. x = index a (0) .. b = slice a 0 1..n, y = call f[n - 1](b) .. }` is a call
//! of `def f.part[n, m](a: [m]Real, s: Int) { .. i = index (iota [n]) (0), p = add s i, x = index a (p) ..
//! t = add s 1, y = call f.part[n - 1, m](a, t) .. }` with `s = 0`.

mod find;
mod ranges;
mod shape;
mod write;

use std::sync::Arc;

use ir::{ControlOp, Op, Program};

/// The program with recursions over parts of arrays as recursions over places in arrays.
pub fn views(program: &Program) -> Program {
    let mut res = program.clone();
    for (name, def) in &program.defs {
        if program.customs.contains_key(name) || !def.type_params.is_empty() {
            continue;
        }
        if let Some(parts) = find::find(def) {
            let worker = name.part("part");
            if program.defs.contains_key(&worker) {
                continue;
            }
            let (wrapper, made) = write::split(def, &worker, &parts);
            res.defs.insert(name.clone(), Arc::new(wrapper));
            res.defs.insert(worker, Arc::new(made));
        }
    }
    res
}

/// How many loops deeper the blocks inside of an operation are.
fn depth_of(op: &Op) -> usize {
    if let Op::Control(ControlOp::Build { indices, .. }) = op {
        indices.len()
    } else {
        usize::from(!matches!(op, Op::Control(ControlOp::If { .. } | ControlOp::Match { .. })))
    }
}
