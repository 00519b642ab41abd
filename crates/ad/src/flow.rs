//! Where gradients go and where they end: an analysis of a program, without running it.
//!
//! Of every definition, which of its parameters have a gradient path to the result, and at which
//! operations paths end: `stop_gradient`, rounding, comparisons, positions.
//!
//! Requires: dialect Source, verified.
//! Ensures: a parameter that does not flow has the derivative zero, at every argument. The reverse
//! does not hold: a tuple flows if any part of it does, functions that are not written in place pass
//! on all they take and capture, and so do definitions with derivatives of their own.
//! Cost: a few walks over the program, one more for each definition that a recursion goes through.
//! Not done: values are not looked at, so `0.0 * x` flows.
//! Tests: `crates/ad/tests/flow.rs`.
//!
//! Example. In `x3 = floor x0; x4 = add x3 x1; give x4` the parameter `x1` flows, and `x0` ends at
//! `floor`.

mod walk;

use std::collections::{BTreeMap, BTreeSet};

use base::{Name, Span};
use ir::{Def, Lambda, Need, Prim, Program, Type, graph};

use walk::Walk;

/// Parameters by their position.
pub type Params = BTreeSet<usize>;

/// What becomes of the gradients of the parameters of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Those with a path to the result.
    pub flows: Params,
    /// Where paths end, in the order of the text.
    pub ends: Vec<End>,
}

/// An operation at which gradients end.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// What it is.
    pub what: Stop,
    /// The parameters whose paths end here.
    pub of: Params,
    /// Where it stands.
    pub at: Option<Span>,
}

/// Why a path ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// `stop_gradient`.
    Asked,
    /// A primitive without a derivative: rounding, a comparison, a conversion to `Int`.
    Prim(Prim),
    /// A comparison of whole values.
    Comparison,
    /// The position of an element: `argmax`, `argsort`.
    Position,
    /// This parameter of a definition, inside of which all paths end.
    Call(Name, usize),
}

/// The summaries of all definitions of a program.
pub struct Flow<'p> {
    program: &'p Program,
    summaries: BTreeMap<Name, Summary>,
}

impl<'p> Flow<'p> {
    /// Analyses a program.
    pub fn new(program: &'p Program) -> Flow<'p> {
        let summaries = program.defs.keys().map(|it| (it.clone(), Summary::default())).collect();
        let mut flow = Flow { program, summaries };
        // Every round sees paths through one call more.
        loop {
            let mut changed = false;
            for def in program.defs.values() {
                let found = flow.of_def(def);
                changed |= flow.summaries.get(&def.name) != Some(&found);
                flow.summaries.insert(def.name.clone(), found);
            }
            if !changed {
                return flow;
            }
        }
    }

    /// The summary of a definition.
    pub fn summary(&self, def: &Name) -> Option<&Summary> {
        self.summaries.get(def)
    }

    /// The summary of a function in a definition; what it captures is constant.
    pub fn of_lambda(&self, def: &Def, lambda: &Lambda) -> Summary {
        Walk::new(self, &def.spans, &lambda.params).run(&lambda.body)
    }

    fn of_def(&self, def: &Def) -> Summary {
        if self.program.customs.contains_key(&def.name) {
            return Summary { flows: (0..def.params.len()).collect(), ends: Vec::new() };
        }
        Walk::new(self, &def.spans, &def.params).run(&def.body)
    }

    /// The definitions that are differentiated with one, itself first, in the order of first mention.
    pub fn differentiated(&self, def: &Name) -> Vec<Name> {
        let mut res = vec![def.clone()];
        let mut next = 0;
        while let Some(def) = res.get(next).and_then(|it| self.program.defs.get(it)) {
            next += 1;
            if self.program.customs.contains_key(&def.name) {
                continue;
            }
            for (need, name) in graph::callees(&def.body) {
                if need == Need::Call && !res.contains(name) {
                    res.push(name.clone());
                }
            }
        }
        res
    }

    /// The places at which the paths of a parameter end, also inside of what is called.
    pub fn places(&self, summary: &Summary, param: usize) -> Vec<(Stop, Option<Span>)> {
        let mut res = Vec::new();
        self.add_places(summary, param, &mut BTreeSet::new(), &mut res);
        res
    }

    fn add_places(
        &self,
        summary: &Summary,
        param: usize,
        seen: &mut BTreeSet<(Name, usize)>,
        res: &mut Vec<(Stop, Option<Span>)>,
    ) {
        for end in summary.ends.iter().filter(|it| it.of.contains(&param)) {
            match &end.what {
                Stop::Call(def, at) => {
                    if seen.insert((def.clone(), *at))
                        && let Some(summary) = self.summary(def)
                    {
                        self.add_places(summary, *at, seen, res);
                    }
                }
                Stop::Asked | Stop::Prim(_) | Stop::Comparison | Stop::Position => {
                    let place = (end.what.clone(), end.at);
                    if !res.contains(&place) {
                        res.push(place);
                    }
                }
            }
        }
    }

    /// Whether values of the type can carry gradients: reals in them, or functions. A type parameter
    /// may stand for such a type.
    pub fn carries(&self, ty: &Type) -> bool {
        self.carries_in(ty, true, &mut Vec::new())
    }

    /// Whether a type carries gradients, whatever its type parameters stand for.
    pub fn has_reals(&self, ty: &Type) -> bool {
        self.carries_in(ty, false, &mut Vec::new())
    }

    /// `open` says what type parameters do.
    fn carries_in(&self, ty: &Type, open: bool, seen: &mut Vec<Name>) -> bool {
        match ty {
            Type::Real | Type::Function(..) | Type::Delta => true,
            Type::Dual(_) | Type::Tape(_) => true,
            Type::Var(_) => open,
            Type::Int | Type::Bool | Type::String => false,
            Type::Tuple(_) | Type::Array(..) => {
                ty.parts().into_iter().any(|it| self.carries_in(it, open, seen))
            }
            Type::Data(name, args, _) => {
                if args.iter().any(|it| self.carries_in(it, open, seen)) {
                    return true;
                }
                if seen.contains(name) {
                    return false;
                }
                seen.push(name.clone());
                // What its own parameters stand for has been looked at: the arguments.
                let decl = self.program.datas.get(name);
                let cons = decl.into_iter().flat_map(|it| &it.cons);
                let mut fields = cons.flat_map(|it| &it.fields);
                fields.any(|it| self.carries_in(it, false, seen))
            }
        }
    }
}
