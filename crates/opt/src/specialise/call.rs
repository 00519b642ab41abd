//! Calls: which instance is called, and with what.
//!
//! What an instance takes, in this order: as sizes, the variables that the types of its functions and
//! its type arguments mention (`Exact`), then its own size parameters; as parameters, the leaves of
//! its arguments. Its own sizes are made of the former if function types mention them: then what is
//! of equal size for the caller has to be so inside. Otherwise they are parameters as before, so that
//! a recursion over smaller and smaller arrays is one instance.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::Name;
use ir::{Atom, Binder, Def, FunctionOp, Op, Size, Stmt, Type, Var};

use super::body::{Body, Frame};
use super::derive::Instantiated;
use super::instance::{Code, Job, Key};
use super::residual::Place;
use super::tangent::Outline;
use super::value::{Closure, Exact, Shape, Value, substitute};
use super::{Reason, Result};
use crate::limits::{MAX_WEIGHT, type_weight};

/// A call, and the instance that it needs.
pub(super) struct Prepared {
    pub(super) key: Key,
    pub(super) job: Job,
    pub(super) sizes: Vec<Size>,
    pub(super) args: Vec<Atom>,
}

impl Body<'_, '_> {
    /// A call of a definition.
    pub(super) fn call(
        &mut self,
        def: &Name,
        types: &[Type],
        sizes: &[Size],
        args: &[Atom],
    ) -> Result<Vec<Value>> {
        let source = self.spec.source;
        let Some(def) = source.defs.get(def) else {
            return self.refuse(Reason::NoDefinition(def.clone()));
        };
        let types: Vec<Type> = types.iter().map(|it| self.frame.ty(it)).collect();
        let sizes: Vec<Size> = sizes.iter().map(|it| self.frame.size(it)).collect();
        let args = args.iter().map(|it| self.value(it)).collect();
        self.invoke(Code::Def(def.clone()), &types, &sizes, args)
    }

    /// A call of an instance, which is made if it does not exist.
    pub(super) fn invoke(
        &mut self,
        code: Code,
        types: &[Type],
        sizes: &[Size],
        args: Vec<Value>,
    ) -> Result<Vec<Value>> {
        let custom = match &code {
            Code::Def(def) if self.spec.source.customs.contains_key(&def.name) => Some(def.clone()),
            Code::Def(_) | Code::Lambda(_) | Code::Apply { .. } => None,
        };
        let takes_functions = args.iter().any(Value::is_static);
        // What a function remembers of a run is no part of what a clause sees.
        let args = match &custom {
            Some(_) => args.iter().map(Value::forgetful).collect(),
            None => args,
        };
        let prepared = self.prepare(code, types, sizes, args)?;
        let outline = custom.as_ref().filter(|_| takes_functions);
        let outline = outline.map(|def| Outline::new(def, &prepared));
        let Prepared { key, job, sizes, args } = prepared;
        let id = self.instance(key, job)?;
        match (custom, outline) {
            (Some(def), None) => self.carry(&def, types, id)?,
            (_, Some(outline)) => self.carry_functions(outline, id)?,
            (None, None) => {}
        }
        let instance = &self.spec.instances[id];
        let Some(returned) = instance.returned.clone() else { return self.unfinished(id) };
        let mut values: BTreeMap<Var, Value> = BTreeMap::new();
        values.extend(instance.size_params.iter().copied().zip(sizes.iter().map(Value::size)));
        values.extend(instance.params.iter().copied().zip(args.iter().cloned().map(Value::Atom)));
        let def = instance.name.clone();
        let mut binders = Vec::new();
        for binder in &returned.binders {
            let ty = binder.ty.substitute_sizes(&|var| values.get(&var)?.as_size());
            let var = self.builder.fresh(ty.clone());
            values.insert(binder.var, Value::Atom(Atom::Var(var)));
            binders.push(Binder { var, ty });
        }
        self.push(Stmt {
            binders,
            op: Op::Function(FunctionOp::Call { def, types: Vec::new(), sizes, args }),
        })?;
        let size_of = |var: Var| values.get(&var)?.as_size();
        let mut atom_of = |atom: &Atom| match atom {
            Atom::Var(var) => values.get(var).cloned().expect("a parameter or a result"),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => {
                Value::Atom(atom.clone())
            }
        };
        Ok(returned.values.iter().map(|it| it.map(&mut atom_of, &size_of)).collect())
    }

