//! Linking operations.

use ir::Atom;

use super::Linker;
use crate::array::Array;
use crate::code::{self, Arg, Bulk, Control, Simple};
use crate::cost::Kind;
use crate::error::{Fault, malformed};
use crate::kernels::scalar::{RealPrim, on_reals};
use crate::kernels::{movement, sort};

impl Linker<'_> {
    fn in_loop<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.scope().loops += 1;
        let res = f(self);
        self.scope().loops -= 1;
        res
    }

    fn looped(
        &mut self,
        inits: &[Atom],
        arrays: &[Atom],
        step: &ir::Loop,
    ) -> Result<code::Loop, Fault> {
        let inits = self.atoms(inits)?;
        let arrays = self.atoms(arrays)?;
        self.in_loop(|it| {
            let state = it.bind(&step.state)?;
            let elems = it.bind(&step.elems)?;
            Ok(code::Loop { inits, arrays, state, elems, body: it.block(&step.body)? })
        })
    }

    fn matched(
        &mut self,
        value: &Atom,
        arms: &[ir::Arm],
        otherwise: Option<&ir::Block>,
    ) -> Result<code::Op, Fault> {
        let value = self.atom(value)?;
        let (mut by_tag, mut linked) = (Vec::new(), Vec::new());
        for (i, arm) in arms.iter().enumerate() {
            let con = self.names.constructor(&arm.con);
            let tag = con.ok_or_else(|| malformed("an unknown constructor"))?.tag;
            by_tag.resize(by_tag.len().max(tag + 1), None);
            by_tag[tag] = by_tag[tag].or(Some(i));
            let first = self.bind(&arm.fields)?;
            linked.push(code::Arm { first, body: self.block(&arm.body)? });
        }
        let otherwise = otherwise.map(|block| self.block(block)).transpose()?;
        Ok(code::Op::Control(Control::Match { value, by_tag, arms: linked, otherwise }))
    }

    fn prim(&mut self, prim: ir::Prim, args: &[Atom]) -> Result<code::Op, Fault> {
        if args.len() > 2 {
            // A selection gives what it takes, so it must not take a pair.
            return Ok(code::Op::Simple(Simple::Prim(prim, self.atoms(args)?)));
        }
        let mut args: Vec<Arg> =
            args.iter().map(|it| self.real_operand(it)).collect::<Result<_, _>>()?;
        match (args.len(), on_reals(prim)) {
            (1, meaning) => {
                let real = if let Some(RealPrim::Unary(f)) = meaning { Some(f) } else { None };
                Ok(code::Op::Prim1 { prim, real, x: args.remove(0) })
            }
            (2, meaning) => {
                let real = if let Some(RealPrim::Binary(f)) = meaning { Some(f) } else { None };
                let y = args.remove(1);
                Ok(code::Op::Prim2 { prim, real, x: args.remove(0), y })
            }
            (_, _) => Ok(code::Op::Simple(Simple::Prim(prim, args))),
        }
    }

    /// What makes an array of one.
    fn whole(
        &mut self,
        array: &Atom,
        by: fn(&Array) -> Result<Array, Fault>,
        kind: Kind,
    ) -> Result<code::Op, Fault> {
        Ok(code::Op::Bulk(Bulk::Whole { array: self.atom(array)?, by, kind }))
    }

    /// One arm per operation, in the order of `op.rs`.
    pub(super) fn op(&mut self, op: &ir::Op) -> Result<code::Op, Fault> {
        use code::Op as To;
        Ok(match op {
            ir::Op::Copy(value)
            | ir::Op::Derive(
                ir::DeriveOp::StopGradient(value) | ir::DeriveOp::Checkpoint { value, .. },
            ) => To::Simple(Simple::Copy(self.atom(value)?)),
            ir::Op::Prim(prim, args) => self.prim(*prim, args)?,
            ir::Op::Size(size) => To::Simple(Simple::Size(self.size(size)?)),

            ir::Op::Tuple { rank: 0, .. } | ir::Op::Function(ir::FunctionOp::Lambda(_)) => {
                return Err(malformed("linked by whoever links statements"));
            }
            ir::Op::Tuple { rank, parts } => {
                To::Bulk(Bulk::TupleArray { rank: *rank, parts: self.atoms(parts)? })
            }
            ir::Op::Proj { tuple, index } => {
                To::Simple(Simple::Proj { tuple: self.atom(tuple)?, index: *index })
            }

            ir::Op::Con { ty: _, con, args } => {
                let args = self.atoms(args)?;
                let con = self.names.constructor(con);
                To::Simple(Simple::Con {
                    con: con.ok_or_else(|| malformed("an unknown constructor"))?,
                    args,
                })
            }
            ir::Op::Control(ir::ControlOp::Match { value, arms, otherwise }) => {
                self.matched(value, arms, otherwise.as_ref())?
            }

            ir::Op::Function(ir::FunctionOp::Apply(function, args)) => To::Apply {
                dual: self.has_delta(function)?,
                function: self.atom(function)?,
                args: self.atoms(args)?,
            },
            ir::Op::Function(ir::FunctionOp::Call { def, types: _, sizes, args }) => To::Call {
                function: self.names.function(def),
                sizes: self.sizes(sizes)?,
                args: self.atoms(args)?,
            },

            ir::Op::Control(ir::ControlOp::If { cond, then, otherwise }) => To::If {
                cond: self.atom(cond)?,
                then: self.block(then)?,
                otherwise: self.block(otherwise)?,
            },
            ir::Op::Control(ir::ControlOp::Build { sizes, indices, body }) => {
                let sizes = self.sizes(sizes)?;
                self.in_loop(|it| -> Result<_, Fault> {
                    let indices = it.bind_ints(indices);
                    Ok(To::Control(Control::Build { sizes, indices, body: it.block(body)? }))
                })?
            }
            ir::Op::Control(ir::ControlOp::Fold { inits, arrays, step }) => {
                To::Control(Control::Fold(self.looped(inits, arrays, step)?))
            }
            ir::Op::Control(ir::ControlOp::Scan { inits, arrays, step }) => {
                To::Control(Control::Scan(self.looped(inits, arrays, step)?))
            }
            ir::Op::Control(ir::ControlOp::Iterate { count, index, inits, state, body }) => {
                let count = self.atom(count)?;
                let inits = self.atoms(inits)?;
                self.in_loop(|it| -> Result<_, Fault> {
                    let index = it.bind_ints(&[*index]);
                    let state = it.bind(state)?;
                    Ok(To::Control(Control::Iterate {
                        count,
                        index,
                        inits,
                        state,
                        body: it.block(body)?,
                    }))
                })?
            }
            ir::Op::Control(ir::ControlOp::While { inits, state, cond, body }) => {
                let inits = self.atoms(inits)?;
                self.in_loop(|it| -> Result<_, Fault> {
                    let state = it.bind(state)?;
                    let cond = it.block(cond)?;
                    Ok(To::Control(Control::While { inits, state, cond, body: it.block(body)? }))
                })?
            }
            ir::Op::Array(ir::ArrayOp::Filter { array, predicate }) => {
                let array = self.atom(array)?;
                self.in_loop(|it| -> Result<_, Fault> {
                    let elem = it.bind(&predicate.params)?;
                    Ok(To::Control(Control::Filter {
                        array,
                        elem,
                        predicate: it.block(&predicate.body)?,
                    }))
                })?
            }
            ir::Op::Array(ir::ArrayOp::Literal { elem: _, parts }) => {
                To::Bulk(Bulk::Array(self.atoms(parts)?))
            }
            ir::Op::Array(ir::ArrayOp::Index { array, indices }) => {
                To::Index { array: self.atom(array)?, indices: self.atoms(indices)? }
            }
            ir::Op::Array(ir::ArrayOp::Slice { array, axis, from, to }) => To::Bulk(Bulk::Slice {
                array: self.atom(array)?,
                axis: *axis,
                from: self.size(from)?,
                to: self.size(to)?,
            }),
            ir::Op::Array(ir::ArrayOp::Reduce { reduction, axis, array }) => {
                To::Bulk(Bulk::Reduce {
                    reduction: *reduction,
                    axis: *axis,
                    array: self.atom(array)?,
                })
            }
            ir::Op::Array(ir::ArrayOp::Argmax(array)) => To::Bulk(Bulk::Argmax(self.atom(array)?)),
            ir::Op::Array(ir::ArrayOp::Argmin(array)) => To::Bulk(Bulk::Argmin(self.atom(array)?)),
            ir::Op::Array(ir::ArrayOp::Gather { array, indices, mask }) => To::Bulk(Bulk::Gather {
                array: self.atom(array)?,
                indices: self.atoms(indices)?,
                mask: mask.as_ref().map(|it| self.atom(it)).transpose()?,
            }),
            ir::Op::Array(ir::ArrayOp::Scatter { into, indices, values, mask }) => {
                To::Bulk(Bulk::Scatter {
                    into: self.atom(into)?,
                    indices: self.atoms(indices)?,
                    mask: mask.as_ref().map(|it| self.atom(it)).transpose()?,
                    values: self.atom(values)?,
                })
            }
            ir::Op::Array(ir::ArrayOp::Replicate { size, value }) => {
                To::Bulk(Bulk::Replicate { size: self.size(size)?, value: self.atom(value)? })
            }
            ir::Op::Array(ir::ArrayOp::Iota(size)) => To::Bulk(Bulk::Iota(self.size(size)?)),
            ir::Op::Array(ir::ArrayOp::Transpose { array, permutation }) => {
                To::Bulk(Bulk::Transpose {
                    array: self.atom(array)?,
                    permutation: permutation.clone(),
                })
            }
            ir::Op::Array(ir::ArrayOp::Reshape { array, rank, sizes }) => To::Bulk(Bulk::Reshape {
                array: self.atom(array)?,
                rank: *rank,
                sizes: self.sizes(sizes)?,
            }),
            ir::Op::Array(ir::ArrayOp::Reverse(array)) => {
                self.whole(array, movement::reverse, Kind::Move)?
            }
            ir::Op::Array(ir::ArrayOp::Concat(arrays)) => {
                To::Bulk(Bulk::Concat(self.atoms(arrays)?))
            }
            ir::Op::Array(ir::ArrayOp::Sort(array)) => self.whole(array, sort::sort, Kind::Sort)?,
            ir::Op::Array(ir::ArrayOp::Argsort(array)) => {
                self.whole(array, sort::argsort, Kind::Sort)?
            }
            ir::Op::Array(ir::ArrayOp::Sized { array, size }) => {
                To::Bulk(Bulk::Sized { array: self.atom(array)?, size: self.size(size)? })
            }
            ir::Op::Equal(x, y) => To::Bulk(Bulk::Equal(self.atom(x)?, self.atom(y)?)),
            ir::Op::Close(x, y) => To::Bulk(Bulk::Close(self.atom(x)?, self.atom(y)?)),
            ir::Op::Derive(ir::DeriveOp::Lift { level, value }) => {
                To::Bulk(Bulk::Lift { level: *level, value: self.atom(value)? })
            }
            ir::Op::Derive(ir::DeriveOp::Primal { level, value }) => {
                To::Bulk(Bulk::Primal { level: *level, value: self.atom(value)? })
            }
            ir::Op::Derive(ir::DeriveOp::Tangent { level, value }) => {
                To::Bulk(Bulk::Tangent { level: *level, value: self.atom(value)? })
            }
            ir::Op::Derive(ir::DeriveOp::Pair { beside, level, value, tangent }) => {
                let (value, tangent) = (self.atom(value)?, self.atom(tangent)?);
                To::Bulk(Bulk::Pair { beside: *beside, level: *level, value, tangent })
            }
            ir::Op::Derive(ir::DeriveOp::Tell { saying, every, text, value }) => {
                let (every, text) = (self.atom(every)?, self.atom(text)?);
                To::Bulk(Bulk::Tell { saying: *saying, every, text, value: self.atom(value)? })
            }
            ir::Op::Derive(ir::DeriveOp::OfFunction { operator, level, function, args }) => {
                To::Bulk(Bulk::Derive {
                    operator: *operator,
                    level: *level,
                    dual: self.has_delta(function)?,
                    function: self.atom(function)?,
                    args: self.atoms(args)?,
                })
            }
            ir::Op::Derive(ir::DeriveOp::OfDefinition { .. }) => {
                return Err(malformed("a derivative that was not made"));
            }
            ir::Op::Delta(ir::DeltaOp::Combine(terms)) => {
                To::Bulk(Bulk::Combine(self.terms(terms)?))
            }
            // A real stands for itself with the Delta `Zero`.
            ir::Op::Delta(ir::DeltaOp::Zeros(value)) => To::Simple(Simple::Copy(self.atom(value)?)),
            ir::Op::Delta(ir::DeltaOp::Strip(value)) => To::Bulk(Bulk::Strip(self.atom(value)?)),
            ir::Op::Delta(ir::DeltaOp::Pullback { by, value, inputs, function }) => {
                To::Bulk(Bulk::Pullback {
                    by: *by,
                    value: self.atom(value)?,
                    inputs: self.atoms(inputs)?,
                    function: self.atom(function)?,
                })
            }
        })
    }
}
