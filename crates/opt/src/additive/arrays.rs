//! Operations on whole arrays.

use base::Span;
use ir::{ArrayOp, Atom, Op, Reduction, Size, walk};

use super::Why;
use super::class::{Class, plain};
use super::walk::Walk;

impl<'p> Walk<'p> {
    pub(super) fn array(&mut self, op: &'p ArrayOp, at: Option<Span>) -> Vec<Class<'p>> {
        vec![match op {
            ArrayOp::Literal { parts, .. } => self.joined(parts, at).within(1, at),
            ArrayOp::Concat(arrays) => match self.joined(arrays, at) {
                Class::Rows(0) => Class::mixed(Why::Order, at),
                it => it,
            },
            ArrayOp::Index { array, indices } => {
                let indices = self.all(indices);
                self.atom(array).each(&mut |it| index(it, &indices, at))
            }
            ArrayOp::Slice { array, axis, from, to } => {
                let varies = self.varies_by_part(from) || self.varies_by_part(to);
                self.atom(array).each(&mut |it| match it {
                    _ if varies => Class::mixed(Why::Size, at),
                    Class::Rows(rows) if rows == axis => Class::mixed(Why::OtherRow, at),
                    it => it.clone(),
                })
            }
            ArrayOp::Reduce { reduction, axis, array } => {
                reduced(*reduction, *axis, &self.atom(array), at)
            }
            ArrayOp::Gather { array, indices, mask } => {
                let mut by = self.all(indices);
                by.extend(mask.iter().map(|it| self.atom(it)));
                gathered(&self.atom(array), &by, at)
            }
            ArrayOp::Scatter { into, indices, values, mask } => {
                let mut by = self.all(indices);
                by.extend(mask.iter().map(|it| self.atom(it)));
                scattered(&self.atom(into), &by, &self.atom(values), at)
            }
            ArrayOp::Replicate { size, value } => self.replicated(size, value, at),
            ArrayOp::Iota(size) if self.varies_by_part(size) => Class::mixed(Why::Number, at),
            ArrayOp::Iota(size) if self.varies(size) => Class::Row,
            ArrayOp::Iota(_) => Class::Whole,
            ArrayOp::Transpose { array, permutation } => {
                self.atom(array).each(&mut |it| match it {
                    Class::Rows(axis) => match permutation.iter().position(|it| it == axis) {
                        Some(to) => Class::Rows(to),
                        None => Class::Rows(*axis),
                    },
                    it => it.clone(),
                })
            }
            ArrayOp::Reshape { array, rank, sizes } => self.reshaped(array, *rank, sizes, at),
            ArrayOp::Reverse(array) => self.atom(array).each(&mut |it| match it {
                Class::Rows(0) => Class::mixed(Why::Order, at),
                it => it.clone(),
            }),
            ArrayOp::Sized { array, size } => {
                let (is_rows, varies) = (self.is_rows(size), self.varies_by_part(size));
                self.atom(array).each(&mut |it| match it {
                    Class::Rows(0) if is_rows => Class::Rows(0),
                    it if !varies && *it != Class::Rows(0) => it.clone(),
                    _ => Class::mixed(Why::Size, at),
                })
            }
            ArrayOp::Argmax(it) | ArrayOp::Argmin(it) => plain(&[self.atom(it)], Why::OtherRow, at),
            ArrayOp::Filter { array, predicate } => {
                let operands = [self.atom(array), self.closure(predicate)];
                // Both results: how many there are, and they.
                return vec![plain(&operands, Why::Order, at); 2];
            }
            // What sorts, and what nobody has told of: elements of all rows, in an order of their own.
            other => {
                let operands = walk::free_vars_op(&Op::Array(other.clone()));
                let operands: Vec<_> =
                    operands.iter().map(|it| self.atom(&Atom::Var(*it))).collect();
                plain(&operands, Why::Order, at)
            }
        }]
    }

    fn joined(&self, parts: &[Atom], at: Option<Span>) -> Class<'p> {
        let mut parts = self.all(parts).into_iter();
        let Some(first) = parts.next() else { return Class::Zero };
        parts.fold(first, |a, b| a.join(&b, at))
    }

