//! Derivative operators of definitions become calls of their derivatives.
//!
//! `grad` and `vjp` call `f.vjp`, `jvp` calls `f.jvp`, `hvp` the `jvp` of the `vjp`. A jacobian is a
//! build of rows, one `vjp` for each real of the result (Appendix A of the paper), or of columns, one
//! `jvp` for each real of the input, if there are fewer of them for sure; a hessian is a build of `hvp`s.

use base::Name;
use ir::{Atom, Binder, Block, Def, Op, Operator, Prim, Size, Spans, Stmt, Type, Var, walk};

use super::code::{Code, real, with_sizes};
use super::derived::{jvp, vjp};
use super::work::Work;

/// The definition without derivative operators.
pub(super) fn expand(work: &mut Work, def: &Def) -> Def {
    let mut code = Code::new(work, def.next_var);
    def.size_params.iter().for_each(|it| code.builder.declare(*it, Type::Int));
    code.declare(&def.params);
    let body = expand_block(&mut code, &def.spans, &def.body);
    let (next_var, mut spans) = code.finish();
    for (var, span) in &def.spans.0 {
        spans.0.entry(*var).or_insert(*span);
    }
    Def { body, next_var, spans, ..def.clone() }
}

fn expand_block(code: &mut Code<'_>, spans: &Spans, block: &Block) -> Block {
    code.builder.open();
    for stmt in &block.stmts {
        let span = stmt.binders.first().and_then(|it| spans.0.get(&it.var)).copied();
        let outer = code.builder.set_span(span);
        if let Op::Derivative { operator, def, sizes, captured, args } = &stmt.op {
            let site = Site { def: def.clone(), sizes: sizes.clone(), captured, args };
            let results = site.expand(code, *operator, &stmt.binders);
            for (binder, atom) in stmt.binders.iter().zip(results) {
                let atom = code.fit(atom, &binder.ty);
                code.bind(&[binder.var], Op::Copy(atom));
            }
        } else {
            let op = walk::map_blocks(&stmt.op, &mut |bound, block| {
                code.declare(bound);
                expand_block(code, spans, block)
            });
            code.builder.push(Stmt { binders: stmt.binders.clone(), op });
        }
        code.builder.set_span(outer);
    }
    code.builder.close(block.results.clone())
}

/// A derivative operator of a definition.
struct Site<'a> {
    def: Name,
    sizes: Vec<Size>,
    captured: &'a [Atom],
    args: &'a [Atom],
}

