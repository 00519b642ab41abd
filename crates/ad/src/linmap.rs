//! Method `linmap`: the derivative of a definition is a linear map, a term; forward mode applies it, and
//! reverse mode its transpose.
//!
//! A definition and a choice of active parameters have one block of let-bound maps (`linmap/rules.rs`), which
//! the laws simplify (`linmap/laws.rs`) and which is applied, statement by statement, as a Delta term
//! (`linmap/apply.rs`). What becomes of such a term is shared with method `bulk`: `crates/ad/src/linear.rs`.
//!
//! Paper: Ellis, Peyton Jones, Fitzgibbon, *Automatic differentiation using linear maps* (2019). Its plan to
//! put maps in the place of their names takes exponential work in reverse mode, see the Note in
//! `linmap/rules.rs`; its Figure 12 takes quadratic work, here a fold saves its states.
//! Requires and ensures: as `bulk`.
//! Cost: as `bulk`, and at most a product of factors more for each operand.

mod apply;
mod builtin;
pub mod laws;
pub mod map;
mod parse;
pub(crate) mod paths;
pub mod places;
mod print;
mod rules;
mod stages;
pub mod typing;

use std::rc::Rc;
use std::sync::Arc;

use base::Name;
use ir::{Binder, Def, Origin, Program, Type, Var, walk};

use crate::bulk::apart;
use crate::bulk::work::Work;
use crate::linear::code::{Code, atoms, stub};
use crate::linear::term::Linearised;
use crate::linear::transpose::Transpose;
use map::Map;
use rules::Maps;
pub use stages::{gradient, inside};

/// A map that is bound to a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The variable of the program.
    pub var: Var,
    /// The name of its map.
    pub name: Var,
    /// As the paper writes it.
    pub map: Map,
    /// After the laws.
    pub simple: Map,
}

/// The Delta term of a definition, by linear maps.
pub(crate) fn linearise(work: &mut Work, def: &Arc<Def>, mask: &[bool]) -> Linearised {
    apart::linearise(work, def, mask, Rc::new(Maps::default()))
}

/// A map as definitions: `apply` takes what is given and a vector of the domain, `reverse` what is given
/// and one of the codomain; parts of tuples are parameters and results of their own.
pub fn program(map: &Map, domain: &Type, given: &[Binder]) -> Result<Program, String> {
    let types = |var: Var| given.iter().find(|it| it.var == var).map(|it| it.ty.clone());
    let codomain = typing::codomain(&types, map, domain)?;
    let mut code = Code::new(Program::default());
    let next = map.bound_vars().into_iter().chain(given.iter().map(|it| it.var));
    let next = next.map(|it| it.0 + 1).max().unwrap_or(0);
    for (name, from, to) in [("apply", domain, &codomain), ("reverse", &codomain, domain)] {
        let outer = code.builder.begin(next);
        code.declare(given);
        let mut fresh = |ty: &Type| -> Vec<Binder> {
            apply::spaces(ty).into_iter().map(|it| code.fresh(it)).collect()
        };
        let (inputs, params, results) = (fresh(domain), fresh(from), fresh(to));
        code.builder.open();
        let (block, linear) = apply::Plain::block(&mut code, domain, &inputs, map);
        let given_back = if name == "apply" {
            let names = inputs.iter().map(|it| it.var).zip(atoms(&params)).collect();
            let block = walk::substitute_block(&block, &names);
            let block = crate::linear::apply::lower(&mut code, block);
            block.stmts.into_iter().for_each(|it| code.builder.push(it));
            block.results
        } else {
            let mut transpose = Transpose::new(&mut code, &linear);
            inputs.iter().for_each(|it| transpose.input(it, None));
            transpose.block(&block, atoms(&params).into_iter().map(Some).collect());
            inputs.iter().map(|it| transpose.take_or_zeros(it.var)).collect()
        };
        let body = code.builder.close(given_back);
        let (next_var, spans) = code.builder.end(outer);
        let params = given.iter().chain(&params).cloned().collect();
        let stub =
            stub((Name::new(name), Origin::Derivative), Vec::new(), params, results, next_var);
        code.define(Def { body, spans, ..Def::clone(&stub) });
    }
    Ok(code.builder.into_program())
}
