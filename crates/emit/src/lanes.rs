//! Vector loops: several steps at once, with explicit vectors.
//!
//! One loop does `CT_W` steps at a time, the last time as many as are left: `live` of them. Memory is
//! read and written for live lanes only, the other lanes compute what nobody sees. A small body is
//! unrolled several times before that, for full vectors, with accumulators of its own each, so that
//! sums do not wait for one another. What is summed in which order depends on the number of steps only.

use ir::Prim;
use loops::{Atom, Block, Kind, Loop, Node, Scalar, Type, Value, Var};

use crate::atoms::element;
use crate::forms::{Form, Forms};
use crate::look::{allocates, is_flat};
use crate::prims::{how_prim, neutral};
use crate::printer::{Printer, scalar_type, variable};
use crate::tuning::{FEW_VECTORS, SMALL_BODY, TINY_BODY};

/// The C type of a scalar of every lane.
pub(crate) fn vector_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "vr",
        Scalar::Int => "vn",
        Scalar::Bool | Scalar::Box => "vb",
    }
}

/// A scalar in all lanes.
pub(crate) fn splat(scalar: Scalar, text: &str) -> String {
    match scalar {
        Scalar::Real => format!("ct_set({text})"),
        Scalar::Int => format!("ct_set_n({text})"),
        Scalar::Bool | Scalar::Box => format!("ct_mask({text})"),
    }
}

