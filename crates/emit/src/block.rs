//! Nodes as C statements.

use ir::Prim;
use loops::{Atom, Block, Both, Choice, How, Node, Phi, Type, Value, Var};

use crate::atoms::element;
use crate::fold::fold;
use crate::lanes::vector_type;
use crate::prims::Width;
use crate::printer::{Printer, declare, element_type, from_slot, slot_field, variable};
use crate::tuning::STACK_BYTES;

impl Printer<'_> {
    pub(crate) fn block(&mut self, block: &Block) {
        let mut rest = block.as_slice();
        while let Some((node, after)) = rest.split_first() {
            let mut stores = self.table(rest);
            if stores == 0 {
                stores = self.rows(rest);
            }
            if stores == 0 {
                self.node(node);
                rest = after;
            } else {
                rest = &rest[stores..];
            }
        }
    }

    pub(crate) fn node(&mut self, node: &Node) {
        match node {
            Node::Let { var, value } => self.bind(*var, value),
            Node::Both { both, of, results } => self.both(*both, *of, *results),
            Node::Alloc { array, len, lanes } => self.alloc(*array, *len, *lanes),
            Node::Store { array, at, value, how } => {
                self.store(*array, at, *value, *how);
            }
            Node::Loop(it) => self.counted(it),
            Node::Chunks(it) => self.chunks(it),
            Node::While(it) => self.while_loop(it),
            Node::If { cond, then, otherwise, results } => {
                self.branch(*cond, then, otherwise, results);
            }
            Node::Switch { value, arms, otherwise, results } => {
                self.declare_choices(results);
                let value = self.atom(*value);
                self.open(&format!("switch ({value}[0].i) {{"));
                for (k, arm) in arms.iter().enumerate() {
                    self.open(&format!("case {}: {{", arm.tag));
                    for (i, field) in arm.fields.iter().enumerate() {
                        let ty = self.func.ty(*field);
                        let slot = from_slot(ty, &format!("{value}[{}]", i + 1));
                        self.line(&format!("{} = {slot};", declare(ty, &variable(*field))));
                    }
                    self.block(&arm.body);
                    for choice in results {
                        self.assign(choice.var, choice.arms[k]);
                    }
                    self.line("break;");
                    self.close();
                }
                self.open("default: {");
                self.block(otherwise);
                for choice in results {
                    self.assign(choice.var, choice.otherwise);
                }
                self.close();
                self.close();
            }
            Node::Make { var, tag, fields } => {
                let name = variable(*var);
                let len = fields.len() + 1;
                self.line(&format!("ct_slot *{name} = ct_alloc(ctx, {len}, sizeof(ct_slot));"));
                self.line(&format!("{name}[0].i = {tag};"));
                for (i, field) in fields.iter().enumerate() {
                    let slot = slot_field(self.func.atom_type(*field));
                    let field = self.atom(*field);
                    self.line(&format!("{name}[{}].{slot} = {field};", i + 1));
                }
            }
            Node::Call { func, args, results } => self.call(*func, args, results),
            Node::Check { holds, .. } if self.resolve(*holds) == Atom::Bool(true) => {}
            Node::Check { holds, site, values } if !self.forms.is_same(*holds) => {
                self.check_lanes(*holds, *site, values);
            }
            Node::Check { holds, site, values } => {
                let holds = self.in_bounds(*holds, values);
                let values: Vec<String> = values.iter().map(|it| self.lane(*it, "0")).collect();
                let count = values.len();
                let values = if values.is_empty() {
                    "NULL".to_string()
                } else {
                    format!("(int64_t[]){{{}}}", values.join(", "))
                };
                self.line(&format!(
                    "if (CT_RARE(!{holds})) ct_fail(ctx, CT_SITE + {site}, {count}, {values});"
                ));
            }
            Node::Scope(block) => {
                // No braces: scalars that are computed inside may be used behind it.
                let mark = self.fresh("mark");
                self.line(&format!("char *{mark} = ctx->top;"));
                self.block(block);
                self.line(&format!("ctx->top = {mark};"));
            }
            Node::Kernel(kernel) => {
                if !self.wide_kernel(kernel) {
                    self.kernel(kernel);
                }
            }
        }
    }

    /// A condition of a check. That an index is one is a single comparison of what is not negative: sizes
    /// are not.
    fn in_bounds(&self, holds: Atom, values: &[Atom]) -> String {
        let value = |atom: &Atom| match atom {
            Atom::Var(var) => self.bounds.get(var),
            Atom::Int(_) | Atom::Real(_) | Atom::Bool(_) => None,
        };
        if let [index, size] = values
            && let Some(Value::Prim(Prim::And, both)) = value(&holds)
            && let [Some(Value::Prim(Prim::Ge, low)), Some(Value::Prim(Prim::Lt, high))] =
                [value(&both[0]), value(&both[1])]
            && **low == [*index, Atom::Int(0)]
            && **high == [*index, *size]
        {
            let (index, size) = (self.atom(*index), self.atom(*size));
            return format!("((uint64_t){index} < (uint64_t){size})");
        }
        self.atom(holds)
    }

    /// `T x`
    pub(crate) fn declaration(&self, var: Var) -> String {
        let (ty, name) = (self.func.ty(var), variable(var));
        if self.is_vector(var) {
            format!("{} {name}", vector_type(element(ty)))
        } else if let (true, Type::Array(scalar)) = (self.forms.wide.contains(&var), ty) {
            format!("{} *{name}", vector_type(scalar))
        } else {
            declare(ty, &name)
        }
    }

    /// `T x = value;`
    pub(crate) fn define(&mut self, var: Var, value: &str) {
        self.line(&format!("{} = {value};", self.declaration(var)));
    }

    /// An operand as what the variable is.
    pub(crate) fn as_in(&self, var: Var, value: Atom) -> String {
        if self.is_vector(var) { self.wide_atom(value) } else { self.atom(value) }
    }

    pub(crate) fn assign(&mut self, var: Var, value: Atom) {
        let value = self.as_in(var, value);
        self.line(&format!("{} = {value};", variable(var)));
    }

    fn bind(&mut self, var: Var, value: &Value) {
        if self.fused.contains(&var) {
            return;
        }
        if self.forms.parts.contains_key(&var) {
            return;
        }
        self.known[var.0 as usize] = None;
        if self.is_vector(var) {
            return self.bind_vector(var, value);
        }
        if let Value::Prim(prim, operands) = value {
            let operands: Vec<Atom> = operands.iter().map(|it| self.resolve(*it)).collect();
            if let Some(res) = fold(*prim, &operands).or_else(|| self.in_range(*prim, &operands)) {
                self.known[var.0 as usize] = Some(res);
                return;
            }
        }
        let text = match value {
            Value::Atom(atom) => self.atom(*atom),
            Value::Prim(prim, operands) => self.prim(*prim, operands),
            Value::ScaleAdd(a, b, c) => {
                let args = [a, b, c].map(|it| self.atom(*it));
                self.scale_add(false, &args)
            }
            Value::Load { array, at } => self.load(*array, at),
            Value::Part { array, at } => {
                let lanes = self.lanes[array.0 as usize];
                self.lanes[var.0 as usize] = lanes;
                self.pointer(*array, at)
            }
        };
        self.define(var, &text);
    }

    /// Two functions by one call.
    fn both(&mut self, both: Both, of: Atom, results: [Var; 2]) {
        for var in results {
            self.known[var.0 as usize] = None;
            let declaration = self.declaration(var);
            self.line(&format!("{declaration};"));
        }
        let (of, width) = match self.is_vector(results[0]) {
            true => (self.wide_atom(of), Width::Lanes),
            false => (self.atom(of), Width::One),
        };
        let [a, b] = results.map(|it| format!("&{}", variable(it)));
        let call = self.function_call(both.name(), width, &[of, a, b]);
        self.line(&format!("{call};"));
    }

    /// What is true since the variable of a loop counts its steps. The C compiler would find that too,
    /// but indices are checked so often that its time is worth saving.
    fn in_range(&self, prim: Prim, operands: &[Atom]) -> Option<Atom> {
        let [Atom::Var(var), bound] = operands else { return None };
        let count = self.resolve(*self.counts.get(var)?);
        let holds = match (prim, bound, count) {
            (Prim::Ge, Atom::Int(least), _) => *least <= 0,
            (Prim::Lt, Atom::Int(bound), Atom::Int(count)) => count <= *bound,
            (Prim::Lt, Atom::Var(_), Atom::Var(_)) => *bound == count,
            (_, _, _) => false,
        };
        holds.then_some(Atom::Bool(true))
    }

    fn alloc(&mut self, array: Var, len: Atom, lanes: Option<How>) {
        self.lanes[array.0 as usize] = lanes;
        let name = variable(array);
        let wide = self.forms.wide.contains(&array);
        let scalar = self.element(array);
        let ty = if wide { vector_type(scalar) } else { element_type(scalar) };
        let len = self.resolve(len);
        match len {
            Atom::Int(len)
                if len > 0 && len <= STACK_BYTES / 8 && self.private.contains(&array) =>
            {
                self.line(&format!("{ty} {name}[{len}];"));
            }
            Atom::Var(_) | Atom::Int(_) | Atom::Real(_) | Atom::Bool(_) => {
                let len = self.atom(len);
                let own = lanes.is_some() && self.options.vector;
                let size =
                    if own { format!("CT_W * sizeof({ty})") } else { format!("sizeof({ty})") };
                self.line(&format!("{ty} *{name} = ct_alloc(ctx, {len}, {size});"));
            }
        }
    }

    fn branch(&mut self, cond: Atom, then: &Block, otherwise: &Block, results: &[Phi]) {
        for phi in results {
            self.line(&format!("{};", self.declaration(phi.var)));
        }
        let cond = self.atom(cond);
        self.open(&format!("if ({cond}) {{"));
        self.block(then);
        for phi in results {
            self.assign(phi.var, phi.then);
        }
        if otherwise.is_empty() && results.is_empty() {
            return self.close();
        }
        self.depth -= 1;
        self.open("} else {");
        self.block(otherwise);
        for phi in results {
            self.assign(phi.var, phi.otherwise);
        }
        self.close();
    }

    fn declare_choices(&mut self, results: &[Choice]) {
        for it in results {
            self.line(&format!("{};", declare(self.func.ty(it.var), &variable(it.var))));
        }
    }

    fn call(&mut self, func: usize, args: &[Atom], results: &[Var]) {
        let name = &self.names[func];
        if !args.iter().all(|it| self.forms.is_same(*it)) {
            return self.call_lanes(name, args, results);
        }
        let mut list = vec!["ctx".to_string()];
        list.extend(args.iter().map(|it| self.atom(*it)));
        if let [result] = results {
            let text = format!("{name}({})", list.join(", "));
            return self.define(*result, &text);
        }
        list.extend(results.iter().map(|it| format!("&{}", variable(*it))));
        let text = format!("{name}({});", list.join(", "));
        for result in results {
            self.line(&format!("{};", declare(self.func.ty(*result), &variable(*result))));
        }
        self.line(&text);
    }
}