    /// Finds out which instance is called with what.
    fn prepare(
        &mut self,
        code: Code,
        types: &[Type],
        sizes: &[Size],
        mut args: Vec<Value>,
    ) -> Result<Prepared> {
        if types.iter().any(|it| type_weight(it) > MAX_WEIGHT) {
            return self.refuse(Reason::TooDeep);
        }
        if let Code::Def(def) = &code {
            for (at, arg) in args.iter_mut().enumerate().filter(|(_, it)| it.is_static()) {
                if self.spec.left.contains(&Place::Param(def.name.clone(), at)) {
                    *arg = Value::Atom(self.plain(arg)?);
                }
            }
        }
        let linked = match &code {
            Code::Def(def) => linked(def),
            Code::Lambda(_) | Code::Apply { .. } => BTreeSet::new(),
        };
        let exact = self.exact(&code, &linked, types, sizes, &args);
        // What comes with a derivative takes what the derivative takes, whatever is known of it.
        let is_custom = match &code {
            Code::Def(def) => self.spec.source.customs.contains_key(&def.name),
            Code::Lambda(_) | Code::Apply { .. } => false,
        };
        for (param, arg) in code.params().iter().zip(&mut args) {
            if let Value::Size(size) = arg
                && !linked.contains(&param.var)
                && (is_custom || !exact.covers(size))
            {
                *arg = Value::Atom(self.one(Op::Size(size.clone()))?);
            }
        }

        let mut callee = Callee::new(&code, exact, types);
        if let Code::Def(def) = &code {
            for (var, size) in def.size_params.iter().zip(sizes) {
                callee.own_size(*var, size, linked.contains(var));
            }
        }
        let type_of = |atom: &Atom| self.builder.type_of(atom);
        callee.enter(&code, &type_of);
        for (param, arg) in code.params().iter().zip(&args) {
            let is_known = |size: &Size| {
                linked.contains(&param.var) || !is_custom && callee.exact.covers(size)
            };
            let value = match (arg, arg.as_size().filter(is_known)) {
                (_, Some(size)) => callee.int(&size),
                (Value::Tuple(_) | Value::Closure(_), None)
                | (Value::Chosen(_) | Value::Tangent(_), None) => callee.function(arg, &type_of),
                (Value::Atom(atom), None) => {
                    let ty = callee.frame.ty(&param.ty);
                    self.allow(&ty)?;
                    callee.plain(atom, ty)
                }
                (Value::Size(_), None) => unreachable!("it has become an atom"),
            };
            callee.frame.env.insert(param.var, value);
        }
        Ok(callee.finish(code))
    }

    /// An instance of a function whose last parameters are those of the function, all of them.
    pub(super) fn instantiate(
        &mut self,
        closure: Rc<Closure>,
        args: &[Atom],
    ) -> Result<Instantiated> {
        let code = Code::Lambda(closure);
        // What is captured as a size of its type is handed on as one: it is no value that is
        // differentiated.
        let exact = self.exact(&code, &BTreeSet::new(), &[], &[], &[]);
        let mut callee = Callee::new(&code, exact, &[]);
        callee.enter(&code, &|atom| self.builder.type_of(atom));
        for (param, arg) in code.params().iter().zip(args) {
            let ty = callee.frame.ty(&param.ty);
            self.allow(&ty)?;
            let value = callee.plain(arg, ty);
            callee.frame.env.insert(param.var, value);
        }
        let Prepared { key, job, sizes, args: mut captured } = callee.finish(code);
        captured.truncate(captured.len() - args.len());
        let id = self.instance(key, job)?;
        let (def, result) = self.single_result(id)?;
        Ok(Instantiated { def, sizes, captured, result })
    }

    /// The name of an instance that is differentiated, and the type of its result.
    pub(super) fn single_result(&mut self, id: usize) -> Result<(Name, Type)> {
        let instance = &self.spec.instances[id];
        let def = instance.name.clone();
        let Some(returned) = &instance.returned else { return self.unfinished(id) };
        match (&*returned.binders, &*returned.values) {
            ([result], [Value::Atom(Atom::Var(var))]) if result.var == *var => {
                Ok((def, result.ty.clone()))
            }
            _ => self.refuse(Reason::LostSize("a derivative of a size".to_string())),
        }
    }

    /// The instance, which is made if it does not exist.
    pub(super) fn instance(&mut self, key: Key, job: Job) -> Result<usize> {
        match self.spec.known.get(&key) {
            Some(id) => Ok(*id),
            None => self.make(key, job),
        }
    }

    /// The variables that have to stay the same for the instance and its caller.
    fn exact(
        &self,
        code: &Code,
        linked: &BTreeSet<Var>,
        types: &[Type],
        sizes: &[Size],
        args: &[Value],
    ) -> Exact {
        let type_of = |atom: &Atom| self.builder.type_of(atom);
        let mut exact = Exact::default();
        types.iter().for_each(|it| exact.add_type(it));
        match code {
            Code::Def(def) => {
                let sizes = def.size_params.iter().zip(sizes);
                sizes.filter(|it| linked.contains(it.0)).for_each(|it| exact.add_size(it.1));
            }
            Code::Lambda(closure) => exact.add_value(&Value::Closure(closure.clone()), &type_of),
            Code::Apply { .. } => {}
        }
        for (param, arg) in code.params().iter().zip(args) {
            match arg.as_size() {
                Some(size) if linked.contains(&param.var) => exact.add_size(&size),
                Some(_) => {}
                None if arg.is_static() => exact.add_value(arg, &type_of),
                None => {}
            }
        }
        exact
    }
}