impl Printer<'_> {
    /// The loop with vectors, if there can be any.
    pub(crate) fn vector_loop(&mut self, it: &Loop) -> bool {
        if !self.options.vector || self.live.is_some() {
            return false;
        }
        let Ok(forms) = Forms::of_loop(self.func, it) else { return false };
        self.needs.insert("lanes");
        let count = self.atom(it.count);
        let outer = std::mem::replace(&mut self.forms, forms);
        let (first, mark) = (self.fresh("i"), self.fresh("mark"));
        let frees = allocates(&it.body);
        let short = match self.resolve(it.count) {
            Atom::Int(count) => Some(count),
            Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => None,
        };
        let one = self.options.draft || short.is_some_and(|it| it <= FEW_VECTORS);
        let copies = if one { 1 } else { copies(it) };
        self.line(&format!("int64_t {first} = 0;"));
        if frees {
            self.line(&format!("char *{mark} = ctx->top;"));
        }
        for acc in &it.accs {
            for copy in 0..copies {
                let scalar = element(self.func.ty(acc.var));
                let init = splat(scalar, neutral(acc.how, scalar));
                let ty = vector_type(scalar);
                self.line(&format!("{ty} {} = {init};", partial(acc.var, copy)));
            }
        }
        if copies > 1 {
            self.full_steps(it, copies, &first, &count);
        }
        let var = variable(it.var);
        self.open(&format!("for (; {first} < {count}; {first} += CT_W) {{"));
        self.line(&format!("int64_t {var} = {first};"));
        self.line(&format!("int64_t live = {count} - {var} < CT_W ? {count} - {var} : CT_W;"));
        self.live = Some("live".to_string());
        if !is_flat(&it.body) {
            self.line("ct_poll(ctx);");
        } else if !self.is_short(it.count) {
            self.line(&format!("if (({var} & (1024 * CT_W - 1)) == 0) ct_poll(ctx);"));
        }
        self.lanes_step(it, 0);
        if frees {
            self.line(&format!("ctx->top = {mark};"));
        }
        self.close();
        self.live = None;
        self.forms = outer;
        for acc in &it.accs {
            let total = horizontal(acc.how, element(self.func.ty(acc.var)), &partial(acc.var, 0));
            let init = self.atom(acc.init);
            let total = self.combine(acc.how, element(self.func.ty(acc.var)), &init, &total);
            self.define(acc.var, &total);
        }
        true
    }

    /// Steps of full vectors, several in a row.
    fn full_steps(&mut self, it: &Loop, copies: usize, first: &str, count: &str) {
        let var = variable(it.var);
        self.open(&format!(
            "for (; {first} <= {count} - {copies} * CT_W; {first} += {copies} * CT_W) {{"
        ));
        if !self.is_short(it.count) {
            self.line(&format!("if (({first} & (1024 * CT_W - 1)) == 0) ct_poll(ctx);"));
        }
        self.live = Some("CT_W".to_string());
        for copy in 0..copies {
            self.open("{");
            self.line(&format!("int64_t {var} = {first} + {copy} * CT_W;"));
            self.lanes_step(it, copy);
            self.close();
        }
        self.close();
        for acc in &it.accs {
            let scalar = element(self.func.ty(acc.var));
            let mut width = copies / 2;
            while width > 0 {
                for copy in 0..width {
                    let (x, y) = (partial(acc.var, copy), partial(acc.var, copy + width));
                    let sum = self.vector_prim(how_prim(acc.how), scalar, &[x.clone(), y]);
                    self.line(&format!("{x} = {sum};"));
                }
                width /= 2;
            }
        }
    }

    fn lanes_step(&mut self, it: &Loop, copy: usize) {
        let loose = if self.options.draft { None } else { self.loose(it) };
        let products = match loose {
            Some(_) => Default::default(),
            None => self.products(it),
        };
        match loose {
            Some(loose) => self.loose_body(it, &loose),
            None => self.block(&it.body),
        }
        for acc in &it.accs {
            let scalar = element(self.func.ty(acc.var));
            if let Some(product) = products.get(&acc.var) {
                let name = partial(acc.var, copy);
                let sum = self.plus_product(*product, &name);
                let sum = match self.live.as_deref() {
                    Some("CT_W") => sum,
                    _ => format!("ct_select(ct_first(live), {sum}, {name})"),
                };
                self.line(&format!("{name} = {sum};"));
                continue;
            }
            let value = self.alive(acc.value, acc.how, scalar);
            let name = partial(acc.var, copy);
            let sum = self.vector_prim(how_prim(acc.how), scalar, &[name.clone(), value]);
            self.line(&format!("{name} = {sum};"));
        }
    }

    /// A vector that does not count in lanes beyond the last step.
    pub(crate) fn alive(&mut self, value: Atom, how: loops::How, scalar: Scalar) -> String {
        let value = self.wide_atom(value);
        if self.live.as_deref() == Some("CT_W") {
            return value;
        }
        let zero = neutral(how, scalar);
        match scalar {
            Scalar::Real => format!("ct_alive({value}, live, {zero})"),
            Scalar::Int => format!("ct_int_alive({value}, live, {zero})"),
            Scalar::Bool | Scalar::Box => format!("ct_bool_alive({value}, live, {zero})"),
        }
    }

    /// Whether it is a vector here.
    pub(crate) fn is_vector(&self, var: Var) -> bool {
        self.forms.of(var) == Form::Vector
    }

    /// An operand as a vector.
    pub(crate) fn wide_atom(&self, atom: Atom) -> String {
        let scalar = self.scalar(atom);
        let text = self.atom(atom);
        match self.forms.of_atom(self.resolve(atom)) {
            Form::Same => splat(scalar, &text),
            Form::Vector => text,
            Form::Steps(step) => format!("ct_count({text}, {step})"),
            Form::Strides(by) => format!("ct_count({text}, {})", self.atom(Atom::Var(by))),
        }
    }

    /// An operand in one lane.
    pub(crate) fn lane(&self, atom: Atom, lane: &str) -> String {
        let text = self.atom(atom);
        match self.forms.of_atom(self.resolve(atom)) {
            Form::Same => text,
            Form::Vector if self.scalar(atom) == Scalar::Bool => format!("{text}[{lane}] != 0"),
            Form::Vector => format!("{text}[{lane}]"),
            Form::Steps(step) => format!("{text} + {lane} * {}", crate::atoms::int(step)),
            Form::Strides(by) => format!("{text} + {lane} * {}", self.atom(Atom::Var(by))),
        }
    }

    /// `vr x = value;`
    pub(crate) fn bind_vector(&mut self, var: Var, value: &Value) {
        let text = match value {
            Value::Atom(atom) => self.wide_atom(*atom),
            // By a number that is known, nothing has to be divided.
            Value::Prim(prim, operands) if is_by_known(*prim, operands) => {
                let operands: Vec<String> =
                    vec![self.wide_atom(operands[0]), self.atom(operands[1])];
                format!("ct_int_{}_by({})", prim.name(), operands.join(", "))
            }
            Value::Prim(prim, operands) => {
                let scalar = operands.last().map_or(Scalar::Real, |it| self.scalar(*it));
                let operands: Vec<String> = operands.iter().map(|it| self.wide_atom(*it)).collect();
                self.vector_prim(*prim, scalar, &operands)
            }
            Value::ScaleAdd(a, b, c) => {
                let args = [a, b, c].map(|it| self.wide_atom(*it));
                self.scale_add(true, &args)
            }
            Value::Load { array, at } => self.wide_load(*array, at, ""),
            // A pointer is no vector.
            Value::Part { array, at } => self.pointer(*array, at),
        };
        self.define(var, &text);
    }

    pub(crate) fn check_lanes(&mut self, holds: Atom, site: u32, values: &[Atom]) {
        let live = self.live.clone().unwrap_or_default();
        let holds = self.atom(holds);
        let values: Vec<String> = values.iter().map(|it| self.lane(*it, "lane")).collect();
        self.open(&format!("if (CT_RARE(!ct_all_live({holds}, {live}))) {{"));
        self.line(&format!("int lane = ct_first_not({holds});"));
        let count = values.len();
        let list = format!("(int64_t[]){{{}}}", values.join(", "));
        let values = if count == 0 { "NULL" } else { &list };
        self.line(&format!("ct_fail(ctx, CT_SITE + {site}, {count}, {values});"));
        self.close();
    }

    /// A function that is called for each lane.
    pub(crate) fn call_lanes(&mut self, name: &str, args: &[Atom], results: &[Var]) {
        let live = self.live.clone().unwrap_or_default();
        let mut list = vec!["ctx".to_string()];
        list.extend(args.iter().map(|it| self.lane(*it, "l")));
        for result in results {
            let scalar = element(self.func.ty(*result));
            let zero = splat(scalar, "0");
            self.define(*result, &zero);
        }
        self.open(&format!("for (int64_t l = 0; l < {live}; l++) {{"));
        let into = |printer: &Self, var: Var, value: &str| {
            let sign = if printer.func.ty(var) == Type::Scalar(Scalar::Bool) { "-" } else { "" };
            format!("{}[l] = {sign}{value};", variable(var))
        };
        if let [result] = results {
            let line = into(self, *result, &format!("{name}({})", list.join(", ")));
            self.line(&line);
        } else {
            for (k, result) in results.iter().enumerate() {
                self.line(&format!("{} r{k};", scalar_type(element(self.func.ty(*result)))));
                list.push(format!("&r{k}"));
            }
            self.line(&format!("{name}({});", list.join(", ")));
            for (k, result) in results.iter().enumerate() {
                let line = into(self, *result, &format!("r{k}"));
                self.line(&line);
            }
        }
        self.close();
    }
}

