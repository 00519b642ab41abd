//! Instances: one of a definition or of a known function for each choice of types and functions.
//! What they take is the business of `call.rs`.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use base::{Mark, Name};
use ir::{Atom, Binder, Block, Builder, Def, Op, Size, Type, Var};

use super::body::{Body, Frame};
use super::residual::Place;
use super::value::{Closure, Exact, Shape, Value};
use super::{MAX_DEPTH, MAX_INSTANCES, Reason, Result, Specialiser, has_function};

/// What there can be instances of.
#[derive(Clone)]
pub(super) enum Code {
    Def(Arc<Def>),
    Lambda(Rc<Closure>),
    /// The application of a function, the variable 0, to so many arguments, those after it (`tangent.rs`).
    Apply {
        /// The definition that it is made for.
        origin: Arc<Def>,
        n_args: u32,
    },
}

impl Code {
    pub(super) fn params(&self) -> &[Binder] {
        match self {
            Code::Def(def) => &def.params,
            Code::Lambda(closure) => &closure.lambda.params,
            Code::Apply { .. } => &[],
        }
    }
}

/// What an instance is made once for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// The definition; none for a function, which is the first argument.
    pub(super) def: Option<Name>,
    pub(super) types: Vec<Type>,
    pub(super) sizes: Vec<Option<Size>>,
    pub(super) args: Vec<Shape>,
}

/// An instance as a caller sees it.
pub(super) struct Instance {
    pub(super) name: Name,
    /// The definition and the arguments that it is for, and the instance that needed it first.
    pub(super) of: Option<Name>,
    pub(super) args: Vec<Shape>,
    pub(super) needed_by: Option<usize>,
    pub(super) size_params: Vec<Var>,
    pub(super) params: Vec<Var>,
    /// What it gives; known from the start unless functions are in it.
    pub(super) returned: Option<Returned>,
}

/// What an instance gives.
#[derive(Clone)]
pub(super) struct Returned {
    pub(super) binders: Vec<Binder>,
    /// The results of the code, in these and in the parameters.
    pub(super) values: Vec<Value>,
}

/// An instance whose body is to be made.
pub(super) struct Job {
    id: usize,
    code: Code,
    pub(super) frame: Frame,
    pub(super) size_params: Vec<Var>,
    pub(super) params: Vec<Binder>,
    /// The results, if they are known.
    promised: Option<Vec<Binder>>,
    next_var: u32,
}

impl Body<'_, '_> {
    /// A new instance: to be made later, or now if its results tell which functions it gives.
    pub(super) fn make(&mut self, key: Key, mut job: Job) -> Result<usize> {
        if self.spec.instances.len() >= MAX_INSTANCES {
            return self.refuse(Reason::TooManyInstances);
        }
        if let Some(place) = self.spec.grows(&job.code, &key) {
            self.spec.wanted = Some(place);
            return self.refuse(Reason::TooDeep);
        }
        let id = self.spec.add(key, &mut job);
        if job.promised.is_some() {
            self.spec.jobs.push_back(job);
            return Ok(id);
        }
        if self.spec.depth >= MAX_DEPTH {
            return self.refuse(Reason::TooDeep);
        }
        self.spec.depth += 1;
        self.spec.run(job)?;
        self.spec.depth -= 1;
        Ok(id)
    }

    /// Refuses unless results have the types that they were promised to have: a function that went
    /// through a loop has the sizes it mentions from there. As in V5, a size may be promised as the
    /// variable that is its value.
    fn keeps(&self, promised: &[Binder], block: &Block) -> Result<()> {
        let given = &block.results;
        let bound_to = |var: Var| {
            block.stmts.iter().find_map(|stmt| match (&stmt.op, stmt.binders.as_slice()) {
                (Op::Size(size), [binder]) if binder.var == var => Some(size.clone()),
                _ => None,
            })
        };
        let size = |var: Var| {
            let at = promised.iter().position(|it| it.var == var)?;
            ir::signature::atom_size(&given[at])
        };
        for (result, atom) in promised.iter().zip(given) {
            let wanted = result.ty.substitute_sizes(&size).substitute_sizes(&bound_to);
            let found = self.builder.type_of(atom).substitute_sizes(&bound_to);
            if wanted != found {
                let message = format!("a result has type {found}, not {wanted}");
                return self.refuse(Reason::LostSize(message));
            }
        }
        Ok(())
    }

