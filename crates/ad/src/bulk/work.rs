//! What is known and made while a program is differentiated.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use base::{Name, Span};
use ir::{Binder, Block, Def, Program, Size, Type, Var};

use super::custom::CustomNames;
use super::dual::Linearised;
use super::{Mode, Refused};

/// The work on one program, which grows.
pub(crate) struct Work {
    pub(crate) program: Program,
    pub(crate) mode: Mode,
    /// Which results of a definition depend on active parameters.
    pub(crate) active: BTreeMap<(Name, Vec<bool>), Vec<bool>>,
    /// Set while [`Work::active`] is being solved and not at a fixed point.
    pub(crate) unsettled: Option<bool>,
    linearised: BTreeMap<(Name, Vec<bool>), Rc<Linearised>>,
    callees: BTreeMap<(Name, Vec<bool>), Rc<Callee>>,
    /// Derivatives of definitions that are made: by `vjp` or `jvp`.
    pub(crate) derived: BTreeMap<(&'static str, Name, Vec<bool>), Name>,
    pub(crate) customs: BTreeMap<Name, CustomNames>,
    /// Definitions that are linear in some of their parameters.
    pub(crate) linear_calls: BTreeMap<Name, LinearCall>,
    /// Callees whose definitions are to be made.
    pub(crate) jobs: Vec<Rc<Callee>>,
    /// The first thing found that cannot be differentiated.
    pub(crate) refused: Option<Refused>,
}

/// What a linear definition is the linear part of.
#[derive(Clone, Debug)]
pub(crate) enum LinearCall {
    /// `A.get` of this constructor.
    Get(Name),
    /// `f.lin`.
    Callee(Rc<Callee>),
    /// `f.custom_lin`: what goes backwards, and how many parameters come in front of the tangents.
    Custom(Name, usize),
}

/// How a definition is called by the derivative of another one: `f.fwd` computes and saves, `f.lin`
/// takes tangents to tangents, `f.rev` cotangents to cotangents.
#[derive(Debug)]
pub(crate) struct Callee {
    pub(crate) def: Arc<Def>,
    pub(crate) mask: Vec<bool>,
    pub(crate) fwd: Name,
    pub(crate) lin: Name,
    pub(crate) rev: Name,
    /// The sum type of what is saved.
    pub(crate) saved: Name,
    /// Parameters and results that are mentioned as sizes outside, by their variables in the
    /// definition. All of them are parameters of `lin` and `rev`.
    pub(crate) outer_params: Vec<usize>,
    pub(crate) outer_results: Vec<usize>,
    /// Which results depend on active parameters.
    pub(crate) results: Vec<bool>,
}

impl Callee {
    /// The variables that the type of what is saved mentions, inside of `lin` and `rev`.
    pub(crate) fn outer_vars(&self) -> Vec<Var> {
        let params = self.outer_params.iter().map(|it| self.def.params[*it].var);
        let results = self.outer_results.iter().map(|it| self.def.results[*it].var);
        self.def.size_params.iter().copied().chain(params).chain(results).collect()
    }

    /// The type of what is saved, as `lin` and `rev` see it.
    pub(crate) fn saved_type(&self) -> Type {
        let sizes = self.outer_vars().into_iter().map(Size::var).collect();
        Type::Data(self.saved.clone(), Vec::new(), sizes)
    }

    /// The sizes among the parameters of `lin` and `rev`.
    pub(crate) fn size_binders(&self) -> Vec<Binder> {
        let vars = self.outer_vars().split_off(self.def.size_params.len());
        vars.into_iter().map(|var| Binder { var, ty: Type::Int }).collect()
    }
}

impl Work {
    pub(crate) fn new(program: Program, mode: Mode) -> Work {
        // Tangents of sum types may be there already, from derivatives made before.
        let get = |name: &Name| {
            Some((name.clone(), LinearCall::Get(Name::new(name.strip_suffix(".get")?))))
        };
        let linear_calls = program.defs.keys().filter_map(get).collect();
        Work {
            program,
            mode,
            active: BTreeMap::new(),
            unsettled: None,
            linearised: BTreeMap::new(),
            callees: BTreeMap::new(),
            derived: BTreeMap::new(),
            customs: BTreeMap::new(),
            linear_calls,
            jobs: Vec::new(),
            refused: None,
        }
    }

