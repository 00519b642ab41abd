//! Calls of builtins. Functions given to loops are taken apart, so that no closure is made.

use std::sync::Arc;

use base::Saying;
use ir::{ArrayOp, Atom, ControlOp, DeriveOp, Lambda, Loop, Op, Reduction};

use crate::builtin::Builtin;
use crate::elaborate::call::Callable;
use crate::elaborate::{Elaborate, size_of};
use crate::typed::{Expr, SizeArg};
use crate::types::Rigid;

/// An argument of a builtin.
pub(super) enum Arg<'t> {
    Value(Atom),
    Function(Callable<'t>),
}

impl Elaborate<'_> {
    pub(super) fn call_builtin(
        &mut self,
        builtin: Builtin,
        args: &[Expr],
        sizes: &[SizeArg],
        opaque: Option<&Rigid>,
    ) -> Atom {
        let sizes_first = matches!(builtin, Builtin::Replicate | Builtin::Iota | Builtin::Sized);
        let mut size_values: Vec<ir::Size> = Vec::new();
        if sizes_first {
            size_values = sizes.iter().map(|it| self.size_arg(it)).collect();
        }
        let mut values = Vec::new();
        for (position, arg) in args.iter().enumerate() {
            if sizes_first && position == 0 {
                values.push(Arg::Value(Atom::Int(0)));
            } else if takes_function(builtin, position) {
                values.push(Arg::Function(self.prepare(arg)));
            } else {
                values.push(Arg::Value(self.expr(arg)));
            }
        }
        if !sizes_first {
            size_values = sizes.iter().map(|it| self.size_arg(it)).collect();
        }
        self.builtin(builtin, values, size_values, opaque)
    }

    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        args: Vec<Arg<'_>>,
        sizes: Vec<ir::Size>,
        opaque: Option<&Rigid>,
    ) -> Atom {
        let mut functions = Vec::new();
        let mut values = Vec::new();
        for arg in args {
            match arg {
                Arg::Value(atom) => values.push(atom),
                Arg::Function(function) => functions.push(function),
            }
        }
        let mut values = values.into_iter();
        let mut value = || values.next().expect("checked number of arguments");
        let mut sizes = sizes.into_iter();
        let mut size = || sizes.next().unwrap_or_else(|| ir::Size::constant(0));
        match builtin {
            Builtin::Prim(prim) => {
                let args = values.collect();
                self.b.one(Op::Prim(prim, args))
            }
            Builtin::Reduce(reduction) => {
                let array = value();
                let axis = axes(values).first().copied().unwrap_or(0);
                let (array, axis) = match reduction {
                    Reduction::Sum | Reduction::Product => (array, axis),
                    Reduction::Maximum | Reduction::Minimum => self.axis_last(array, axis),
                };
                self.b.one(Op::Array(ArrayOp::Reduce { reduction, axis, array }))
            }
            Builtin::Argmax => self.b.one(Op::Array(ArrayOp::Argmax(value()))),
            Builtin::Argmin => self.b.one(Op::Array(ArrayOp::Argmin(value()))),
            Builtin::Gather => {
                let (array, indices) = (value(), vec![value()]);
                self.b.one(Op::Array(ArrayOp::Gather { array, indices, mask: None }))
            }
            Builtin::Scatter => {
                let (into, indices, values) = (value(), vec![value()], value());
                self.b.one(Op::Array(ArrayOp::Scatter { into, indices, values, mask: None }))
            }
            Builtin::Replicate => {
                let _ = value();
                self.b.one(Op::Array(ArrayOp::Replicate { size: size(), value: value() }))
            }
            Builtin::Iota => self.b.one(Op::Array(ArrayOp::Iota(size()))),
            Builtin::Transpose => {
                let array = value();
                let told = axes(values);
                let permutation = if told.is_empty() { vec![1, 0] } else { told };
                self.b.one(Op::Array(ArrayOp::Transpose { array, permutation }))
            }
            Builtin::Flatten => {
                let array = value();
                let (dims, _) = self.b.type_of(&array).split_arrays();
                let n =
                    dims.iter().take(2).fold(ir::Size::constant(1), |product, it| product.mul(it));
                self.b.one(Op::Array(ArrayOp::Reshape { array, rank: 2, sizes: vec![n] }))
            }
            Builtin::Reshape => {
                let array = value();
                let rank = self.b.type_of(&array).split_arrays().0.len();
                self.b.one(Op::Array(ArrayOp::Reshape { array, rank, sizes: sizes.collect() }))
            }
            Builtin::Reverse => self.b.one(Op::Array(ArrayOp::Reverse(value()))),
            Builtin::Concat => self.b.one(Op::Array(ArrayOp::Concat(values.collect()))),
            Builtin::Zip => self.b.one(Op::Tuple { rank: 1, parts: values.collect() }),
            Builtin::Unzip => {
                let tuple = value();
                let ty = self.b.type_of(&tuple);
                let ir::Type::Tuple(types) = ty.split_arrays().1 else {
                    unreachable!("checked to be an array of tuples")
                };
                let part = |index| self.b.one(Op::Proj { tuple: tuple.clone(), index });
                let parts = (0..types.len()).map(part).collect();
                self.b.one(Op::Tuple { rank: 0, parts })
            }
            Builtin::Map => self.map(&functions[0], values.collect()),
            Builtin::Fold => {
                let (inits, arrays, step) = self.loop_over(&functions[0], value(), value());
                self.b.one(Op::Control(ControlOp::Fold { inits, arrays, step }))
            }
            Builtin::Scan => {
                let (inits, arrays, step) = self.loop_over(&functions[0], value(), value());
                self.b.one(Op::Control(ControlOp::Scan { inits, arrays, step }))
            }
            Builtin::Iterate => self.iterate(&functions[0], value(), value()),
            Builtin::While => self.while_loop(&functions[0], &functions[1], value()),
            Builtin::Filter => self.filter(&functions[0], value(), opaque),
            Builtin::Sort => self.b.one(Op::Array(ArrayOp::Sort(value()))),
            Builtin::Argsort => self.b.one(Op::Array(ArrayOp::Argsort(value()))),
            Builtin::Length => {
                let (dims, _) = self.b.type_of(&value()).split_arrays();
                self.b.one(Op::Size(dims.first().cloned().unwrap_or_else(|| ir::Size::constant(0))))
            }
            Builtin::Sized => {
                let _ = value();
                self.b.one(Op::Array(ArrayOp::Sized { array: value(), size: size() }))
            }
            Builtin::StopGradient => self.b.one(Op::Derive(DeriveOp::StopGradient(value()))),
            Builtin::MapReals | Builtin::ZipReals | Builtin::Ravel | Builtin::Unravel => {
                unreachable!("made by call_by_type")
            }
            Builtin::Row | Builtin::Col | Builtin::Einsum => {
                unreachable!("made by call_by_type")
            }
            Builtin::Checkpoint => {
                let (every, value) = (value(), value());
                self.b.one(Op::Derive(DeriveOp::Checkpoint { every, value }))
            }
            Builtin::Report => {
                let (every, text, value) = (value(), value(), value());
                let saying = Saying::Report;
                self.b.one(Op::Derive(DeriveOp::Tell { saying, every, text, value }))
            }
            Builtin::Trace => {
                let (every, text, value) = (Atom::Int(1), value(), value());
                let saying = Saying::Value;
                self.b.one(Op::Derive(DeriveOp::Tell { saying, every, text, value }))
            }
            Builtin::Derive(_) => unreachable!("made by function_value"),
        }
    }

    /// Numbers are compared, not rows of them: the axis is made the innermost one.
    fn axis_last(&mut self, array: Atom, axis: usize) -> (Atom, usize) {
        let last = self.b.type_of(&array).split_arrays().0.len().saturating_sub(1);
        if axis >= last {
            return (array, axis);
        }
        let permutation = (0..=last).filter(|it| *it != axis).chain([axis]).collect();
        (self.b.one(Op::Array(ArrayOp::Transpose { array, permutation })), last)
    }

    fn map(&mut self, function: &Callable<'_>, arrays: Vec<Atom>) -> Atom {
        let (dims, _) = self.b.type_of(&arrays[0]).split_arrays();
        let index = self.b.fresh(ir::Type::Int);
        self.open();
        let elems = arrays
            .into_iter()
            .map(|array| {
                self.b.one(Op::Array(ArrayOp::Index { array, indices: vec![Atom::Var(index)] }))
            })
            .collect();
        let result = self.invoke(function, elems);
        let body = self.close(vec![result]);
        self.b.one(Op::Control(ControlOp::Build {
            sizes: vec![dims.first().cloned().unwrap_or_else(|| ir::Size::constant(0))],
            indices: vec![index],
            body,
        }))
    }

    fn loop_over(
        &mut self,
        function: &Callable<'_>,
        init: Atom,
        array: Atom,
    ) -> (Vec<Atom>, Vec<Atom>, Loop) {
        let state = self.b.type_of(&init);
        let elem = self.element_type(&array);
        let (state, elem) = (self.binder(state), self.binder(elem));
        self.open();
        let result = self.invoke(function, vec![Atom::Var(state.var), Atom::Var(elem.var)]);
        let body = self.close(vec![result]);
        (vec![init], vec![array], Loop { state: vec![state], elems: vec![elem], body })
    }

    fn iterate(&mut self, function: &Callable<'_>, count: Atom, init: Atom) -> Atom {
        let ty = self.b.type_of(&init);
        let state = self.binder(ty);
        let index = self.b.fresh(ir::Type::Int);
        self.open();
        let result = self.invoke(function, vec![Atom::Var(state.var)]);
        let body = self.close(vec![result]);
        self.b.one(Op::Control(ControlOp::Iterate {
            count,
            index,
            inits: vec![init],
            state: vec![state],
            body,
        }))
    }

    fn while_loop(
        &mut self,
        condition: &Callable<'_>,
        function: &Callable<'_>,
        init: Atom,
    ) -> Atom {
        let ty = self.b.type_of(&init);
        let state = self.binder(ty);
        self.open();
        let holds = self.invoke(condition, vec![Atom::Var(state.var)]);
        let cond = self.close(vec![holds]);
        self.open();
        let result = self.invoke(function, vec![Atom::Var(state.var)]);
        let body = self.close(vec![result]);
        self.b.one(Op::Control(ControlOp::While {
            inits: vec![init],
            state: vec![state],
            cond,
            body,
        }))
    }

    fn filter(&mut self, function: &Callable<'_>, array: Atom, opaque: Option<&Rigid>) -> Atom {
        let elem = self.element_type(&array);
        let param = self.binder(elem);
        self.open();
        let result = self.invoke(function, vec![Atom::Var(param.var)]);
        let body = self.close(vec![result]);
        let predicate = Arc::new(Lambda { params: vec![param], body });
        let results = self.b.emit(Op::Array(ArrayOp::Filter { array, predicate }));
        if let (Some(rigid), Some(count)) = (opaque, results.first()) {
            self.rigids.insert(rigid.id, size_of(count));
        }
        results.into_iter().next_back().expect("two results")
    }

    fn binder(&mut self, ty: ir::Type) -> ir::Binder {
        ir::Binder { var: self.b.fresh(ty.clone()), ty }
    }

    fn element_type(&self, array: &Atom) -> ir::Type {
        let ir::Type::Array(_, elem) = self.b.type_of(array) else {
            unreachable!("checked to be an array")
        };
        (*elem).clone()
    }
}