    /// Makes the results of an instance with functions among them.
    fn give(&mut self, values: &[Value], outside: &BTreeSet<Var>) -> (Returned, Vec<Atom>) {
        let mut exact = Exact::default();
        values.iter().for_each(|it| exact.add_value(it, &|atom| self.builder.type_of(atom)));
        let (mut binders, mut given) = (Vec::new(), Vec::new());
        // Sizes that only the body knows are results, too.
        let mut inside = BTreeMap::new();
        for var in exact.0.iter().filter(|it| !outside.contains(it)) {
            let result = self.builder.fresh(Type::Int);
            inside.insert(*var, Size::var(result));
            binders.push(Binder { var: result, ty: Type::Int });
            given.push(Atom::Var(*var));
        }
        let sizes = |var: Var| inside.get(&var).cloned();
        let is_inside = Cell::new(false);
        let mut leaf = |atom: &Atom| {
            // What a function captured and is known stays known: it may be a size.
            if is_inside.get() && !matches!(atom, Atom::Var(_)) {
                return atom.clone();
            }
            let ty = self.builder.type_of(atom).substitute_sizes(&sizes);
            let var = self.builder.fresh(ty.clone());
            binders.push(Binder { var, ty });
            given.push(atom.clone());
            Atom::Var(var)
        };
        let mut given_as = |it: &Value| {
            is_inside.set(it.is_static());
            exact.rebuild(it, &mut leaf, &sizes)
        };
        let values = values.iter().map(&mut given_as).collect();
        if binders.is_empty() {
            // Every statement binds something; this one stays for the errors of the call.
            let var = self.builder.fresh(Type::Bool);
            binders.push(Binder { var, ty: Type::Bool });
            given.push(Atom::Bool(true));
        }
        (Returned { binders, values }, given)
    }
}

impl Job {
    pub(super) fn new(
        code: Code,
        frame: Frame,
        size_params: Vec<Var>,
        params: Vec<Binder>,
        next_var: u32,
    ) -> Job {
        Job { id: 0, code, frame, size_params, params, promised: None, next_var }
    }
}

impl Body<'_, '_> {
    /// The derivatives that a definition comes with, for one of its instances. No functions are in
    /// their types, so the instance takes what the definition takes, and so do theirs.
    pub(super) fn carry(&mut self, def: &Def, types: &[Type], id: usize) -> Result<()> {
        if types.iter().any(has_function) {
            return self.refuse(Reason::CustomOfFunctions(def.name.clone()));
        }
        let name = self.spec.instances[id].name.clone();
        if self.spec.output.customs.contains_key(&name) {
            return Ok(());
        }
        let source = self.spec.source;
        let custom = source.customs.get(&def.name).cloned().unwrap_or_default();
        // Entered first: they may call the definition.
        self.spec.output.customs.insert(name.clone(), custom.clone());
        // Sizes that the types mention come first, as in the instance itself.
        let mut exact = Exact::default();
        types.iter().for_each(|it| exact.add_type(it));
        let inside = |it: &Type| it.substitute_sizes(&|var| exact.number(var));
        let types: Vec<Type> = types.iter().map(inside).collect();
        let mut instance = |it: Option<Name>| {
            let def = it.and_then(|it| source.defs.get(&it))?;
            let id = self.spec.plain(def, &types, exact.0.len() as u32);
            Some(self.spec.instances[id].name.clone())
        };
        let custom = ir::Custom { vjp: instance(custom.vjp), jvp: instance(custom.jvp) };
        self.spec.output.customs.insert(name, custom);
        Ok(())
    }
}

