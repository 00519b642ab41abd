//! Functions of which one is chosen when the program runs: defunctionalisation.
//!
//! `f = if c { x => x * a } else { x => x + b }` becomes a value of a sum type with one constructor for
//! each of the functions, whose fields are what it captured:
//! `f = if c { Choice_1_0(a) } else { Choice_1_1(b) }`, and `f(y)` becomes
//! `match f { Choice_1_0(a) { y * a } Choice_1_1(b) { y + b } }`.
//!
//! Paper: Reynolds, Definitional interpreters for higher-order programming languages, 1972; here with
//! one sum type for each set of functions that can arrive at one place.

use std::collections::BTreeSet;
use std::rc::Rc;

use base::{Mark, Name};
use ir::{Arm, Atom, Binder, ConDecl, ControlOp, DataDecl, Op, Size, Type, Var};

use super::body::Body;
use super::control::Branch;
use super::value::{Chosen, Closure, Exact, Shape, Value, substitute};
use super::{Reason, Result};

/// A sum type of functions.
pub(super) struct Choice {
    name: Name,
    /// It has so many size parameters: the variables from 0 on.
    n_sizes: u32,
    alternatives: Vec<Alternative>,
}

/// One of its functions.
#[derive(Clone)]
struct Alternative {
    shape: Shape,
    /// The function; its leaves are the fields, numbered after the size parameters.
    function: Value,
    fields: Vec<Type>,
}

impl Choice {
    pub(super) fn n_alternatives(&self) -> usize {
        self.alternatives.len()
    }

    fn ty(&self, sizes: &[Size]) -> Type {
        Type::Data(self.name.clone(), Vec::new(), sizes.to_vec())
    }

    /// The first of its functions.
    pub(super) fn first(&self) -> &Value {
        &self.alternatives[0].function
    }

    fn con(&self, at: usize) -> Name {
        con_of(&self.name, at)
    }
}

/// The constructor of the alternative with this number.
fn con_of(choice: &Name, at: usize) -> Name {
    choice.with(Mark::Instance(at as u32))
}

impl Body<'_, '_> {
    /// Makes the results of several blocks agree: where they are different functions, each block
    /// gives a value of a sum type.
    pub(super) fn agree(&mut self, blocks: &mut [Branch], values: &mut [Vec<Value>]) -> Result<()> {
        for at in 0..values.first().map_or(0, Vec::len) {
            let column: Vec<Value> = values.iter().map(|it| it[at].clone()).collect();
            let agreed = self.agree_on(blocks, column)?;
            values.iter_mut().zip(agreed).for_each(|(it, value)| it[at] = value);
        }
        Ok(())
    }

    fn agree_on(&mut self, blocks: &mut [Branch], column: Vec<Value>) -> Result<Vec<Value>> {
        if let Some(columns) = parts(&column) {
            let columns: Result<Vec<Vec<Value>>> =
                columns.into_iter().map(|it| self.agree_on(blocks, it)).collect();
            let columns = columns?;
            let row = |at: usize| columns.iter().map(|it| it[at].clone()).collect();
            return Ok((0..column.len()).map(|at| Value::Tuple(row(at))).collect());
        }
        let is_function = |it: &Value| matches!(it, Value::Closure(_) | Value::Chosen(_));
        if !column.iter().all(is_function) || self.same_shape(&column) {
            return Ok(column);
        }
        let (choice, exact) = self.choose(&column)?;
        let sizes: Vec<Size> = exact.0.iter().map(|it| Size::var(*it)).collect();
        let mut res = Vec::new();
        for ((_, block), value) in blocks.iter_mut().zip(&column) {
            let empty = ir::Block { stmts: Vec::new(), results: Vec::new() };
            self.builder.reopen(std::mem::replace(block, empty));
            let atom = self.inject(value, choice, &sizes, &exact)?;
            *block = self.builder.close(Vec::new());
            res.push(Value::Chosen(Chosen { choice, sizes: sizes.clone(), atom }));
        }
        Ok(res)
    }

    fn same_shape(&self, column: &[Value]) -> bool {
        let type_of = |atom: &Atom| self.builder.type_of(atom);
        let mut exact = Exact::default();
        column.iter().for_each(|it| exact.add_value(it, &type_of));
        let mut shapes = column.iter().map(|it| exact.shape(it, &type_of, &|_| None));
        let first = shapes.next();
        shapes.all(|it| Some(it) == first)
    }