    fn replicated(&self, size: &Size, value: &Atom, at: Option<Span>) -> Class<'p> {
        let value = self.atom(value);
        if self.is_rows(size) {
            return value.each(&mut |it| match it {
                it if it.is_whole() => Class::Rows(0),
                it => plain(&[it.clone(), Class::Sum], Why::OtherRow, at),
            });
        }
        if self.varies_by_part(size) {
            return Class::mixed(Why::Size, at);
        }
        if self.varies(size) {
            return plain(&[value, Class::Row], Why::Size, at);
        }
        value.within(1, at)
    }

    fn reshaped(&self, array: &Atom, rank: usize, sizes: &[Size], at: Option<Span>) -> Class<'p> {
        let keeps_rows = sizes.first().is_some_and(|it| self.is_rows(it))
            && !sizes.iter().skip(1).any(|it| self.varies(it));
        let varies = sizes.iter().any(|it| self.varies_by_part(it));
        self.atom(array).each(&mut |it| match it {
            Class::Rows(0) if keeps_rows => Class::Rows(0),
            Class::Mixed(_) => it.clone(),
            _ if varies => Class::mixed(Why::Size, at),
            Class::Rows(axis) if *axis >= rank => Class::Rows(axis - rank + sizes.len()),
            Class::Rows(_) => Class::mixed(Why::Order, at),
            it => it.clone(),
        })
    }
}

fn index<'p>(array: &Class<'p>, indices: &[Class<'p>], at: Option<Span>) -> Class<'p> {
    let whole = indices.iter().all(Class::is_whole);
    match array {
        Class::Rows(axis) if *axis < indices.len() => {
            let others = indices.iter().enumerate().filter(|(i, _)| i != axis);
            let is_at_hand = indices.get(*axis) == Some(&Class::Number);
            match is_at_hand && others.map(|it| it.1).all(Class::is_row) {
                true => Class::Row,
                false => {
                    let mut all = indices.to_vec();
                    all.retain(|it| *it != Class::Number);
                    all.push(array.clone());
                    plain(&all, Why::OtherRow, at)
                }
            }
        }
        Class::Rows(axis) if whole => Class::Rows(axis - indices.len()),
        Class::Sum | Class::Zero if whole => array.clone(),
        _ => {
            let mut all = indices.to_vec();
            all.push(array.clone());
            plain(&all, Why::OtherRow, at)
        }
    }
}

fn reduced<'p>(
    reduction: Reduction,
    axis: usize,
    array: &Class<'p>,
    at: Option<Span>,
) -> Class<'p> {
    let is_sum = reduction == Reduction::Sum;
    match array {
        Class::Rows(rows) if *rows != axis => Class::Rows(rows - usize::from(axis < *rows)),
        Class::Rows(_) | Class::Sum if is_sum => Class::Sum,
        Class::Zero if is_sum => Class::Zero,
        it => plain(std::slice::from_ref(it), Why::Reduction(reduction), at),
    }
}

/// Rows of what is the same for all parts, by numbers that are rows: rows again.
fn gathered<'p>(array: &Class<'p>, by: &[Class<'p>], at: Option<Span>) -> Class<'p> {
    let are_rows = by.iter().all(|it| it.is_whole() || *it == Class::Rows(0));
    match array {
        it if it.is_whole() && are_rows && by.contains(&Class::Rows(0)) => Class::Rows(0),
        Class::Sum | Class::Zero if by.iter().all(Class::is_whole) => array.clone(),
        it => {
            let mut all = by.to_vec();
            all.push(it.clone());
            plain(&all, Why::OtherRow, at)
        }
    }
}

/// Rows that are added into zeros, or into a sum, are a sum.
fn scattered<'p>(
    into: &Class<'p>,
    by: &[Class<'p>],
    values: &Class<'p>,
    at: Option<Span>,
) -> Class<'p> {
    let all_rows = by.iter().chain([values]).all(|it| *it == Class::Rows(0));
    let whole = by.iter().all(Class::is_whole);
    match (into, values) {
        (Class::Zero | Class::Sum, _) if all_rows => Class::Sum,
        (Class::Zero | Class::Sum, Class::Zero | Class::Sum) if whole => Class::Sum,
        (Class::State(_), it) if it.is_row() && by.iter().all(Class::is_row) => into.clone(),
        (it, _) if all_rows && it.is_whole() => Class::mixed(Why::Constant, at),
        _ => {
            let mut all = by.to_vec();
            all.extend([into.clone(), values.clone()]);
            plain(&all, Why::OtherRow, at)
        }
    }
}