/// An instance while it is found out what it takes: its inside, its key and the call.
pub(super) struct Callee {
    pub(super) exact: Exact,
    types: Vec<Type>,
    pub(super) frame: Frame,
    size_params: Vec<Var>,
    params: Vec<Binder>,
    own_sizes: Vec<Option<Size>>,
    shapes: Vec<Shape>,
    sizes: Vec<Size>,
    pub(super) args: Vec<Atom>,
}

impl Callee {
    pub(super) fn new(code: &Code, exact: Exact, types: &[Type]) -> Callee {
        let types: Vec<Type> =
            types.iter().map(|it| it.substitute_sizes(&|var| exact.number(var))).collect();
        let frame = match code {
            Code::Def(def) => {
                let types = def.type_params.iter().cloned().zip(types.iter().cloned()).collect();
                Frame { origin: def.clone(), types: Rc::new(types), env: BTreeMap::new() }
            }
            Code::Lambda(closure) => Frame::of(closure),
            Code::Apply { origin, .. } => {
                Frame { origin: origin.clone(), types: Rc::default(), env: BTreeMap::new() }
            }
        };
        Callee {
            types,
            frame,
            size_params: (0..exact.0.len() as u32).map(Var).collect(),
            params: Vec::new(),
            own_sizes: Vec::new(),
            shapes: Vec::new(),
            sizes: exact.0.iter().map(|it| Size::var(*it)).collect(),
            args: Vec::new(),
            exact,
        }
    }

    /// Variables of an instance are numbered from 0: sizes, then parameters.
    fn next_var(&self) -> u32 {
        (self.size_params.len() + self.params.len()) as u32
    }

    fn inside(&self, size: &Size) -> Size {
        substitute(size, &|var| self.exact.number(var))
    }

    /// A size parameter of the definition.
    fn own_size(&mut self, var: Var, size: &Size, is_linked: bool) {
        let known = is_linked.then(|| self.inside(size));
        let value = match &known {
            Some(size) => Value::size(size),
            None => {
                let param = Var(self.next_var());
                self.size_params.push(param);
                self.sizes.push(size.clone());
                Value::Atom(Atom::Var(param))
            }
        };
        self.own_sizes.push(known);
        self.frame.env.insert(var, value);
    }

    /// The inside of a function, with what it captured.
    fn enter(&mut self, code: &Code, type_of: &dyn Fn(&Atom) -> Type) {
        let Code::Lambda(closure) = code else { return };
        let Value::Closure(inside) = self.function(&Value::Closure(closure.clone()), type_of)
        else {
            unreachable!("a function is rebuilt as one")
        };
        self.frame = Frame::of(&inside);
    }

    /// An argument with functions in it.
    pub(super) fn function(&mut self, value: &Value, type_of: &dyn Fn(&Atom) -> Type) -> Value {
        let exact = std::mem::take(&mut self.exact);
        let number = |var: Var| exact.number(var);
        self.shapes.push(exact.shape(value, type_of, &number));
        let mut leaf = |atom: &Atom| self.param(atom, type_of(atom).substitute_sizes(&number));
        let inside = exact.rebuild(value, &mut leaf, &number);
        self.exact = exact;
        inside
    }

    /// An argument that is a size known to both.
    fn int(&mut self, size: &Size) -> Value {
        let size = self.inside(size);
        self.shapes.push(Shape::Size(size.clone()));
        Value::size(&size)
    }

    /// Any other argument.
    fn plain(&mut self, atom: &Atom, ty: Type) -> Value {
        self.shapes.push(Shape::Plain);
        Value::Atom(self.param(atom, ty))
    }

    /// An argument of a type of the caller.
    pub(super) fn leaf(&mut self, atom: &Atom, ty: Type) -> Value {
        let ty = ty.substitute_sizes(&|var| self.exact.number(var));
        self.shapes.push(Shape::Leaf(ty.clone()));
        Value::Atom(self.param(atom, ty))
    }

    fn param(&mut self, arg: &Atom, ty: Type) -> Atom {
        let var = Var(self.next_var());
        self.params.push(Binder { var, ty });
        self.args.push(arg.clone());
        Atom::Var(var)
    }

    pub(super) fn finish(self, code: Code) -> Prepared {
        let next_var = self.next_var();
        let (def, args) = match &code {
            Code::Def(def) => (Some(def.name.clone()), self.shapes),
            Code::Lambda(_) => (None, self.shapes),
            Code::Apply { .. } => (None, vec![Shape::Tuple(self.shapes)]),
        };
        let key = Key { def, types: self.types, sizes: self.own_sizes, args };
        let job = Job::new(code, self.frame, self.size_params, self.params, next_var);
        Prepared { key, job, sizes: self.sizes, args: self.args }
    }
}

/// The variables of a definition that its function types mention as sizes.
fn linked(def: &Def) -> BTreeSet<Var> {
    fn collect(ty: &Type, res: &mut BTreeSet<Var>) {
        if matches!(ty, Type::Function(..)) {
            res.extend(ty.size_vars());
        } else {
            ty.parts().into_iter().for_each(|it| collect(it, res));
        }
    }
    let mut res = BTreeSet::new();
    def.params.iter().chain(&def.results).for_each(|it| collect(&it.ty, &mut res));
    res
}