fn partial(var: Var, copy: usize) -> String {
    format!("{}_{copy}", variable(var))
}

/// All lanes of a vector combined, in a fixed order.
pub(crate) fn horizontal(how: loops::How, scalar: Scalar, vector: &str) -> String {
    let prefix = match scalar {
        Scalar::Real => "",
        Scalar::Int => "int_",
        Scalar::Bool | Scalar::Box => "bool_",
    };
    let name = match how {
        loops::How::Set | loops::How::Add => "sum",
        loops::How::Mul => "product",
        loops::How::Max => "max",
        loops::How::Min => "min",
    };
    format!("ct_{prefix}lanes_{name}({vector})")
}

/// How many times the body is unrolled for full vectors.
fn copies(it: &Loop) -> usize {
    let size = size(&it.body);
    if size <= TINY_BODY && !it.accs.is_empty() {
        4
    } else if size <= SMALL_BODY {
        2
    } else {
        1
    }
}

/// About how much a body is; what is long by itself counts as too much.
fn size(block: &Block) -> usize {
    let too_much = SMALL_BODY + 1;
    block
        .iter()
        .map(|node| match node {
            Node::Let { value: Value::Prim(prim, _), .. } => {
                if crate::prims::is_operator(*prim) {
                    1
                } else {
                    too_much
                }
            }
            Node::Both { .. } => 2 * too_much,
            Node::Let { .. } | Node::Store { .. } => 1,
            Node::Check { .. } => 2,
            Node::Loop(it) if it.kind == Kind::Unroll => match it.count {
                Atom::Int(count) => count.clamp(0, 100) as usize * size(&it.body),
                Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => too_much,
            },
            Node::Scope(block) => size(block),
            Node::Loop(_)
            | Node::Alloc { .. }
            | Node::Chunks(_)
            | Node::While(_)
            | Node::If { .. }
            | Node::Switch { .. }
            | Node::Make { .. }
            | Node::Call { .. }
            | Node::Kernel(_) => too_much,
        })
        .sum()
}

/// Whether integers are divided by a positive number that is known.
fn is_by_known(prim: Prim, operands: &[Atom]) -> bool {
    matches!(prim, Prim::Div | Prim::Rem) && matches!(operands, [_, Atom::Int(1..)])
}