impl Site<'_> {
    fn expand(&self, code: &mut Code<'_>, operator: Operator, binders: &[Binder]) -> Vec<Atom> {
        let types: Vec<Type> = binders.iter().map(|it| it.ty.clone()).collect();
        match operator {
            Operator::Jvp => {
                let (point, directions) = self.split_args(code);
                let active = self.active(code);
                let mut given = Vec::new();
                for (at, _) in active.iter().enumerate().filter(|(_, on)| **on) {
                    given.push(code.direction(&point[at], &directions[at]));
                }
                let (values, tangents) = self.jvp(code, point, &active, given);
                self.structured(code, &values, tangents)
            }
            Operator::Vjp => {
                let n_params = self.n_params(code);
                let (point, cotangents) = self.args.split_at(n_params);
                let given = self.checked(code, point, cotangents);
                let (_, gradient) = self.vjp(code, point, given);
                self.structured(code, point, gradient)
            }
            Operator::Grad => {
                let (_, gradient) = self.vjp(code, self.args, vec![real(1.0)]);
                self.structured(code, self.args, gradient)
            }
            Operator::ValueAndGrad => {
                let (mut values, gradient) = self.vjp(code, self.args, vec![real(1.0)]);
                values.extend(self.structured(code, self.args, gradient));
                values
            }
            Operator::Hvp => {
                let (point, directions) = self.split_args(code);
                let active = self.active(code);
                let mut given = Vec::new();
                for (at, _) in active.iter().enumerate().filter(|(_, on)| **on) {
                    given.push(code.direction(&point[at], &directions[at]));
                }
                let tangents = self.hvp(code, point, &active, given);
                self.structured(code, point, tangents)
            }
            Operator::Jacobian => self.jacobian(code, &types),
            Operator::Hessian => self.hessian(code, &types),
        }
    }

    /// The cotangents of results that have reals; those of sum types have the form of the results.
    fn checked(&self, code: &mut Code<'_>, point: &[Atom], cotangents: &[Atom]) -> Vec<Atom> {
        let is_data = |it: &Atom| matches!(code.type_of(it).split_arrays().1, Type::Data(..));
        let values = match cotangents.iter().any(is_data) {
            true => self.call(code, self.def.clone(), point, Vec::new()),
            false => cotangents.to_vec(),
        };
        let mut res = Vec::new();
        for (value, cotangent) in values.iter().zip(cotangents) {
            let ty = code.type_of(cotangent);
            if code.work.tangent(&ty).is_some() {
                res.push(code.direction(value, cotangent));
            }
        }
        res
    }

    fn n_params(&self, code: &Code<'_>) -> usize {
        code.work.program.defs[&self.def].params.len() - self.captured.len()
    }

    fn split_args(&self, code: &Code<'_>) -> (&[Atom], &[Atom]) {
        self.args.split_at(self.n_params(code))
    }

    /// Which parameters have reals.
    fn active(&self, code: &mut Code<'_>) -> Vec<bool> {
        let def = code.work.program.defs[&self.def].clone();
        let params = &def.params[self.captured.len()..];
        params.iter().map(|it| code.work.tangent(&it.ty).is_some()).collect()
    }

    fn mask(&self, active: &[bool]) -> Vec<bool> {
        vec![false; self.captured.len()].into_iter().chain(active.iter().copied()).collect()
    }

    fn call(&self, code: &mut Code<'_>, def: Name, point: &[Atom], more: Vec<Atom>) -> Vec<Atom> {
        let args = self.captured.iter().chain(point).cloned().chain(more).collect();
        code.emit(Op::Call { def, types: Vec::new(), sizes: self.sizes.clone(), args })
    }

    /// The results, and the tangents of those that have reals.
    fn jvp(
        &self,
        code: &mut Code<'_>,
        point: &[Atom],
        active: &[bool],
        directions: Vec<Atom>,
    ) -> (Vec<Atom>, Vec<Atom>) {
        let n_results = code.work.program.defs[&self.def].results.len();
        let name = jvp(code.work, &self.def, &self.mask(active));
        let mut results = self.call(code, name, point, directions);
        let tangents = results.split_off(n_results);
        (results, tangents)
    }

    /// The results, and the cotangents of the parameters that have reals.
    fn vjp(
        &self,
        code: &mut Code<'_>,
        point: &[Atom],
        cotangents: Vec<Atom>,
    ) -> (Vec<Atom>, Vec<Atom>) {
        let n_results = code.work.program.defs[&self.def].results.len();
        let active = self.active(code);
        let name = vjp(code.work, &self.def, &self.mask(&active));
        let mut results = self.call(code, name, point, cotangents);
        let gradient = results.split_off(n_results);
        (results, gradient)
    }

    /// The derivative of the gradient along directions of some parameters.
    fn hvp(
        &self,
        code: &mut Code<'_>,
        point: &[Atom],
        along: &[bool],
        directions: Vec<Atom>,
    ) -> Vec<Atom> {
        let active = self.active(code);
        let gradient = vjp(code.work, &self.def, &self.mask(&active));
        code.work.finish_jobs();
        let mut mask = self.mask(along);
        mask.push(false);
        let name = jvp(code.work, &gradient, &mask);
        let more = std::iter::once(real(1.0)).chain(directions).collect();
        let results = self.call(code, name, point, more);
        // One value and its tangent; between and behind them the gradient and its tangents.
        let n_active = active.iter().filter(|it| **it).count();
        results[n_active + 2..].to_vec()
    }

    /// Values of the types of `like`: tangents where there are reals, zeros elsewhere.
    fn structured(&self, code: &mut Code<'_>, like: &[Atom], tangents: Vec<Atom>) -> Vec<Atom> {
        let mut tangents = tangents.into_iter();
        let mut res = Vec::new();
        for value in like {
            let ty = code.type_of(value);
            res.push(match code.work.tangent(&ty) {
                Some(_) => {
                    let tangent = tangents.next().expect("a tangent for each value with reals");
                    code.filled(value.clone(), tangent)
                }
                None => code.discrete_zero(value.clone()),
            });
        }
        res
    }

    fn jacobian(&self, code: &mut Code<'_>, types: &[Type]) -> Vec<Atom> {
        let def = code.work.program.defs[&self.def].clone();
        let params: Vec<Type> = self.args.iter().map(|it| code.type_of(it)).collect();
        let n_params = params.len();
        // The types of the results, with the sizes of this call.
        let values: Vec<&Atom> = self.captured.iter().chain(self.args).collect();
        let of = |var: Var| {
            let at = def.params.iter().position(|it| it.var == var)?;
            values.get(at).map(|it| (*it).clone())
        };
        let size_of = |ty: &Type| {
            let ty = with_sizes(ty, &of);
            ty.substitute_sizes(&|var| {
                let at = def.size_params.iter().position(|it| *it == var)?;
                Some(self.sizes[at].clone())
            })
        };
        let results: Vec<Type> = def.results.iter().map(|it| size_of(&it.ty)).collect();
        if params.iter().chain(&results).any(|it| matches!(it.split_arrays().1, Type::Data(..))) {
            code.work.refuse(None, "a jacobian of sum types");
            return types.iter().map(|it| code.placeholder(it)).collect();
        }
        let count = |types: &[Type]| {
            let smooth = types.iter().filter(|it| *it.split_arrays().1 == Type::Real);
            smooth.fold(Size::constant(0), |sum, it| {
                let sizes = it.split_arrays().0;
                sum.add(&sizes.iter().fold(Size::constant(1), |product, it| product.mul(it)))
            })
        };
        let by_columns = match (count(&params).as_constant(), count(&results).as_constant()) {
            (Some(inputs), Some(outputs)) => inputs < outputs,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let mut blocks: Vec<Option<Atom>> = vec![None; types.len()];
        if by_columns {
            for (at, param) in params.iter().enumerate().filter(|it| smooth(it.1)) {
                let mut active = vec![false; n_params];
                active[at] = true;
                let columns = each(code, &param.split_arrays().0, |code, unit| {
                    self.jvp(code, self.args, &active, vec![unit]).1
                });
                let rows = results.iter().enumerate().filter(|it| smooth(it.1));
                for ((row, result), column) in rows.zip(columns) {
                    let ranks = (param.split_arrays().0.len(), result.split_arrays().0.len());
                    blocks[row * n_params + at] = Some(code.swapped(column, ranks));
                }
            }
        } else {
            for (row, result) in results.iter().enumerate().filter(|it| smooth(it.1)) {
                let rows = each(code, &result.split_arrays().0, |code, unit| {
                    let mut given = Vec::new();
                    for (other, ty) in results.iter().enumerate().filter(|it| smooth(it.1)) {
                        given.push(if other == row { unit.clone() } else { code.zeros(ty) });
                    }
                    self.vjp(code, self.args, given).1
                });
                let columns = params.iter().enumerate().filter(|it| smooth(it.1));
                for ((at, _), rows) in columns.zip(rows) {
                    blocks[row * n_params + at] = Some(rows);
                }
            }
        }
        let fill = |(block, ty): (Option<Atom>, &Type)| block.unwrap_or_else(|| code.zeros(ty));
        blocks.into_iter().zip(types).map(fill).collect()
    }

    fn hessian(&self, code: &mut Code<'_>, types: &[Type]) -> Vec<Atom> {
        let params: Vec<Type> = self.args.iter().map(|it| code.type_of(it)).collect();
        let n_params = params.len();
        if params.iter().any(|it| matches!(it.split_arrays().1, Type::Data(..))) {
            code.work.refuse(None, "a hessian by sum types");
            return types.iter().map(|it| code.placeholder(it)).collect();
        }
        let mut blocks: Vec<Option<Atom>> = vec![None; types.len()];
        let rank = |at: usize| params[at].split_arrays().0.len();
        for (row, param) in params.iter().enumerate().filter(|it| smooth(it.1)) {
            let mut along = vec![false; n_params];
            along[row] = true;
            let sizes = param.split_arrays().0;
            let rows =
                each(code, &sizes, |code, unit| self.hvp(code, self.args, &along, vec![unit]));
            // Symmetric to the bit: what is above the diagonal is what is below it.
            let columns = params.iter().enumerate().filter(|it| smooth(it.1));
            for ((at, _), rows) in columns.zip(rows).filter(|((at, _), _)| *at <= row) {
                let rows = if at == row { symmetric(code, rows, &sizes) } else { rows };
                if at < row {
                    let columns = code.swapped(rows.clone(), (rank(row), rank(at)));
                    blocks[at * n_params + row] = Some(columns);
                }
                blocks[row * n_params + at] = Some(rows);
            }
        }
        let fill = |(block, ty): (Option<Atom>, &Type)| block.unwrap_or_else(|| code.zeros(ty));
        blocks.into_iter().zip(types).map(fill).collect()
    }
}

