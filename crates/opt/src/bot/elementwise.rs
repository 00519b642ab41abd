//! `build` of what works element by element and of what moves elements: Fig. 9.
//!
//! The rules are written for any number of dimensions at once: where the paper has `build k (\i. t)`
//! as an operand, here stands what `t` is held as, brought to the dimensions of the whole.

use ir::{ArrayOp, Atom, Op, Prim, Reduction, Size, Type};

use super::Vectorise;
use super::held::{Dim, Held, union, union_all};

impl Vectorise<'_, '_> {
    /// `build_of_op`. `build k (\i. op t u)  ~>  op (build k (\i. t)) (build k (\i. u))`
    pub(super) fn elementwise(&mut self, prim: Prim, args: &[Held]) -> Held {
        self.build_of_op(prim, args, &[])
    }

    /// `build_of_op` with at least the given dimensions.
    pub(super) fn build_of_op(&mut self, prim: Prim, args: &[Held], forced: &[Dim]) -> Held {
        let dims = union(&union_all(args), forced);
        let inner = args.iter().map(|it| self.elem_sizes(it)).find(|it| !it.is_empty());
        let inner = inner.unwrap_or_default();
        let has_array = !forced.is_empty() || args.iter().any(|it| !it.dims.is_empty());
        let is_scalar =
            |it: &Self, arg: &Held| arg.dims.is_empty() && it.elem_sizes(arg).is_empty();
        // A true scalar meets arrays as it is, but one operand carries the forced dimensions.
        let mut needs_array = !forced.is_empty() && args.iter().all(|it| is_scalar(self, it));
        let mut atoms = Vec::with_capacity(args.len());
        for arg in args {
            let stays = is_scalar(self, arg) && !needs_array;
            needs_array = false;
            atoms.push(if stays || !has_array {
                self.atom(arg)
            } else {
                self.expand(arg, &dims, &inner)
            });
        }
        Held::over(&dims, self.builder.one(Op::Prim(prim, atoms)))
    }

    /// `build_of_op` for integer operations that fail for some operands: where the mask does not
    /// hold, the second operand is one they do not fail for.
    pub(super) fn build_of_partial_op(
        &mut self,
        prim: Prim,
        args: &[Held],
        forced: &[Dim],
    ) -> Held {
        let mut args = args.to_vec();
        if let Some(mask) = self.mask() {
            let harmless = Atom::Int(if prim == Prim::Pow { 0 } else { 1 });
            args[1] =
                self.elementwise(Prim::Select, &[mask, args[1].clone(), Held::plain(harmless)]);
        }
        self.build_of_op(prim, &args, forced)
    }

    /// The value of a polynomial whose variables depend on dimensions.
    pub(super) fn build_of_size(&mut self, size: &Size) -> Held {
        let mut sum: Option<Held> = None;
        let terms: Vec<(Vec<ir::Var>, i64)> =
            size.terms().map(|(monomial, it)| (monomial.to_vec(), it)).collect();
        for (monomial, coefficient) in terms {
            let mut product: Option<Held> = None;
            for var in monomial {
                let factor = self.held(&Atom::Var(var));
                product = Some(match product {
                    None => factor,
                    Some(it) => self.elementwise(Prim::Mul, &[it, factor]),
                });
            }
            let coefficient = Held::plain(Atom::Int(coefficient));
            let term = match product {
                None => coefficient,
                Some(it) if coefficient.atom == Atom::Int(1) => it,
                Some(it) => self.elementwise(Prim::Mul, &[it, coefficient]),
            };
            sum = Some(match sum {
                None => term,
                Some(it) => self.elementwise(Prim::Add, &[it, term]),
            });
        }
        sum.unwrap_or_else(|| Held::plain(Atom::Int(0)))
    }

    /// `build_of_sum`. `build k (\i. sumOuter t)  ~>  sumOuter (tr (build k (\i. t)))`
    ///
    /// Reductions take an axis here, so nothing is transposed.
    pub(super) fn build_of_sum(&mut self, reduction: Reduction, axis: usize, array: &Held) -> Held {
        let (axis, array_atom) = (axis + array.dims.len(), self.atom(array));
        let op = Op::Array(ArrayOp::Reduce { reduction, axis, array: array_atom });
        Held::over(&array.dims, self.builder.one(op))
    }

