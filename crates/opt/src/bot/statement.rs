//! Statements, one after the other: which rule applies, and what remains a `build`.

use ir::walk::{self, Rewrite};
use ir::{ArrayOp, Atom, Block, ControlOp, DeriveOp, FunctionOp, Op, Prim, Size, Stmt, Type, Var};

use super::Vectorise;
use super::cost::{self, Bound};
use super::facts::partial_on_ints;
use super::gather::Guard;
use super::held::{Dim, Dims, Held, union};
use super::mask::has_zero;
use super::residual::used_after;

impl Vectorise<'_, '_> {
    /// `build_of_let`. `build k (\i. let x = v in u)
    ///   ~>  let x = build k (\i. v) in build k (\i. u[index x [i] / x])`
    ///
    /// Statement by statement; what the statements have become stands in `env`.
    pub(super) fn block(&mut self, block: &Block) -> Vec<Held> {
        let mut at = 0;
        while let Some(stmt) = block.stmts.get(at) {
            if self.is_irregular(stmt) {
                let end = self.irregular_end(block, at);
                if self.padded(&block.stmts[at..end], &block.results) {
                    at = end;
                    continue;
                }
                let outputs = used_after(block, at, end);
                self.residual(&block.stmts[at..end], &outputs);
                at = end;
            } else {
                self.stmt(stmt);
                at += 1;
                let done = cost::stmt(self.all, self.facts, stmt, Bound::Least);
                self.work = done.map_or(self.work.clone(), |it| self.work.add(&it));
            }
        }
        self.all_held(&block.results)
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.binders.first().and_then(|it| self.def.spans.0.get(&it.var)).copied();
        let outside = self.builder.set_span(span);
        let forced = self.forced(stmt);
        if !self.dims.is_empty() && self.all.tells(stmt) {
            let outputs: Vec<Var> = stmt.binders.iter().map(|it| it.var).collect();
            self.residual(std::slice::from_ref(stmt), &outputs);
        } else if self.dims_of_op(&stmt.op).is_empty() && forced.is_empty() {
            self.hoist(stmt);
        } else if !self.is_invariant_and_fails(stmt) || !self.hoist_guarded(stmt, &forced) {
            match self.vectorised(stmt) {
                Some(held) => self.bind(stmt, held),
                None => {
                    let outputs: Vec<Var> = stmt.binders.iter().map(|it| it.var).collect();
                    self.residual(std::slice::from_ref(stmt), &outputs);
                }
            }
        }
        self.builder.set_span(outside);
    }

    pub(super) fn bind(&mut self, stmt: &Stmt, held: Vec<Held>) {
        for (binder, held) in stmt.binders.iter().zip(held) {
            self.env.insert(binder.var, held);
        }
    }

    /// The dimensions that anything in an operation depends on.
    pub(super) fn dims_of_op(&self, op: &Op) -> Dims {
        walk::free_vars_op(op).iter().fold(Dims::new(), |dims, it| union(&dims, &self.dims_of(*it)))
    }

    /// The dimensions in which a statement that may fail is run as often as the input runs it:
    /// those that may be empty, and those of the conditions it stands under.
    pub(super) fn forced(&self, stmt: &Stmt) -> Dims {
        if self.dims.is_empty() || !self.facts.fails(stmt) {
            return Dims::new();
        }
        if self.all.tells(stmt) {
            return self.dims.clone();
        }
        let may_be_empty = |it: &&Dim| self.sizes[it.0].as_constant().is_none_or(|it| it < 1);
        let dims: Dims = self.dims.iter().filter(may_be_empty).copied().collect();
        self.conditions.iter().fold(dims, |dims, it| union(&dims, &it.0.dims))
    }

    /// What depends on no dimension is done once.
    fn hoist(&mut self, stmt: &Stmt) {
        let dims = std::mem::take(&mut self.dims);
        let conditions = std::mem::take(&mut self.conditions);
        self.once(stmt);
        (self.dims, self.conditions) = (dims, conditions);
    }