    /// The sum type for functions, and the variables that are its arguments.
    fn choose(&mut self, functions: &[Value]) -> Result<(usize, Exact)> {
        let type_of = |atom: &Atom| self.builder.type_of(atom);
        let mut exact = Exact::default();
        functions.iter().for_each(|it| exact.add_value(it, &type_of));
        let mut alternatives: Vec<Alternative> = Vec::new();
        for function in functions {
            let found = match function {
                Value::Chosen(chosen) => self.moved(chosen, &exact),
                Value::Atom(_) | Value::Size(_) | Value::Tuple(_) | Value::Closure(_) => {
                    vec![alternative(function, &exact, &type_of)]
                }
                Value::Tangent(_) => vec![alternative(function, &exact, &type_of)],
            };
            for it in found {
                if !alternatives.iter().any(|other| other.shape == it.shape) {
                    alternatives.push(it);
                }
            }
        }
        let key: Vec<Shape> = alternatives.iter().map(|it| it.shape.clone()).collect();
        if let Some(choice) = self.spec.known_choices.get(&key) {
            return Ok((*choice, exact));
        }
        for ty in alternatives.iter().flat_map(|it| &it.fields) {
            self.allow(ty)?;
        }
        self.spec.known_choices.insert(key, self.spec.choices.len());
        let choice = self.declare(exact.0.len() as u32, alternatives);
        self.spec.choices.push(choice);
        Ok((self.spec.choices.len() - 1, exact))
    }

    fn declare(&mut self, n_sizes: u32, alternatives: Vec<Alternative>) -> Choice {
        let datas = &self.spec.output.datas;
        let cons: BTreeSet<&Name> =
            datas.values().flat_map(|it| &it.cons).map(|it| &it.name).collect();
        let is_taken = |name: &Name| {
            let mut own = (0..alternatives.len()).map(|at| con_of(name, at));
            datas.contains_key(name) || own.any(|it| cons.contains(&it))
        };
        let mut names = (1..).map(|number| Name::from(format!("Choice_{number}")));
        let name = names.find(|it| !is_taken(it)).expect("numbers do not end");
        let choice = Choice { name: name.clone(), n_sizes, alternatives };
        let cons = choice.alternatives.iter().enumerate();
        let cons = cons.map(|(at, it)| {
            let (name, sizes) = (choice.con(at), Vec::new());
            ConDecl { name, sizes, fields: it.fields.clone() }
        });
        let decl = DataDecl {
            name: name.clone(),
            type_params: Vec::new(),
            size_params: (0..n_sizes).map(Var).collect(),
            cons: cons.collect(),
        };
        self.spec.output.datas.insert(name, decl);
        choice
    }

    /// The alternatives of a value, for a sum type with other size parameters.
    fn moved(&self, chosen: &Chosen, exact: &Exact) -> Vec<Alternative> {
        let choice = &self.spec.choices[chosen.choice];
        let inside = |size: &Size| substitute(size, &|var| exact.number(var));
        let sizes = |var: Var| chosen.sizes.get(var.0 as usize).map(inside);
        let shift = |var: Var| Var(var.0 - choice.n_sizes + exact.0.len() as u32);
        let alternatives = choice.alternatives.iter();
        alternatives
            .map(|it| Alternative {
                shape: it.shape.substitute(&sizes),
                function: with_fields(&it.function, choice.n_sizes, &sizes, &|var| {
                    Atom::Var(shift(var))
                }),
                fields: it.fields.iter().map(|it| it.substitute_sizes(&sizes)).collect(),
            })
            .collect()
    }

    /// A function as a value of a sum type that has it.
    fn inject(
        &mut self,
        function: &Value,
        choice: usize,
        sizes: &[Size],
        exact: &Exact,
    ) -> Result<Atom> {
        let type_of = |atom: &Atom| self.builder.type_of(atom);
        let Value::Chosen(chosen) = function else {
            let shape = alternative(function, exact, &type_of).shape;
            let args = exact.leaves(function);
            return self.construct(choice, sizes, &shape, args);
        };
        if chosen.choice == choice && chosen.sizes == sizes {
            return Ok(chosen.atom.clone());
        }
        let moved = self.moved(chosen, exact);
        let mut arms = Vec::new();
        for (at, it) in moved.iter().enumerate() {
            let fields = self.fields(chosen, at);
            self.builder.open();
            let args = fields.iter().map(|it| Atom::Var(it.var)).collect();
            let result = self.construct(choice, sizes, &it.shape, args)?;
            let con = self.spec.choices[chosen.choice].con(at);
            arms.push(Arm { con, fields, body: self.builder.close(vec![result]) });
        }
        self.one(Op::Control(ControlOp::Match {
            value: chosen.atom.clone(),
            arms,
            otherwise: None,
        }))
    }

