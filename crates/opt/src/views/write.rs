//! The worker, and the wrapper that calls it with the whole of each array.

use std::collections::{BTreeMap, BTreeSet};

use base::{Name, Span};
use ir::{
    ArrayOp, Atom, Binder, Block, ControlOp, Def, FunctionOp, Op, Prim, Size, Spans, Stmt, Type,
    Var, walk,
};

use super::find::{Kept, Parts};
use super::shape::{Axis, Positions, shape};

/// A definition that calls the worker, and the worker.
pub(super) fn split(def: &Def, worker: &Name, parts: &Parts) -> (Def, Def) {
    let mut writer = Writer::new(def, worker, parts);
    let params = writer.params();
    let body = writer.block(&def.body);
    let made = Def {
        name: worker.clone(),
        size_params: def.size_params.iter().chain(&writer.sizes()).copied().collect(),
        params,
        body,
        next_var: writer.next_var,
        spans: Spans(std::mem::take(&mut writer.spans)),
        ..def.clone()
    };
    (writer.wrapper(), made)
}

/// Where the elements along an axis are.
#[derive(Clone)]
enum Place {
    /// So far from where their indices say.
    Shift(Atom),
    /// In a list.
    List(Atom),
}

/// An array that is a part of another.
#[derive(Clone)]
struct Seen {
    /// The position of the parameter.
    at: usize,
    /// The positions of the leading axes that an element is at already.
    fixed: Vec<Atom>,
    /// The others.
    axes: Vec<(Place, Size)>,
}

/// The array that the first call was made with.
struct Whole {
    array: Var,
    sizes: Vec<Var>,
}

struct Writer<'a> {
    def: &'a Def,
    worker: &'a Name,
    parts: &'a Parts,
    next_var: u32,
    spans: BTreeMap<Var, Span>,
    wholes: BTreeMap<usize, Whole>,
    seen: BTreeMap<Var, Seen>,
}