impl Specialiser<'_> {
    /// The instance that the program is called by: as it is in the source.
    pub(super) fn entry(&mut self, def: &Arc<Def>) {
        let types = vec![Type::unit(); def.type_params.len()];
        self.plain(def, &types, 0);
    }

    /// The instance for types and nothing else: it takes so many sizes that the types mention, and
    /// what the definition takes.
    fn plain(&mut self, def: &Arc<Def>, types: &[Type], n_exact: u32) -> usize {
        let named = def.type_params.iter().cloned().zip(types.iter().cloned()).collect();
        let mut frame = Frame { origin: def.clone(), types: Rc::new(named), env: BTreeMap::new() };
        let mut size_params: Vec<Var> = (0..n_exact).map(Var).collect();
        let mut params = Vec::new();
        for (number, var) in (n_exact..).zip(&def.size_params) {
            size_params.push(Var(number));
            frame.env.insert(*var, Value::Atom(Atom::Var(Var(number))));
        }
        for (number, binder) in (size_params.len() as u32..).zip(&def.params) {
            params.push(Binder { var: Var(number), ty: frame.ty(&binder.ty) });
            frame.env.insert(binder.var, Value::Atom(Atom::Var(Var(number))));
        }
        let key = Key {
            def: Some(def.name.clone()),
            types: types.to_vec(),
            sizes: vec![None; def.size_params.len()],
            args: vec![Shape::Plain; params.len()],
        };
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let next_var = (size_params.len() + params.len()) as u32;
        let mut job = Job::new(Code::Def(def.clone()), frame, size_params, params, next_var);
        let id = self.add(key, &mut job);
        self.jobs.push_back(job);
        id
    }

    /// Enters an instance into the tables, with its results if no functions are in them.
    fn add(&mut self, key: Key, job: &mut Job) -> usize {
        job.id = self.instances.len();
        let base = match &job.code {
            Code::Def(def) => def.name.clone(),
            Code::Lambda(closure) => closure.origin.name.with(Mark::Lambda),
            Code::Apply { origin, .. } => origin.name.part("apply"),
        };
        let name = self.name(&base);
        job.promised = self.promise(job);
        let returned = job.promised.clone().map(|binders| {
            let values = binders.iter().map(|it| Value::Atom(Atom::Var(it.var))).collect();
            Returned { binders, values }
        });
        let params = job.params.iter().map(|it| it.var).collect();
        let size_params = job.size_params.clone();
        let (of, args, needed_by) = (key.def.clone(), key.args.clone(), self.making);
        let known = Instance { name, of, args, needed_by, size_params, params, returned };
        self.instances.push(known);
        self.known.insert(key, job.id);
        job.id
    }

    /// The results of an instance, if they can be told from the types alone.
    fn promise(&self, job: &mut Job) -> Option<Vec<Binder>> {
        let Code::Def(def) = &job.code else { return None };
        let is_left = self.left.contains(&Place::Results(def.name.clone()));
        let mut binders = Vec::new();
        for result in &def.results {
            let ty = job.frame.ty(&result.ty);
            if ty.has_function() && !is_left {
                return None;
            }
            let var = Var(job.next_var + binders.len() as u32);
            job.frame.env.insert(result.var, Value::Atom(Atom::Var(var)));
            binders.push(Binder { var, ty });
        }
        job.next_var += binders.len() as u32;
        Some(binders)
    }

    /// Makes the body of an instance.
    pub(super) fn run(&mut self, job: Job) -> Result<()> {
        let Job { id, code, frame, size_params, params, promised, next_var } = job;
        let mut builder = Builder::new(self.source, next_var);
        size_params.iter().for_each(|it| builder.declare(*it, Type::Int));
        for binder in params.iter().chain(promised.iter().flatten()) {
            builder.declare(binder.var, binder.ty.clone());
        }
        let outside: BTreeSet<Var> =
            size_params.iter().copied().chain(params.iter().map(|it| it.var)).collect();
        let origin = match &code {
            Code::Def(def) => def.origin.clone(),
            Code::Lambda(closure) => closure.origin.origin.clone(),
            Code::Apply { origin, .. } => origin.origin.clone(),
        };
        let outer = self.making.replace(id);
        let mut body = Body { spec: self, builder, frame, span: None, site: None };
        body.builder.open();
        let values = match &code {
            Code::Def(def) => body.block(&def.body)?,
            Code::Lambda(closure) => body.block(&closure.lambda.body)?,
            Code::Apply { n_args, .. } => {
                let function = body.value(&Atom::Var(Var(0)));
                let args = (1..=*n_args).map(|it| body.value(&Atom::Var(Var(it)))).collect();
                body.apply_value(&function, args)?
            }
        };
        let is_promised = promised.is_some();
        let (results, given) = match promised {
            Some(results) => {
                let given = values.iter().map(|it| body.plain(it)).collect::<Result<Vec<_>>>()?;
                (results, given)
            }
            None => {
                let (returned, given) = body.give(&values, &outside);
                let binders = returned.binders.clone();
                body.spec.instances[id].returned = Some(returned);
                (binders, given)
            }
        };
        let block = body.builder.close(given);
        if is_promised {
            body.keeps(&results, &block)?;
        }
        let (next_var, spans) = body.builder.finish();
        self.making = outer;
        let name = self.instances[id].name.clone();
        let def = Def {
            name: name.clone(),
            type_params: Vec::new(),
            size_params,
            params,
            results,
            body: block,
            next_var,
            spans,
            origin,
        };
        self.output.defs.insert(name, Arc::new(def));
        Ok(())
    }
}