    fn construct(
        &mut self,
        choice: usize,
        sizes: &[Size],
        shape: &Shape,
        args: Vec<Atom>,
    ) -> Result<Atom> {
        let choice = &self.spec.choices[choice];
        let at = choice.alternatives.iter().position(|it| it.shape == *shape);
        let Some(at) = at else { return self.leave(Reason::ChosenFunction) };
        let (ty, con) = (choice.ty(sizes), choice.con(at));
        self.one(Op::Con { ty, con, args })
    }

    /// New variables for what an alternative captured.
    fn fields(&mut self, chosen: &Chosen, at: usize) -> Vec<Binder> {
        let alternative = &self.spec.choices[chosen.choice].alternatives[at];
        let sizes = |var: Var| chosen.sizes.get(var.0 as usize).cloned();
        let types: Vec<Type> =
            alternative.fields.iter().map(|it| it.substitute_sizes(&sizes)).collect();
        let bind = |ty: Type| Binder { var: self.builder.fresh(ty.clone()), ty };
        types.into_iter().map(bind).collect()
    }

    /// Finds out which function it is, and applies that.
    pub(super) fn apply_chosen(&mut self, chosen: &Chosen, args: Vec<Value>) -> Result<Vec<Value>> {
        self.each_alternative(chosen, |body, closure| body.apply_arm(closure, args.clone()))
    }

    /// Finds out which function it is, and does something with that.
    pub(super) fn each_alternative(
        &mut self,
        chosen: &Chosen,
        mut arm: impl FnMut(&mut Self, Rc<Closure>) -> Result<Vec<Value>>,
    ) -> Result<Vec<Value>> {
        let before = self.builder.next_var();
        let count = self.spec.choices[chosen.choice].alternatives.len();
        let (mut blocks, mut values) = (Vec::new(), Vec::new());
        for at in 0..count {
            let fields = self.fields(chosen, at);
            let choice = &self.spec.choices[chosen.choice];
            let sizes = |var: Var| chosen.sizes.get(var.0 as usize).cloned();
            let field = |var: Var| Atom::Var(fields[(var.0 - choice.n_sizes) as usize].var);
            let function = &choice.alternatives[at].function;
            let function = with_fields(function, choice.n_sizes, &sizes, &field);
            let Value::Closure(closure) = function else {
                unreachable!("alternatives are functions")
            };
            self.builder.open();
            values.push(arm(self, closure)?);
            blocks.push((fields, self.builder.close(Vec::new())));
        }
        let (blocks, handed) = self.join(blocks, values, before)?;
        let choice = &self.spec.choices[chosen.choice];
        let arms = blocks.into_iter().enumerate();
        let arms = arms.map(|(at, (fields, body))| Arm { con: choice.con(at), fields, body });
        let arms = arms.collect();
        let results = self.emit(Op::Control(ControlOp::Match {
            value: chosen.atom.clone(),
            arms,
            otherwise: None,
        }))?;
        Ok(handed.rebuild(results))
    }
}

/// A function as an alternative of a sum type with these variables as size parameters.
fn alternative(function: &Value, exact: &Exact, type_of: &dyn Fn(&Atom) -> Type) -> Alternative {
    let number = |var: Var| exact.number(var);
    let n_sizes = exact.0.len() as u32;
    let mut fields = Vec::new();
    let mut leaf = |atom: &Atom| {
        fields.push(type_of(atom).substitute_sizes(&number));
        Atom::Var(Var(n_sizes + fields.len() as u32 - 1))
    };
    let shape = exact.shape(function, type_of, &number);
    let function = exact.rebuild(function, &mut leaf, &number);
    Alternative { shape, function, fields }
}

/// The function of an alternative with other sizes and other leaves.
fn with_fields(
    function: &Value,
    n_sizes: u32,
    sizes: &dyn Fn(Var) -> Option<Size>,
    field: &dyn Fn(Var) -> Atom,
) -> Value {
    let mut atom = |atom: &Atom| match atom {
        Atom::Var(var) if var.0 < n_sizes => {
            Value::size(&sizes(*var).unwrap_or_else(|| Size::var(*var)))
        }
        Atom::Var(var) => Value::Atom(field(*var)),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => Value::Atom(atom.clone()),
    };
    function.map(&mut atom, sizes)
}

/// The parts of tuples, by position, if all of them are tuples with functions inside.
fn parts(column: &[Value]) -> Option<Vec<Vec<Value>>> {
    let rows = column.iter().map(|it| match it {
        Value::Tuple(parts) => Some(parts),
        Value::Atom(_) | Value::Size(_) | Value::Closure(_) => None,
        Value::Chosen(_) | Value::Tangent(_) => None,
    });
    let rows = rows.collect::<Option<Vec<_>>>()?;
    let count = rows.first()?.len();
    Some((0..count).map(|at| rows.iter().map(|it| it[at].clone()).collect()).collect())
}