impl<'a> Writer<'a> {
    fn new(def: &'a Def, worker: &'a Name, parts: &'a Parts) -> Writer<'a> {
        let spans = def.spans.0.clone();
        let (wholes, seen) = (BTreeMap::new(), BTreeMap::new());
        Writer { def, worker, parts, next_var: def.next_var, spans, wholes, seen }
    }

    fn fresh(&mut self, span: Option<Span>) -> Var {
        let var = Var(self.next_var);
        self.next_var += 1;
        if let Some(span) = span {
            self.spans.insert(var, span);
        }
        var
    }

    fn span(&self, var: Var) -> Option<Span> {
        self.spans.get(&var).copied()
    }

    /// The parameters of the worker.
    fn params(&mut self) -> Vec<Binder> {
        let mut params = Vec::new();
        for (at, param) in self.def.params.iter().enumerate() {
            let Some(kept) = self.parts.params.get(&at) else {
                params.push(param.clone());
                continue;
            };
            let (sizes, elem) = param.ty.split_arrays();
            let whole = Whole {
                array: self.fresh(None),
                sizes: sizes.iter().map(|_| self.fresh(None)).collect(),
            };
            let own: Vec<Size> = whole.sizes.iter().map(|it| Size::var(*it)).collect();
            params.push(Binder { var: whole.array, ty: Type::arrays(&own, elem.clone()) });
            let mut axes = Vec::new();
            for (size, kept) in sizes.iter().zip(kept) {
                let var = self.fresh(None);
                let (ty, place) = match kept {
                    Kept::Shift => (Type::Int, Place::Shift(Atom::Var(var))),
                    Kept::List => (list(size), Place::List(Atom::Var(var))),
                };
                params.push(Binder { var, ty });
                axes.push((place, size.clone()));
            }
            self.wholes.insert(at, whole);
            self.seen.insert(param.var, Seen { at, fixed: Vec::new(), axes });
        }
        params
    }

    /// The sizes of the arrays that calls share.
    fn sizes(&self) -> Vec<Var> {
        self.wholes.values().flat_map(|it| it.sizes.clone()).collect()
    }

    /// A definition of the old name and type.
    fn wrapper(&self) -> Def {
        let mut next_var = self.def.next_var;
        let mut fresh = || {
            next_var += 1;
            Var(next_var - 1)
        };
        let (mut stmts, mut args) = (Vec::new(), Vec::new());
        let mut sizes: Vec<Size> = self.def.size_params.iter().map(|it| Size::var(*it)).collect();
        for (at, param) in self.def.params.iter().enumerate() {
            args.push(Atom::Var(param.var));
            let Some(kept) = self.parts.params.get(&at) else { continue };
            for (size, kept) in param.ty.split_arrays().0.iter().zip(kept) {
                sizes.push(size.clone());
                if *kept == Kept::Shift {
                    args.push(Atom::Int(0));
                    continue;
                }
                let all = Binder { var: fresh(), ty: list(size) };
                args.push(Atom::Var(all.var));
                stmts.push(Stmt { binders: vec![all], op: ArrayOp::Iota(size.clone()).into() });
            }
        }
        let results = self.def.results.iter();
        let binders: Vec<Binder> =
            results.map(|it| Binder { var: fresh(), ty: it.ty.clone() }).collect();
        let results = binders.iter().map(|it| Atom::Var(it.var)).collect();
        let (def, types) = (self.worker.clone(), Vec::new());
        let op = FunctionOp::Call { def, types, sizes, args }.into();
        stmts.push(Stmt { binders, op });
        let body = Block { stmts, results };
        Def { body, next_var, spans: Spans::default(), ..self.def.clone() }
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for stmt in &block.stmts {
            self.stmt(stmt, &mut stmts);
        }
        Block { stmts, results: block.results.clone() }
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let sizes_of = |it: Var| -> Option<Vec<Size>> {
            let seen = self.seen.get(&it).filter(|it| it.fixed.is_empty())?;
            Some(seen.axes.iter().map(|it| it.1.clone()).collect())
        };
        if let Some(found) = shape(stmt, &sizes_of, &self.parts.bounds) {
            let source = self.seen[&found.source].clone();
            let seen = self.part(&source, &found.axes, stmt, out);
            self.seen.insert(stmt.binders[0].var, seen);
            return;
        }
        if let Op::Array(ArrayOp::Index { array: Atom::Var(array), indices }) = &stmt.op
            && self.seen.contains_key(array)
        {
            let seen = self.seen[array].clone();
            self.read(seen, indices, stmt, out);
        } else if let Op::Function(FunctionOp::Call { def, types, sizes, args }) = &stmt.op
            && *def == self.def.name
        {
            let mut sizes = sizes.clone();
            sizes.extend(self.sizes().into_iter().map(Size::var));
            let args = args.iter().enumerate().flat_map(|(at, it)| self.arg(at, it)).collect();
            let (def, types) = (self.worker.clone(), types.clone());
            let op = FunctionOp::Call { def, types, sizes, args }.into();
            out.push(Stmt { binders: stmt.binders.clone(), op });
        } else {
            let op = walk::map_blocks(&stmt.op, &mut |_, it| self.block(it));
            out.push(Stmt { binders: stmt.binders.clone(), op });
        }
    }

    /// What the worker gets for an argument.
    fn arg(&self, at: usize, arg: &Atom) -> Vec<Atom> {
        let Some(whole) = self.wholes.get(&at) else { return vec![arg.clone()] };
        let Atom::Var(var) = arg else { return vec![arg.clone()] };
        let places = self.seen[var].axes.iter().map(|(place, _)| match place {
            Place::Shift(atom) | Place::List(atom) => atom.clone(),
        });
        [Atom::Var(whole.array)].into_iter().chain(places).collect()
    }

    /// An element of a part, or a row of it.
    fn read(&mut self, mut seen: Seen, indices: &[Atom], stmt: &Stmt, out: &mut Vec<Stmt>) {
        let var = stmt.binders[0].var;
        let span = self.span(var);
        for (index, (place, size)) in indices.iter().zip(seen.axes.drain(..indices.len())) {
            let at = self.position(&place, &size, index, span, out);
            seen.fixed.push(at);
        }
        if !seen.axes.is_empty() {
            self.seen.insert(var, seen);
            return;
        }
        let array = Atom::Var(self.wholes[&seen.at].array);
        let op = ArrayOp::Index { array, indices: seen.fixed }.into();
        out.push(Stmt { binders: stmt.binders.clone(), op });
    }

    /// Where the element of an index is; the index is compared with the size of the part.
    fn position(
        &mut self,
        place: &Place,
        size: &Size,
        index: &Atom,
        span: Option<Span>,
        out: &mut Vec<Stmt>,
    ) -> Atom {
        let indices = vec![index.clone()];
        match place {
            Place::List(list) => {
                let array = list.clone();
                self.emit(ArrayOp::Index { array, indices }.into(), Type::Int, span, out)
            }
            Place::Shift(shift) => {
                let array = self.emit(ArrayOp::Iota(size.clone()).into(), list(size), span, out);
                let op = ArrayOp::Index { array, indices }.into();
                let within = self.emit(op, Type::Int, span, out);
                match index {
                    // It depends on no loop, so that nobody keeps it for each step of one.
                    Atom::Int(_) => self.sum(Prim::Add, shift, index, span, out),
                    Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => {
                        self.sum(Prim::Add, &within, shift, span, out)
                    }
                }
            }
        }
    }

    fn emit(&mut self, op: Op, ty: Type, span: Option<Span>, out: &mut Vec<Stmt>) -> Atom {
        let var = self.fresh(span);
        out.push(Stmt { binders: vec![Binder { var, ty }], op });
        Atom::Var(var)
    }

    fn sum(
        &mut self,
        prim: Prim,
        x: &Atom,
        y: &Atom,
        span: Option<Span>,
        out: &mut Vec<Stmt>,
    ) -> Atom {
        if *y == Atom::Int(0) {
            return x.clone();
        }
        self.emit(Op::Prim(prim, vec![x.clone(), y.clone()]), Type::Int, span, out)
    }

    /// A part of a part.
    fn part(&mut self, source: &Seen, axes: &[Axis], stmt: &Stmt, out: &mut Vec<Stmt>) -> Seen {
        let mut checked = BTreeSet::new();
        let mut made = Vec::new();
        for ((place, size), axis) in source.axes.iter().zip(axes) {
            made.push(match axis {
                Axis::Same => (place.clone(), size.clone()),
                Axis::Slice { from, to } => self.slice((place, size), (from, to), stmt, out),
                Axis::At(at) => self.moved((place, size), at, &mut checked, stmt, out),
            });
        }
        Seen { at: source.at, fixed: Vec::new(), axes: made }
    }

    fn slice(
        &mut self,
        (place, size): (&Place, &Size),
        (from, to): (&Size, &Size),
        stmt: &Stmt,
        out: &mut Vec<Stmt>,
    ) -> (Place, Size) {
        let span = self.span(stmt.binders[0].var);
        let left = to.sub(from);
        let array = match place {
            Place::List(list) => list.clone(),
            // Nobody reads it: it is there to fail.
            Place::Shift(_) => self.emit(ArrayOp::Iota(size.clone()).into(), list(size), span, out),
        };
        let op = ArrayOp::Slice { array, axis: 0, from: from.clone(), to: to.clone() };
        let cut = self.emit(op.into(), list(&left), span, out);
        let Place::Shift(shift) = place else { return (Place::List(cut), left) };
        let by = match from.as_constant() {
            Some(value) => Atom::Int(value),
            None => self.emit(Op::Size(from.clone()), Type::Int, span, out),
        };
        (Place::Shift(self.sum(Prim::Add, shift, &by, span, out)), left)
    }

    fn moved(
        &mut self,
        (place, size): (&Place, &Size),
        at: &Positions,
        checked: &mut BTreeSet<Size>,
        stmt: &Stmt,
        out: &mut Vec<Stmt>,
    ) -> (Place, Size) {
        let span = self.span(stmt.binders[0].var);
        let Place::Shift(shift) = place else {
            let composed = self.positions(place, size, at, span, out);
            checked.insert(at.size.clone());
            return (Place::List(composed), at.size.clone());
        };
        if checked.insert(at.size.clone()) {
            // Nobody reads it: it is there to fail if that is negative.
            self.emit(ArrayOp::Iota(at.size.clone()).into(), list(&at.size), span, out);
        }
        let by = at.shift.as_deref().expect("an axis that is kept by a shift moves by one");
        let mut sum = shift.clone();
        for (prim, by) in by {
            sum = self.sum(*prim, &sum, by, span, out);
        }
        (Place::Shift(sum), at.size.clone())
    }

    /// The list of the positions of all elements along an axis.
    fn positions(
        &mut self,
        place: &Place,
        size: &Size,
        at: &Positions,
        span: Option<Span>,
        out: &mut Vec<Stmt>,
    ) -> Atom {
        let mut names = BTreeMap::new();
        let index = self.fresh(self.span(at.index));
        names.insert(at.index, index);
        let body = Block { stmts: at.stmts.clone(), results: vec![at.at.clone()] };
        for var in walk::bound_vars(&body) {
            let fresh = self.fresh(self.span(var));
            names.insert(var, fresh);
        }
        let mut body = walk::rename_block(&body, &mut |it| *names.get(&it).unwrap_or(&it));
        let position = body.results.remove(0);
        let found = self.position(place, size, &position, self.span(at.read), &mut body.stmts);
        body.results.push(found);
        let op = ControlOp::Build { sizes: vec![at.size.clone()], indices: vec![index], body };
        self.emit(op.into(), list(&at.size), span, out)
    }
}

/// The type of a list of positions.
fn list(size: &Size) -> Type {
    Type::array(size.clone(), Type::Int)
}
