//! Functions: calls of definitions, functions in place, derivatives.

use std::rc::Rc;

use base::{Name, Span};
use ir::{Atom, Lambda, Size};

use super::Why;
use super::class::{Class, Closure, plain};
use super::walk::Walk;

impl<'p> Walk<'p> {
    pub(super) fn closure(&self, lambda: &'p Lambda) -> Class<'p> {
        match &self.frame {
            Some(frame) => Class::Function(Rc::new(Closure { lambda, frame: frame.clone() })),
            None => Class::mixed(Why::Other, None),
        }
    }

    /// A call of a definition. One that sees the row at hand only need not be looked at.
    pub(super) fn call(
        &mut self,
        def: &'p Name,
        sizes: &[Size],
        args: Vec<Class<'p>>,
        at: Option<Span>,
    ) -> Vec<Class<'p>> {
        let Some(def) = self.program.defs.get(def) else {
            return vec![Class::mixed(Why::Function, at)];
        };
        let is_plain = !sizes.iter().any(|it| self.varies_by_part(it));
        if is_plain && args.iter().all(Class::is_row) {
            return vec![plain(&args, Why::Function, at); def.results.len()];
        }
        let size = |it: &Size| {
            if self.is_rows(it) {
                Class::Sum
            } else if !self.varies(it) {
                Class::Whole
            } else if !self.varies_by_part(it) {
                Class::Row
            } else {
                Class::mixed(Why::Size, at)
            }
        };
        let sizes = sizes.iter().map(size).collect();
        let found = self.enter(def, sizes, args);
        found.iter().map(|it| seen_from(it, at)).collect()
    }

    /// A call of a function value.
    pub(super) fn apply(
        &mut self,
        function: &Class<'p>,
        args: Vec<Class<'p>>,
        at: Option<Span>,
    ) -> Class<'p> {
        if function.is_row() && args.iter().all(Class::is_row) {
            let mut all = args;
            all.push(function.clone());
            return plain(&all, Why::Function, at);
        }
        let Class::Function(closure) = function else {
            return plain(&[function.clone(), Class::Sum], Why::Function, at);
        };
        let mut frame = closure.frame.clone();
        // The row at hand may be another than that of the place where the function was written.
        frame.known.extend(closure.lambda.params.iter().map(|it| it.var).zip(args));
        let found = self.inside(frame, &closure.lambda.body);
        match found.first() {
            Some(it) => seen_from(it, at),
            None => Class::mixed(Why::Function, at),
        }
    }

    /// A derivative by what is the same for all parts: that of a sum is the sum of derivatives.
    pub(super) fn derivative(
        &mut self,
        function: &Atom,
        args: &[Atom],
        at: Option<Span>,
    ) -> Class<'p> {
        let (function, args) = (self.atom(function), self.all(args));
        if function.is_row() && args.iter().all(Class::is_row) {
            let mut all = args;
            all.push(function);
            return plain(&all, Why::Function, at);
        }
        let Class::Function(closure) = &function else {
            return plain(&[function, Class::Sum], Why::Function, at);
        };
        if !args.iter().all(Class::is_whole) {
            return Class::mixed(Why::Function, at);
        }
        let params = vec![Class::Whole; closure.lambda.params.len()];
        match self.apply(&function, params, at) {
            Class::Mixed(blame) => Class::Mixed(blame),
            found => {
                let mut leaves = Vec::new();
                found.leaves(&mut leaves);
                match leaves.iter().all(|it| matches!(it, Class::Sum | Class::Zero)) {
                    true => Class::Sum,
                    false => Class::mixed(Why::Function, at),
                }
            }
        }
    }
}

/// What a call gives: whoever mixes inside of it was called from here.
fn seen_from<'p>(class: &Class<'p>, at: Option<Span>) -> Class<'p> {
    class.each(&mut |it| match it {
        Class::Mixed(blame) => {
            let mut blame = blame.clone();
            blame.at.push(at);
            Class::Mixed(blame)
        }
        it => it.clone(),
    })
}
