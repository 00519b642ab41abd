//! Operations that put arrays together, sort them, or see them under another size.

use ir::{Prim, Size, Stmt};
use loops::{Atom, Fault, Kernel, Node, Place, Scalar, Term, Value, Var};

use crate::context::{Known, Operand, scalar_of};
use crate::view::{Source, View};

impl Known<'_, '_> {
    /// An array written element by element.
    pub(super) fn array_literal(&mut self, stmt: &Stmt, parts: &[ir::Atom]) {
        let binder = &stmt.binders[0];
        let rows = self.rows(&binder.ty, None);
        for (at, part) in parts.iter().enumerate() {
            let at = Atom::Int(at as i64);
            match self.operand(part) {
                Operand::Scalar(atom) => self.put_row(&rows, at, atom, None),
                Operand::Array(view) => {
                    if let Some(into) = self.row_wanted(&rows, at) {
                        self.copy_view(&view, into);
                    }
                }
            }
        }
        self.define_var(binder, rows.array);
    }

    /// One after the other along the outermost axis. What was computed where it belongs is there.
    pub(super) fn concat(
        &mut self,
        stmt: &Stmt,
        joined: Option<(Var, Vec<Var>)>,
        arrays: &[ir::Atom],
    ) {
        let binder = &stmt.binders[0];
        let (array, parts) = match joined {
            Some(joined) => joined,
            None => {
                let sizes: Vec<Size> =
                    arrays.iter().map(|it| self.view(it).sizes[0].clone()).collect();
                self.room_for_parts(&binder.ty, &sizes)
            }
        };
        for (part, into) in arrays.iter().zip(parts) {
            let view = self.view(part);
            if view.source != Source::Memory(into) || !view.is_contiguous() {
                self.copy_view(&view, into);
            }
        }
        self.define_var(binder, array);
    }

    /// Memory for arrays of these first sizes one after the other, and where each of them begins.
    pub(crate) fn room_for_parts(&mut self, ty: &ir::Type, firsts: &[Size]) -> (Var, Vec<Var>) {
        let array = self.room(ty);
        let mut sizes = ty.split_arrays().0;
        let mut start = Size::constant(0);
        let mut parts = Vec::new();
        for size in firsts {
            sizes[0] = start.clone();
            let index = self.count(&sizes);
            let into = self.fresh_array(scalar_of(ty));
            let at: Place = vec![Term { index, stride: Atom::Int(1) }];
            self.emit(Node::Let { var: into, value: Value::Part { array, at } });
            parts.push(into);
            start = start.add(size);
        }
        (array, parts)
    }

    /// In ascending order, or the positions that sort it.
    pub(super) fn sorting(
        &mut self,
        stmt: &Stmt,
        array: &ir::Atom,
        kernel: fn(Var, Var, Atom) -> Kernel,
    ) {
        let binder = &stmt.binders[0];
        let from = self.array(array);
        let into = self.room(&binder.ty);
        let len = self.count(&binder.ty.split_arrays().0);
        self.emit(Node::Kernel(kernel(from, into, len)));
        self.define_var(binder, into);
    }

    /// The same elements under other sizes, if there are as many.
    pub(super) fn reshape(&mut self, stmt: &Stmt, array: &ir::Atom, rank: usize, sizes: &[Size]) {
        let binder = &stmt.binders[0];
        sizes.iter().for_each(|it| self.check_natural(it));
        let view = match self.operand(array) {
            Operand::Scalar(atom) => View::same(atom, &self.type_of(array)),
            Operand::Array(view) => view,
        };
        let from = &view.sizes[..rank];
        if product(from) != product(sizes) {
            let counts = [self.count(from), self.count(sizes)];
            let holds = self.prim(Scalar::Bool, Prim::Eq, &counts);
            let values = from.iter().chain(sizes).map(|it| self.size(it)).collect();
            self.check(holds, Fault::Reshape { from: rank }, values);
        }
        let sizes = binder.ty.split_arrays().0;
        let view = match view.source {
            Source::Same(_) => View { sizes, ..view },
            Source::Memory(_) | Source::Iota | Source::Item(..) => {
                View::contiguous(self.contiguous(&view), &binder.ty)
            }
        };
        let operand = match view.sizes.is_empty() {
            true => Operand::Scalar(self.element(&view, &[])),
            false => Operand::Array(view),
        };
        self.define(binder, operand);
    }

    /// The same array under another size, if that is the same when it runs.
    pub(super) fn sized(&mut self, stmt: &Stmt, array: &ir::Atom, size: &Size) {
        let binder = &stmt.binders[0];
        let view = self.view(array);
        if view.sizes[0] != *size {
            self.check_bounded(size);
            let (expected, found) = (self.size(size), self.size(&view.sizes[0]));
            let holds = self.prim(Scalar::Bool, Prim::Ge, &[expected, Atom::Int(0)]);
            self.check(holds, Fault::Size, vec![expected]);
            let holds = self.prim(Scalar::Bool, Prim::Eq, &[expected, found]);
            self.check(holds, Fault::Sizes { expected: 1 }, vec![expected, found]);
        }
        let sizes = binder.ty.split_arrays().0;
        let view = match view.is_contiguous() {
            true => View { dims: sizes.clone(), sizes, ..view },
            false => View { sizes, ..view },
        };
        self.define(binder, Operand::Array(view));
    }
}

fn product(sizes: &[Size]) -> Size {
    sizes.iter().fold(Size::constant(1), |product, it| product.mul(it))
}
