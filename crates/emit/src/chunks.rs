//! Loops in pieces: the body becomes a function of its own, a task, which several threads may run.
//!
//! How many pieces there are is computed at run time (`ct_plan_chunks`) and does not depend on the
//! threads. What tasks accumulate is private to each and combined in their order.

use std::fmt::Write;

use loops::{ChunkAcc, Chunks, How, Scalar, Var};

use crate::atoms::element;
use crate::prims::neutral;
use crate::printer::{Printer, declare, element_type, variable};

impl Printer<'_> {
    pub(crate) fn chunks(&mut self, it: &Chunks) {
        self.needs.insert("chunks");
        let number = self.module.funcs.iter().position(|f| std::ptr::eq(f, self.func)).unwrap_or(0);
        let stem = self.fresh("task");
        let name = format!("{stem}_{}", self.names[number]);
        let mut captured = loops::free(&it.body);
        for acc in &it.accs {
            captured.remove(&acc.array);
            if let loops::Atom::Var(var) = acc.len {
                captured.insert(var);
            }
        }
        captured.remove(&it.start);
        captured.remove(&it.len);
        captured.retain(|var| self.known[var.0 as usize].is_none());
        let captured: Vec<Var> = captured.into_iter().collect();
        self.task(it, &name, &captured);
        self.start_tasks(it, &name, &captured);
    }

    /// The function.
    fn task(&mut self, it: &Chunks, name: &str, captured: &[Var]) {
        let text = std::mem::take(&mut self.text);
        let depth = std::mem::replace(&mut self.depth, 0);
        self.open(&format!("struct {name} {{"));
        for var in captured.iter().chain(it.accs.iter().map(|it| &it.array)) {
            self.line(&format!("{};", declare(self.func.ty(*var), &variable(*var))));
        }
        for acc in &it.accs {
            if self.has_lanes(acc.into) {
                continue;
            }
            let name = format!("{}_into", variable(acc.array));
            self.line(&format!("{};", declare(self.func.ty(acc.array), &name)));
        }
        self.line("ct_plan plan;");
        self.depth -= 1;
        self.line("};");
        self.open(&format!(
            "static __attribute__((noinline)) void {name}(void *env_, int64_t task, ct_ctx *ctx) {{"
        ));
        self.line(&format!("struct {name} *env = env_;"));
        for var in captured {
            self.define(*var, &format!("env->{}", variable(*var)));
        }
        for acc in &it.accs {
            self.own_memory(acc);
        }
        self.line("int64_t first = task * env->plan.per_task * env->plan.chunk;");
        self.line("int64_t last = first + env->plan.per_task * env->plan.chunk;");
        self.line("if (last > env->plan.total) last = env->plan.total;");
        self.line("char *mark = ctx->top;");
        let (start, len) = (variable(it.start), variable(it.len));
        self.open(&format!(
            "for (int64_t {start} = first; {start} < last; {start} += env->plan.chunk) {{"
        ));
        self.line("ct_poll(ctx);");
        self.line(&format!("int64_t {len} = last - {start};"));
        self.line(&format!("if ({len} > env->plan.chunk) {len} = env->plan.chunk;"));
        let outer = self.chunk.replace(loops::Atom::Var(it.len));
        self.block(&it.body);
        self.chunk = outer;
        self.line("ctx->top = mark;");
        self.close();
        self.close();
        let task = std::mem::replace(&mut self.text, text);
        self.depth = depth;
        let _ = writeln!(self.tasks, "{task}");
    }

    /// What a task adds to: the first one to the target itself, the others to copies, which they clear.
    fn own_memory(&mut self, acc: &ChunkAcc) {
        let (name, len) = (variable(acc.array), self.atom(acc.len));
        let scalar = element(self.func.ty(acc.array));
        let zero = neutral(acc.how, scalar);
        self.define(acc.array, &format!("env->{name}"));
        let condition = match self.has_lanes(acc.into) {
            true => {
                self.line(&format!("{name} += task * {len};"));
                "".to_string()
            }
            false => {
                let into = format!("env->{name}_into");
                self.line(&format!("{name} = task == 0 ? {into} : {name} + (task - 1) * {len};"));
                "if (task != 0) ".to_string()
            }
        };
        let fill = format!("for (int64_t k = 0; k < {len}; k++) {name}[k] = {zero};");
        self.line(&(condition + &fill));
    }

    /// Where it stands: fill in what the task needs, run, combine.
    fn start_tasks(&mut self, it: &Chunks, name: &str, captured: &[Var]) {
        self.open("{");
        let [total, bytes, work] = [it.total, it.bytes, it.work].map(|it| self.atom(it));
        let fields: String =
            captured.iter().map(|it| format!(".{0} = {0}, ", variable(*it))).collect();
        self.line("char *mark = ctx->top;");
        let lens: Vec<String> = it.accs.iter().map(|it| self.atom(it.len)).collect();
        let accumulated = if lens.is_empty() { "0".to_string() } else { lens.join(" + ") };
        self.line(&format!(
            "ct_plan plan = ct_plan_chunks(ctx, {total}, {bytes}, {work}, {accumulated});"
        ));
        self.line(&format!("struct {name} env = {{{fields}.plan = plan}};"));
        for acc in &it.accs {
            let (own, into, len) = (variable(acc.array), variable(acc.into), self.atom(acc.len));
            let ty = element_type(element(self.func.ty(acc.array)));
            let copies = self.copies(acc);
            self.line(&format!("env.{own} = ct_alloc(ctx, ({copies}) * {len}, sizeof({ty}));"));
            if !self.has_lanes(acc.into) {
                self.line(&format!("env.{own}_into = {into};"));
            }
        }
        self.line(&format!("ct_run(ctx, plan.tasks, {name}, &env);"));
        for acc in &it.accs {
            let (own, into, len) = (variable(acc.array), variable(acc.into), self.atom(acc.len));
            let scalar = element(self.func.ty(acc.array));
            let copies = self.copies(acc);
            self.line(&format!("for (int64_t t = 0; t < {copies}; t++)"));
            if !self.has_lanes(acc.into) && (acc.how, scalar) == (How::Add, Scalar::Real) {
                self.line(&format!("  ct_add_all({into}, env.{own} + t * {len}, {len});"));
                continue;
            }
            let lanes = if self.has_lanes(acc.into) { " * CT_W" } else { "" };
            let target = format!("{into}[k{lanes}]");
            let one = format!("env.{own}[t * {len} + k]");
            let value = self.combine(acc.how, scalar, &target, &one);
            self.line(&format!("  for (int64_t k = 0; k < {len}; k++) {target} = {value};"));
        }
        self.line("ctx->top = mark;");
        self.close();
    }

    /// How many copies of an accumulator there are. One with lanes is no plain array.
    fn copies(&self, acc: &ChunkAcc) -> &'static str {
        if self.has_lanes(acc.into) { "plan.tasks" } else { "plan.tasks - 1" }
    }
}
