//! Loops: the derivative of a loop is the loop of the derivative.
//!
//! The paper names `fold` (Section 10) and iteration (Section 11.2) and has no rule for them. A loop is a
//! composition of its steps, so the rule is what `let` says of each: the state is a value with its pull-back,
//! and a step puts its own behind that. The environment is added up once for every step, all of it.

use super::super::term::{Loop, Steps, Term, bind, fst, linear_apply, linear_bind, linear_lambda};
use super::super::term::{pair, plus, snd, var};
use super::super::types::Type;
use super::{Reverse, cotangent};

impl Reverse {
    pub(super) fn repeated(&mut self, it: &Loop) -> (Term, Type) {
        let (init, ty) = self.term(&it.init);
        let steps = match &it.steps {
            Steps::Count(count) => Steps::Count(fst(self.term(count).0)),
            Steps::While(s, holds) => {
                let p = self.env.names.fresh("p");
                let holds = fst(self.under(s, &ty, holds).0);
                Steps::While(p.clone(), bind(s, fst(var(&p)), holds))
            }
        };
        self.env.push(&it.state, &ty);
        let (body, _) = self.under(&it.index, &Type::Int, &it.body);
        self.env.pop();
        let s = (it.state.clone(), self.env.prime(&it.state));
        let y = self.env.names("y");
        let [p, v, w] = ["p", "v", "w"].map(|it| self.env.names.fresh(it));
        // The cotangents of the environment, of the state, and of the number of the step.
        let before = linear_apply(var(&s.1), snd(fst(var(&w))));
        let sum = plus(fst(fst(var(&w))), before);
        let pull_back = linear_bind(&w, linear_apply(var(&y.1), var(&v)), sum);
        let both = pair(var(&y.0), linear_lambda(&v, &cotangent(&ty), pull_back));
        let body = self.env.both(&y, body, both);
        let body = bind(&s.0, fst(var(&p)), bind(&s.1, snd(var(&p)), body));
        (Term::Loop(Box::new(Loop { steps, state: p, index: it.index.clone(), body, init })), ty)
    }
}