    /// Notes that something cannot be differentiated; what is made from then on is thrown away.
    pub(crate) fn refuse(&mut self, span: Option<Span>, reason: impl Into<String>) {
        self.refused.get_or_insert(Refused { span, reason: reason.into() });
    }

    /// D\[f\] of a definition, made once.
    pub(super) fn linearise(&mut self, def: &Arc<Def>, mask: &[bool]) -> Rc<Linearised> {
        let key = (def.name.clone(), mask.to_vec());
        if let Some(known) = self.linearised.get(&key) {
            return known.clone();
        }
        let made = match self.program.customs.contains_key(&def.name) {
            true => super::dual::linearise(self, &Arc::new(self.as_call(def)), mask),
            false => super::dual::linearise(self, def, mask),
        };
        let made = Rc::new(made);
        self.linearised.insert(key, made.clone());
        made
    }

    /// What the derivative of a caller calls.
    pub(crate) fn callee(&mut self, name: &Name, mask: &[bool]) -> Rc<Callee> {
        let key = (name.clone(), mask.to_vec());
        if let Some(known) = self.callees.get(&key) {
            return known.clone();
        }
        let def = self.program.defs[name].clone();
        let digits = digits(mask);
        let kinds = ["fwd", "lin", "rev", "saved"];
        let [fwd, lin, rev, saved] = self.fresh_names(|number| {
            kinds.map(|what| Name::from(format!("{name}.{what}{digits}{number}")))
        });
        let types = || def.params.iter().chain(&def.results).map(|it| &it.ty);
        let is_size = |it: &Binder| types().any(|ty| ty.size_vars().contains(&it.var));
        let outer = |binders: &[Binder]| -> Vec<usize> {
            (0..binders.len()).filter(|at| is_size(&binders[*at])).collect()
        };
        let callee = Rc::new(Callee {
            mask: mask.to_vec(),
            fwd,
            lin,
            rev,
            saved,
            outer_params: outer(&def.params),
            outer_results: outer(&def.results),
            results: self.active_results(name, mask),
            def,
        });
        self.callees.insert(key, callee.clone());
        self.linear_calls.insert(callee.lin.clone(), LinearCall::Callee(callee.clone()));
        super::call::declare(self, &callee);
        self.jobs.push(callee.clone());
        callee
    }

    /// Names that nothing has. What was made before is not used again: other passes may have changed
    /// it since.
    pub(crate) fn fresh_names<const N: usize>(
        &self,
        name: impl Fn(&str) -> [Name; N],
    ) -> [Name; N] {
        let taken =
            |it: &Name| self.program.defs.contains_key(it) || self.program.datas.contains_key(it);
        let numbers = std::iter::once(String::new()).chain((2..).map(|it: u32| format!("_{it}")));
        let mut names = numbers.map(|number| name(&number));
        names.find(|it| !it.iter().any(taken)).expect("numbers do not end")
    }

    /// Makes the definitions that were asked for.
    pub(crate) fn finish_jobs(&mut self) {
        while let Some(callee) = self.jobs.pop() {
            super::call::define(self, &callee);
        }
    }

    /// A name for a sum type of saved values.
    pub(crate) fn saved_name(&self, def: &Name) -> Name {
        let names = (1..).map(|number| Name::from(format!("{def}.save{number}")));
        let mut names = names.filter(|it| !self.program.datas.contains_key(it));
        names.next().expect("numbers do not end")
    }
}

/// The mask in a name.
pub(crate) fn digits(mask: &[bool]) -> String {
    mask.iter().map(|on| if *on { '1' } else { '0' }).collect()
}

/// A definition that is not made yet.
pub(crate) fn stub(
    name: Name,
    size_params: Vec<Var>,
    params: Vec<Binder>,
    results: Vec<Binder>,
    next_var: u32,
) -> Arc<Def> {
    let body = Block { stmts: Vec::new(), results: Vec::new() };
    let (type_params, spans) = (Vec::new(), Default::default());
    Arc::new(Def { name, type_params, size_params, params, results, body, next_var, spans })
}
