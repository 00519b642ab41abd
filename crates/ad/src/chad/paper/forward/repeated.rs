//! Loops: the derivative of a loop is the loop of the derivative, as in `reverse/repeated.rs`. The state is a
//! value with its push-forward.

use super::super::term::{
    Loop, Steps, Term, bind, fst, linear_apply, linear_lambda, pair, snd, var,
};
use super::super::types::Type;
use super::Forward;

impl Forward {
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
        let [p, v] = ["p", "v"].map(|it| self.env.names.fresh(it));
        // The tangents of the environment, of the state, and of the number of the step.
        let before = pair(var(&v), linear_apply(var(&s.1), var(&v)));
        let push_forward = linear_apply(var(&y.1), pair(before, Term::Unit));
        let both = pair(var(&y.0), linear_lambda(&v, &self.env.space(), push_forward));
        let body = self.env.both(&y, body, both);
        let body = bind(&s.0, fst(var(&p)), bind(&s.1, snd(var(&p)), body));
        (Term::Loop(Box::new(Loop { steps, state: p, index: it.index.clone(), body, init })), ty)
    }
}
