//! Loops in pieces: the body becomes a function of its own, a task, which several threads may run.
//!
//! How many pieces there are is computed at run time (`ct_plan_chunks`) and does not depend on the
//! threads. What tasks accumulate is private to each and combined in their order.

use std::fmt::Write;

use loops::{ChunkAcc, Chunks, Var};

use super::atoms::element;
use super::prims::neutral;
use super::{Printer, declare, element_type, variable};

impl Printer<'_> {
    pub(super) fn chunks(&mut self, it: &Chunks) {
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
        let outer = std::mem::take(&mut self.text);
        let depth = std::mem::replace(&mut self.depth, 0);
        self.open(&format!("struct {name} {{"));
        for var in captured.iter().chain(it.accs.iter().map(|it| &it.array)) {
            self.line(&format!("{};", declare(self.func.ty(*var), &variable(*var))));
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
            let value = format!("env->{} + task * {}", variable(acc.array), self.atom(acc.len));
            self.define(acc.array, &value);
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
        self.block(&it.body);
        self.line("ctx->top = mark;");
        self.close();
        self.close();
        let text = std::mem::replace(&mut self.text, outer);
        self.depth = depth;
        let _ = writeln!(self.tasks, "{text}");
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
            let scalar = element(self.func.ty(acc.array));
            let (ty, zero) = (element_type(scalar), neutral(acc.how, scalar));
            self.line(&format!("env.{own} = {into};"));
            let several = self.own_copies(acc);
            self.open(&format!("if ({several}) {{"));
            self.line(&format!("env.{own} = ct_alloc(ctx, plan.tasks * {len}, sizeof({ty}));"));
            self.line(&format!(
                "for (int64_t k = 0; k < plan.tasks * {len}; k++) env.{own}[k] = {zero};"
            ));
            self.close();
        }
        self.line(&format!("ct_run(ctx, plan.tasks, {name}, &env);"));
        for acc in &it.accs {
            let (own, into, len) = (variable(acc.array), variable(acc.into), self.atom(acc.len));
            let scalar = element(self.func.ty(acc.array));
            let lanes = if self.has_lanes(acc.into) { " * CT_W" } else { "" };
            let target = format!("{into}[k{lanes}]");
            let one = format!("env.{own}[t * {len} + k]");
            let value = self.combine(acc.how, scalar, &target, &one);
            let several = self.own_copies(acc);
            self.line(&format!("if ({several})"));
            self.line("  for (int64_t t = 0; t < plan.tasks; t++)");
            self.line(&format!("    for (int64_t k = 0; k < {len}; k++) {target} = {value};"));
        }
        self.line("ctx->top = mark;");
        self.close();
    }

    /// When tasks have arrays of their own: a single one adds to the target itself.
    fn own_copies(&self, acc: &ChunkAcc) -> &'static str {
        if self.has_lanes(acc.into) { "1" } else { "plan.tasks != 1" }
    }
}