/// The square array, of these sizes twice, with its lower triangle above the diagonal too.
fn symmetric(code: &mut Code<'_>, array: Atom, sizes: &[Size]) -> Atom {
    if sizes.is_empty() {
        return array;
    }
    let mirrored = code.swapped(array.clone(), (sizes.len(), sizes.len()));
    let both: Vec<Size> = sizes.iter().chain(sizes).cloned().collect();
    let indices: Vec<Var> = both.iter().map(|_| code.fresh(Type::Int).var).collect();
    code.builder.open();
    let mut number = |indices: &[Var]| {
        let mut sum = Atom::Int(0);
        for (index, size) in indices.iter().zip(sizes) {
            let size = code.int(size);
            let scaled = code.prim(Prim::Mul, vec![sum, size]);
            sum = code.prim(Prim::Add, vec![scaled, Atom::Var(*index)]);
        }
        sum
    };
    let (row, column) = indices.split_at(sizes.len());
    let (row, column) = (number(row), number(column));
    let lower = code.prim(Prim::Ge, vec![row, column]);
    let body = code.builder.close(vec![lower]);
    let lower = code.one(Op::Build { sizes: both, indices, body });
    code.prim(Prim::Select, vec![lower, array, mirrored])
}

fn smooth(ty: &Type) -> bool {
    *ty.split_arrays().1 == Type::Real
}

/// What comes out for every unit vector of a space: an array of it, by the position of the one.
fn each(
    code: &mut Code<'_>,
    sizes: &[Size],
    row: impl FnOnce(&mut Code<'_>, Atom) -> Vec<Atom>,
) -> Vec<Atom> {
    if sizes.is_empty() {
        return row(code, real(1.0));
    }
    let indices: Vec<Var> = sizes.iter().map(|_| code.fresh(Type::Int).var).collect();
    code.builder.open();
    let zeros = code.zeros(&Type::arrays(sizes, Type::Real));
    let at = indices.iter().map(|it| Atom::Var(*it)).collect();
    let unit = Op::Scatter { into: zeros, indices: at, values: real(1.0), mask: None };
    let unit = code.one(unit);
    let results = row(code, unit);
    let body = code.builder.close(results);
    code.emit(Op::Build { sizes: sizes.to_vec(), indices, body })
}