    /// A statement outside of any build; its variables keep their names.
    pub(super) fn once(&mut self, stmt: &Stmt) {
        let op = if let Op::Array(ArrayOp::Index { array, indices }) = &stmt.op {
            let (array, mut all) = self.held_array(array);
            for index in indices {
                all.push(self.plain(index));
            }
            // `index_of_nothing`. `index t []  ~>  t`
            if all.is_empty() {
                return self.bind(stmt, vec![array]);
            }
            Op::Array(ArrayOp::Index { array: array.atom, indices: all })
        } else if let Op::Control(ControlOp::While { inits, state, cond, body }) = &stmt.op {
            self.while_(inits, state, cond, body)
        } else if let Op::Array(ArrayOp::Filter { array, predicate }) = &stmt.op {
            self.filter(array, predicate)
        } else if walk::blocks(&stmt.op).is_empty() {
            walk::rewrite_op(&stmt.op, &mut Plain(self))
        } else {
            let held = self.vectorised(stmt).expect("there is nothing to vectorise over");
            return self.bind(stmt, held);
        };
        let vars: Vec<Var> = stmt.binders.iter().map(|it| it.var).collect();
        self.builder.bind(&vars, op);
        for var in vars {
            self.env.insert(var, Held::plain(Atom::Var(var)));
        }
    }

    fn is_invariant_and_fails(&self, stmt: &Stmt) -> bool {
        let batched = matches!(
            stmt.op,
            Op::Prim(..)
                | Op::Array(
                    ArrayOp::Index { .. } | ArrayOp::Gather { .. } | ArrayOp::Scatter { .. }
                )
        );
        !batched && self.conditions.is_empty() && self.dims_of_op(&stmt.op).is_empty()
    }

    /// What depends on no dimension but may fail is done once if none of them is empty:
    /// `if k > 0 { t } else { 0 }`. Says whether it could be.
    fn hoist_guarded(&mut self, stmt: &Stmt, forced: &[Dim]) -> bool {
        let types: Option<Vec<Type>> = stmt.binders.iter().map(|it| self.ty(&it.ty)).collect();
        let Some(types) = types.filter(|it| it.iter().all(has_zero)) else { return false };
        let Some(cond) = self.not_empty(forced) else { return false };
        self.open();
        self.hoist(stmt);
        let results =
            stmt.binders.iter().map(|it| self.plain(&Atom::Var(it.var))).collect::<Vec<Atom>>();
        let then = self.close(results);
        self.open();
        let zeros = types.iter().map(|it| self.zero(it)).collect();
        let otherwise = self.close(zeros);
        let results = self.builder.emit(Op::Control(ControlOp::If { cond, then, otherwise }));
        self.bind(stmt, results.into_iter().map(Held::plain).collect());
        true
    }

    /// Whether there is a position in all of some dimensions.
    pub(super) fn not_empty(&mut self, dims: &[Dim]) -> Option<Atom> {
        let mut cond: Option<Held> = None;
        for size in self.sizes_of(dims) {
            let size = Held::plain(self.builder.one(Op::Size(size)));
            let more = self.elementwise(Prim::Gt, &[size, Held::plain(Atom::Int(0))]);
            cond = Some(match cond {
                None => more,
                Some(it) => self.elementwise(Prim::And, &[it, more]),
            });
        }
        cond.map(|it| it.atom)
    }

    /// A value of a type that has one.
    fn zero(&mut self, ty: &Type) -> Atom {
        let (sizes, inner) = ty.split_arrays();
        let scalar = if *inner == Type::Int {
            Atom::Int(0)
        } else if *inner == Type::Bool {
            Atom::Bool(false)
        } else {
            Atom::Real(ir::Literal(0.0))
        };
        sizes.into_iter().rev().fold(scalar, |value, size| {
            self.builder.one(Op::Array(ArrayOp::Replicate { size, value }))
        })
    }

