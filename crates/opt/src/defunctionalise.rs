//! Functions as data, ir to ir: what is left of function values becomes sum types and matches.
//!
//! For each type of functions there is a sum type with a constructor for each lambda, whose fields are
//! what the lambda captured, and a definition that applies a value of it, by a match:
//!
//! Γ ⊢ (x. t) : σ -> τ   becomes   Γ ⊢ C(y1, ..., yn) : F, the y being free in t;
//! Γ ⊢ f(s) : τ   becomes   Γ ⊢ apply(f, s) : τ, where `apply(C(y1, ..., yn), x) = t`.
//!
//! Paper: Reynolds, Definitional interpreters for higher-order programming languages, 1972, Section 6.
//! Requires: dialect Monomorphic, as `specialise` leaves it; no functions go in or out of `entry`.
//! Ensures: dialect FirstOrder; the same results and the same errors at run time, in the same order. A
//! program without function values stays as it is.
//! Cost: work that of the input, and a match where a function is applied.
//! Types of functions that differ in sizes are one sum type, whose arguments are the sizes (`types.rs`);
//! lambdas with the same text are one constructor (`apply.rs`).
//! Not done: a function whose sizes only it knows, on values of sum types of these sizes, is refused.
//! Tests: `crates/opt/tests/specialise/left.rs`; values and derivatives:
//! `tests/programs/reverse/chosen_functions.cot`.
//!
//! Example.
//! ```text
//! x2: (Real) -> Real = lambda (x3: Real) { x4: Real = mul x3 x0 give x4 }
//! x5: Real = apply x2 (x1)
//! ```
//! becomes
//! ```text
//! x2: Function_1 = con Function_1 Function_1_0(x0)
//! x5: Real = call apply_lambda_1(x2, x1)
//! ```

mod apply;
mod body;
mod types;

use std::sync::Arc;

use base::Name;
use ir::{DataDecl, Def, Program};

use crate::refusal::Refusal;
use apply::Alternative;
use types::Types;

/// The program with functions as values of sum types.
pub fn defunctionalise(program: &Program) -> Result<Program, Refusal> {
    let types = Types::new(program)?;
    if types.are_first_order() {
        return Ok(program.clone());
    }
    let alternatives = types.classes().map(|_| Vec::new()).collect();
    let mut pass = Defunctionaliser { types, alternatives };
    let mut output = Program { customs: program.customs.clone(), ..Program::default() };
    for def in program.defs.values() {
        let def = pass.def(def);
        output.defs.insert(def.name.clone(), Arc::new(def));
    }
    for at in 0..pass.alternatives.len() {
        let def = pass.apply(at)?;
        output.defs.insert(def.name.clone(), Arc::new(def));
    }
    output.datas = pass.datas(program);
    Ok(output)
}

/// The work on one program.
struct Defunctionaliser<'p> {
    types: Types<'p>,
    /// The lambdas of each type of functions.
    alternatives: Vec<Vec<Alternative>>,
}

impl Defunctionaliser<'_> {
    fn def(&mut self, def: &Def) -> Def {
        let body = body::Body::new(self, def).block(&def.body);
        self.types.convert_def(Def { body, ..def.clone() })
    }

    /// The sum types of the output.
    fn datas(&mut self, program: &Program) -> std::collections::BTreeMap<Name, DataDecl> {
        let mut datas: Vec<DataDecl> = Vec::new();
        for decl in program.datas.values() {
            datas.extend(self.types.declared(decl));
        }
        for at in 0..self.alternatives.len() {
            datas.push(self.declare(at));
        }
        // Each may need further ones.
        while let Some(decl) = self.types.next_copy() {
            datas.push(decl);
        }
        datas.into_iter().map(|it| (it.name.clone(), it)).collect()
    }
}