/// Literals that count axes.
fn axes(values: impl Iterator<Item = Atom>) -> Vec<usize> {
    let axis = |it| if let Atom::Int(axis) = it { axis as usize } else { 0 };
    values.map(axis).collect()
}

/// Whether a builtin calls its argument at that position.
pub(super) fn takes_function(builtin: Builtin, position: usize) -> bool {
    match builtin {
        Builtin::Map | Builtin::Fold | Builtin::Scan | Builtin::Filter => position == 0,
        Builtin::MapReals | Builtin::ZipReals => position == 0,
        Builtin::Iterate => position == 1,
        Builtin::While => position < 2,
        Builtin::Prim(_)
        | Builtin::Reduce(_)
        | Builtin::Argmax
        | Builtin::Argmin
        | Builtin::Gather
        | Builtin::Scatter
        | Builtin::Replicate
        | Builtin::Iota
        | Builtin::Transpose
        | Builtin::Flatten
        | Builtin::Reshape
        | Builtin::Row
        | Builtin::Col
        | Builtin::Einsum
        | Builtin::Ravel
        | Builtin::Unravel
        | Builtin::Reverse
        | Builtin::Concat
        | Builtin::Zip
        | Builtin::Unzip
        | Builtin::Sort
        | Builtin::Argsort
        | Builtin::Length
        | Builtin::Sized
        | Builtin::StopGradient
        | Builtin::Checkpoint
        | Builtin::Report
        | Builtin::Trace
        | Builtin::Derive(_) => false,
    }
}
