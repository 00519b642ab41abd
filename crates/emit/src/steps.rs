//! Loops as C, element after element; `lanes.rs` has those by vectors.

use loops::{Acc, Atom, Kind, Loop, State, While};

use crate::atoms::element;
use crate::look::{allocates, is_flat, length};
use crate::prims::how_prim;
use crate::printer::{Printer, variable};
use crate::tuning::{FEW_STEPS, LONGEST_WRITTEN_OUT, SHORT_LOOP};

impl Printer<'_> {
    pub(crate) fn counted(&mut self, it: &Loop) {
        if it.kind == Kind::Unroll
            && !self.options.draft
            && let Atom::Int(count) = self.resolve(it.count)
            && length(it) <= LONGEST_WRITTEN_OUT
        {
            return self.written_out(it, count);
        }
        self.count_steps(it);
        if it.kind == Kind::Vector && self.live.is_none() {
            // Few steps are no vector: elements that were just stored would be waited for.
            match self.resolve(it.count) {
                Atom::Int(count)
                    if count <= FEW_STEPS && is_flat(&it.body) && !allocates(&it.body) =>
                {
                    if !self.options.draft {
                        return self.written_out(it, count);
                    }
                }
                Atom::Int(_) | Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => {
                    if self.vector_loop(it) {
                        return;
                    }
                }
            }
        }
        // A step of a vector loop frees what it allocates; but inside of another it is no step of one.
        let mark = (it.kind == Kind::Vector && self.live.is_none() && allocates(&it.body))
            .then(|| self.fresh("mark"));
        self.begin_state(&it.state);
        self.begin_accs(&it.accs);
        self.counts.insert(it.var, it.count);
        let (var, count) = (variable(it.var), self.atom(it.count));
        if let Some(mark) = &mark {
            self.line(&format!("char *{mark} = ctx->top;"));
        }
        let pauses = is_flat(&it.body) && !self.is_short(it.count) && !self.options.draft;
        if pauses {
            // No look at whether to stop in every step.
            let stop = self.fresh("stop");
            self.open(&format!("for (int64_t {var} = 0, {stop}; {var} < {count};) {{"));
            self.line(&format!("{stop} = ct_pause(ctx, {var}, {count});"));
            self.open(&format!("for (; {var} < {stop}; {var}++) {{"));
        } else {
            self.open(&format!("for (int64_t {var} = 0; {var} < {count}; {var}++) {{"));
            self.poll(it, &var);
        }
        self.step(it);
        if let Some(mark) = &mark {
            self.line(&format!("ctx->top = {mark};"));
        }
        self.close();
        if pauses {
            self.close();
        }
    }

    /// Whether a loop of flat steps needs no look at whether to stop: it has few, or those of a chunk.
    pub(crate) fn is_short(&self, count: Atom) -> bool {
        match self.resolve(count) {
            Atom::Int(count) => count <= SHORT_LOOP,
            count @ (Atom::Var(_) | Atom::Real(_) | Atom::Bool(_)) => {
                self.chunk == Some(count) && !self.options.draft
            }
        }
    }

    fn written_out(&mut self, it: &Loop, count: i64) {
        self.begin_state(&it.state);
        self.begin_accs(&it.accs);
        for k in 0..count {
            self.open("{");
            self.known[it.var.0 as usize] = Some(Atom::Int(k));
            self.step(it);
            self.close();
        }
        self.known[it.var.0 as usize] = None;
    }

    fn step(&mut self, it: &Loop) {
        let is_loop = it.kind == Kind::Seq && !self.options.draft;
        let loose = is_loop.then(|| self.loose(it)).flatten();
        // What is written twice is kept, products that are added up included.
        let products = match loose {
            Some(_) => Default::default(),
            None => self.products(it),
        };
        self.enter_state(&it.state);
        match loose {
            Some(loose) => self.loose_body(it, &loose),
            None => self.block(&it.body),
        }
        self.leave_state(&it.state);
        for acc in &it.accs {
            let scalar = element(self.func.ty(acc.var));
            let name = variable(acc.var);
            if let Some(product) = products.get(&acc.var) {
                let sum = self.plus_product(*product, &name);
                self.line(&format!("{name} = {sum};"));
                continue;
            }
            let value = self.as_in(acc.var, acc.value);
            let value = if self.is_vector(acc.var) {
                self.vector_prim(how_prim(acc.how), scalar, &[name.clone(), value])
            } else {
                self.combine(acc.how, scalar, &name, &value)
            };
            self.line(&format!("{name} = {value};"));
        }
    }

    fn begin_accs(&mut self, accs: &[Acc]) {
        for acc in accs {
            let init = self.as_in(acc.var, acc.init);
            self.define(acc.var, &init);
        }
    }

    /// Adds the steps of a loop to those of a draft, if nothing inside adds any.
    fn count_steps(&mut self, it: &Loop) {
        if self.options.draft && is_flat(&it.body) {
            let count = self.atom(it.count);
            self.line(&format!("ct_spend_loop(ctx, {count});"));
        }
    }

    fn poll(&mut self, it: &Loop, var: &str) {
        if is_flat(&it.body) {
            if !self.is_short(it.count) {
                self.line(&format!("if (({var} & 1023) == 1023) ct_poll(ctx);"));
            }
        } else {
            self.line("ct_poll(ctx);");
        }
    }

    pub(crate) fn while_loop(&mut self, it: &While) {
        self.begin_state(&it.state);
        self.open("for (;;) {");
        self.enter_state(&it.state);
        self.block(&it.before);
        let cond = self.atom(it.cond);
        self.line(&format!("if (!{cond}) break;"));
        self.line("ct_poll(ctx);");
        self.block(&it.body);
        self.leave_state(&it.state);
        self.close();
    }

    /// The name after the loop is the variable that is assigned to, the name in a step a copy of it:
    /// so all of a step sees the old values, whatever is assigned first.
    fn begin_state(&mut self, state: &[State]) {
        for it in state {
            let init = self.as_in(it.last, it.init);
            self.define(it.last, &init);
        }
    }

    fn enter_state(&mut self, state: &[State]) {
        for it in state {
            self.define(it.var, &variable(it.last));
        }
    }

    fn leave_state(&mut self, state: &[State]) {
        for it in state {
            self.assign(it.last, it.next);
        }
    }
}
