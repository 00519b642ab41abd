//! Arrays built point by point, where the body is no loop nest: any statements, at each point.

use ir::{Binder, Block, Size, Stmt, Type, Var};
use loops::{Atom, How, Kind, Loop, Node, Place, Term, Value};

use super::memory::{Frees, holds_boxes, scoped};
use crate::context::{Lower, scalar_of};

/// An array that is built.
struct Built {
    array: loops::Var,
    /// How far neighbours along each axis of the build are apart.
    strides: Vec<Atom>,
    /// What is stored at a point.
    point: Type,
}

impl<'a> Lower<'a, '_> {
    /// One array for each result of the body.
    pub(super) fn build(
        &mut self,
        stmt: &'a Stmt,
        sizes: &[Size],
        indices: &[Var],
        body: &'a Block,
    ) {
        sizes.iter().for_each(|it| self.check_natural(it));
        let counts: Vec<Atom> = sizes.iter().map(|it| self.size(it)).collect();
        let built: Vec<Built> =
            stmt.binders.iter().map(|it| self.built(&it.ty, sizes.len())).collect();
        let int = |var: &Var| Binder { var: *var, ty: Type::Int };
        let vars: Vec<loops::Var> = indices.iter().map(|it| self.declare(&int(it))).collect();
        let (point, ()) = self.repeated(&[], |it| it.point(&built, &vars, body));
        let boxes = stmt.binders.iter().any(|it| holds_boxes(&it.ty));
        let mut nest = scoped(point, if boxes { Frees::Later } else { Frees::Each });
        for (var, count) in vars.into_iter().zip(counts).rev() {
            let (state, accs) = Default::default();
            let body = nest;
            let kind = Kind::Seq;
            nest = vec![Node::Loop(Box::new(Loop { var, count, kind, state, accs, body }))];
        }
        nest.into_iter().for_each(|it| self.emit(it));
        for (binder, built) in stmt.binders.iter().zip(built) {
            self.define_var(binder, built.array);
        }
    }

    fn built(&mut self, ty: &Type, rank: usize) -> Built {
        let array = self.room(ty);
        let (dims, elem) = ty.split_arrays();
        let mut strides = self.strides(&dims);
        strides.truncate(rank);
        Built { array, strides, point: Type::arrays(&dims[rank..], elem.clone()) }
    }

    /// The body at a point, and its results in the arrays.
    fn point(&mut self, built: &[Built], indices: &[loops::Var], body: &'a Block) {
        let mut wanted = Vec::new();
        for it in built {
            let Type::Array(..) = it.point else {
                wanted.push(None);
                continue;
            };
            let part = self.fresh_array(scalar_of(&it.point));
            let value = Value::Part { array: it.array, at: it.place(indices) };
            self.emit(Node::Let { var: part, value });
            wanted.push(Some(part));
        }
        let results = self.block(body, &wanted);
        for ((it, result), wanted) in built.iter().zip(results).zip(wanted) {
            match wanted {
                Some(into) => self.put(result, into, &it.point),
                None => self.store(it.array, it.place(indices), result, How::Set),
            }
        }
    }
}

impl Built {
    fn place(&self, indices: &[loops::Var]) -> Place {
        let terms = indices.iter().zip(&self.strides);
        terms.map(|(index, stride)| Term { index: Atom::Var(*index), stride: *stride }).collect()
    }
}