    /// `build_of_array`. `build k (\i. [t1, ..., tn])  ~>  tr [build k (\i. t1), ..., build k (\i. tn)]`
    pub(super) fn build_of_array(&mut self, elem: Type, parts: &[Held]) -> Held {
        let dims = union_all(parts);
        let parts = parts.iter().map(|it| self.expand(it, &dims, &[])).collect();
        let elem = Type::arrays(&self.sizes_of(&dims), elem);
        let array = self.builder.one(Op::Array(ArrayOp::Literal { elem, parts }));
        Held::over(&dims, self.own_axis_back(array, dims.len()))
    }

    /// `build_of_replicate`. `build k (\i. replicate n t)  ~>  tr (replicate n (build k (\i. t)))`
    pub(super) fn build_of_replicate(&mut self, size: Size, value: &Held) -> Held {
        let atom = self.atom(value);
        let array = self.builder.one(Op::Array(ArrayOp::Replicate { size, value: atom }));
        Held::over(&value.dims, self.own_axis_back(array, value.dims.len()))
    }

    /// `build_of_transpose`. `build k (\i. tr_{b0, ..., bn} t)  ~>  tr_{0, b0+1, ..., bn+1} (build k (\i. t))`
    pub(super) fn build_of_transpose(&mut self, array: &Held, permutation: &[usize]) -> Held {
        let n_dims = array.dims.len();
        let permutation = (0..n_dims).chain(permutation.iter().map(|it| it + n_dims)).collect();
        let op = Op::Array(ArrayOp::Transpose { array: self.atom(array), permutation });
        Held::over(&array.dims, self.builder.one(op))
    }

    /// `build_of_reshape`. `build k (\i. reshape sh t)  ~>  reshape (k ::: sh) (build k (\i. t))`
    pub(super) fn build_of_reshape(&mut self, array: &Held, rank: usize, sizes: Vec<Size>) -> Held {
        let sizes = self.sizes_of(&array.dims).into_iter().chain(sizes).collect();
        let rank = rank + array.dims.len();
        let op = Op::Array(ArrayOp::Reshape { array: self.atom(array), rank, sizes });
        Held::over(&array.dims, self.builder.one(op))
    }

    /// `build k (\i. slice a from to)  ~>  slice (build k (\i. a)) from to   along the next axis`
    pub(super) fn build_of_slice(
        &mut self,
        array: &Held,
        axis: usize,
        from: Size,
        to: Size,
    ) -> Held {
        let axis = axis + array.dims.len();
        let op = Op::Array(ArrayOp::Slice { array: self.atom(array), axis, from, to });
        Held::over(&array.dims, self.builder.one(op))
    }

    /// `build k (\i. reverse a)  ~>  tr (reverse (tr (build k (\i. a))))`
    pub(super) fn build_of_reverse(&mut self, array: &Held) -> Held {
        let turned = self.own_axis_first(array);
        let reversed = self.builder.one(Op::Array(ArrayOp::Reverse(turned)));
        Held::over(&array.dims, self.own_axis_back(reversed, array.dims.len()))
    }

    /// `build k (\i. concat a b)  ~>  tr (concat (tr (build k (\i. a))) (tr (build k (\i. b))))`
    pub(super) fn build_of_concat(&mut self, arrays: &[Held]) -> Held {
        let dims = union_all(arrays);
        let mut turned = Vec::new();
        for array in arrays {
            let array = Held::over(&dims, self.expand(array, &dims, &[]));
            turned.push(self.own_axis_first(&array));
        }
        let joined = self.builder.one(Op::Array(ArrayOp::Concat(turned)));
        Held::over(&dims, self.own_axis_back(joined, dims.len()))
    }

    /// `build k (\i. sized n a)  ~>  tr (sized n (tr (build k (\i. a))))`
    pub(super) fn build_of_sized(&mut self, array: &Held, size: Size) -> Held {
        let turned = self.own_axis_first(array);
        let sized = self.builder.one(Op::Array(ArrayOp::Sized { array: turned, size }));
        Held::over(&array.dims, self.own_axis_back(sized, array.dims.len()))
    }
}