    /// One arm per constructor, in the order of `op.rs`; `None` if it remains a build.
    pub(super) fn vectorised(&mut self, stmt: &Stmt) -> Option<Vec<Held>> {
        let forced = self.forced(stmt);
        let fails = self.facts.fails(stmt);
        Some(vec![match &stmt.op {
            Op::Copy(atom) | Op::Derive(DeriveOp::Checkpoint { value: atom, .. }) => {
                self.held(atom)
            }
            Op::Derive(DeriveOp::StopGradient(atom)) => {
                let held = self.held(atom);
                let value = self.atom(&held);
                Held::over(&held.dims, self.builder.one(Op::Derive(DeriveOp::StopGradient(value))))
            }
            // There are no operations on arrays of texts.
            Op::Prim(..) if stmt.binders.iter().any(|it| !has_zero(&it.ty)) => return None,
            Op::Prim(prim, args) => {
                let args = self.all_held(args);
                match partial_on_ints(*prim) && fails {
                    true => self.build_of_partial_op(*prim, &args, &forced),
                    false => self.elementwise(*prim, &args),
                }
            }
            Op::Size(size) => self.build_of_size(size),

            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                return self.match_(value, arms, otherwise.as_ref());
            }
            Op::Function(FunctionOp::Call { def, sizes, args, .. }) => {
                return self.call(stmt, def, sizes, args);
            }
            Op::Control(ControlOp::If { cond, then, otherwise }) => {
                return self.if_(stmt, cond, then, otherwise);
            }
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                return self.build(sizes, indices, body);
            }
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                return self.fold(inits, arrays, step);
            }
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                return self.scan(inits, arrays, step);
            }
            Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
                return self.iterate(count, *index, inits, (state, body));
            }

            Op::Array(ArrayOp::Literal { elem, parts }) => {
                let elem = self.ty(elem)?;
                let parts = self.all_held(parts);
                self.build_of_array(elem, &parts)
            }
            Op::Array(ArrayOp::Index { array, indices }) => {
                let (array, indices) = (self.held(array), self.all_held(indices));
                let guard = self.guard(fails, forced);
                self.build_of_index_of_variable(&array, &indices, guard)
            }
            Op::Array(ArrayOp::Slice { .. } | ArrayOp::Sized { .. }) if !forced.is_empty() => {
                return self.unless_empty(stmt, &forced);
            }
            Op::Array(ArrayOp::Slice { array, axis, from, to }) => {
                return self.slice(stmt, array, *axis, from, to).map(|it| vec![it]);
            }
            Op::Array(ArrayOp::Reduce { reduction, axis, array }) => {
                let array = self.held(array);
                self.build_of_sum(*reduction, *axis, &array)
            }
            Op::Array(ArrayOp::Gather { array, indices, mask }) => {
                let (array, indices) = (self.held(array), self.all_held(indices));
                let mask = mask.as_ref().map(|it| self.held(it));
                let guard = self.guard(fails, forced);
                self.build_of_gather(&array, &indices, mask, guard)
            }
            Op::Array(ArrayOp::Scatter { into, indices, values, mask }) => {
                let (into, indices) = (self.held(into), self.all_held(indices));
                let values = self.held(values);
                let mask = mask.as_ref().map(|it| self.held(it));
                let guard = self.guard(fails, forced);
                self.build_of_scatter(&into, &indices, &values, mask, guard)
            }
            Op::Array(ArrayOp::Replicate { size, value }) => {
                let size = self.size(size)?;
                let value = self.held(value);
                self.build_of_replicate(size, &value)
            }
            Op::Array(ArrayOp::Transpose { array, permutation }) => {
                let array = self.held(array);
                self.build_of_transpose(&array, permutation)
            }
            Op::Array(ArrayOp::Reshape { array, rank, sizes }) => {
                let sizes = self.all_sizes(sizes)?;
                let array = self.under(array, &forced);
                self.build_of_reshape(&array, *rank, sizes)
            }
            Op::Array(ArrayOp::Reverse(array)) => {
                let array = self.held(array);
                self.build_of_reverse(&array)
            }
            Op::Array(ArrayOp::Concat(arrays)) => {
                let arrays = self.all_held(arrays);
                self.build_of_concat(&arrays)
            }
            Op::Array(ArrayOp::Sized { array, size }) => {
                let size = self.size(size)?;
                let array = self.held(array);
                self.build_of_sized(&array, size)
            }
            Op::Equal(left, right) => {
                let (left, right) = (self.held(left), self.held(right));
                let number = |ty: Type| ty == Type::Real || ty == Type::Int;
                if !number(self.elem_type(&left)) || !number(self.elem_type(&right)) {
                    return None;
                }
                self.elementwise(Prim::Eq, &[left, right])
            }

            // There is no operation on a whole batch.
            Op::Array(
                ArrayOp::Argmax(_) | ArrayOp::Argmin(_) | ArrayOp::Sort(_) | ArrayOp::Argsort(_),
            )
            | Op::Close(..) => {
                return None;
            }
            // It depends on sizes only.
            Op::Con { .. }
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Array(ArrayOp::Iota(_) | ArrayOp::Filter { .. })
            | Op::Control(ControlOp::While { .. }) => return None,
            Op::Function(_) | Op::Derive(_) | Op::Delta(_) => {
                return None;
            }
        }])
    }

    fn guard(&mut self, fails: bool, dims: Dims) -> Guard {
        let mask = if fails { self.mask() } else { None };
        Guard { dims, mask }
    }

    /// An operand with at least some dimensions.
    fn under(&mut self, atom: &Atom, dims: &[Dim]) -> Held {
        let held = self.held(atom);
        let dims = union(&held.dims, dims);
        Held::over(&dims, self.expand(&held, &dims, &[]))
    }

    /// A slice whose ends depend on a dimension is a gather, if it is known to fit.
    fn slice(
        &mut self,
        stmt: &Stmt,
        array: &Atom,
        axis: usize,
        from: &Size,
        to: &Size,
    ) -> Option<Held> {
        let fails = self.facts.fails(stmt);
        if let (Some(from), Some(to)) = (self.size(from), self.size(to)) {
            let array = self.held(array);
            return Some(self.build_of_slice(&array, axis, from, to));
        }
        let length = self.size(&to.sub(from)).filter(|_| !fails && axis == 0)?;
        let array = self.held(array);
        let from = self.build_of_size(from);
        let positions = Held::plain(self.builder.one(Op::Array(ArrayOp::Iota(length))));
        let indices = self.elementwise(Prim::Add, &[from, positions]);
        let guard = Guard { dims: Dims::new(), mask: None };
        Some(self.build_of_gather(&array, &[indices], None, guard))
    }

    /// `build k1 (\i. build k2 (\j. t))`: the dimensions of both.
    fn build(&mut self, sizes: &[Size], indices: &[Var], body: &Block) -> Option<Vec<Held>> {
        let sizes = self.all_sizes(sizes)?;
        let outside = self.dims.clone();
        let mut new = Dims::new();
        for (index, size) in indices.iter().zip(sizes) {
            let dim = self.new_dim(size);
            new.push(dim);
            self.env.insert(*index, Held { atom: Atom::Int(0), dims: vec![dim], index: true });
        }
        self.dims.extend(&new);
        let work = std::mem::replace(&mut self.work, Size::constant(0));
        let results = self.block(body);
        (self.dims, self.work) = (outside, work);
        let mut res = Vec::new();
        for held in results {
            let dims: Dims = held.dims.iter().filter(|it| !new.contains(it)).copied().collect();
            let atom = self.expand(&held, &union(&dims, &new), &[]);
            res.push(Held::over(&dims, atom));
        }
        Some(res)
    }

    /// What an operation without blocks is outside of any build.
    fn plain_size(&mut self, size: &Size) -> Size {
        self.size(size).expect("compiler bug: a size depends on an index")
    }
}

/// Operands and sizes outside of any build.
struct Plain<'x, 'a, 'p>(&'x mut Vectorise<'a, 'p>);

impl Rewrite for Plain<'_, '_, '_> {
    fn atom(&mut self, atom: &Atom) -> Atom {
        self.0.plain(atom)
    }

    fn size(&mut self, size: &Size) -> Size {
        self.0.plain_size(size)
    }
}
