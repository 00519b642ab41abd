//! Loop nests as text, for people: `cotan stages` and tests. Every loop says how many operations and
//! how many bytes of arrays a step of it costs, without the loops inside of it.
//!
//! [`Module::text`] is all of a module, and [`crate::parse`] reads it back. The types of most variables
//! follow from what they are bound to and are not printed.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Write};

use crate::cost::Cost;
use crate::{
    Acc, Arm, Atom, Block, Choice, Chunks, Func, How, Kernel, Kind, Loop, Matrix, Module, Node,
    Phi, Place, Scalar, Site, State, Term, Type, Value, Var, While,
};

impl Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, func) in self.funcs.iter().enumerate() {
            let is_entry = |it: &(usize, &usize)| *it.1 == index;
            let places: Vec<usize> =
                self.entries.iter().enumerate().filter(is_entry).map(|it| it.0).collect();
            match places.as_slice() {
                [] => write!(f, "{func}")?,
                [_] if self.entries.len() == 1 => write!(f, "entry {func}")?,
                _ => write!(f, "entry {} {func}", list(places.iter()))?,
            }
        }
        Ok(())
    }
}

impl Module {
    /// All of it: the functions, then what can fail in them, and the texts that occur.
    pub fn text(&self) -> String {
        let mut res = self.to_string();
        for (index, site) in self.sites.iter().enumerate() {
            let _ = writeln!(res, "site {index} {site}");
        }
        for (index, text) in self.texts.iter().enumerate() {
            let _ = writeln!(res, "text {index} \"{}\"", text.escape_default());
        }
        res
    }
}

impl Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, number) = self.fault.words();
        let number = number.map_or(String::new(), |it| format!(" {it}"));
        write!(f, "{name}{number} in {}", self.def)?;
        match self.span {
            Some(it) => write!(f, " at {}:{}..{}", it.file.0, it.start, it.end),
            None => Ok(()),
        }
    }
}

impl Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { func: self, text: String::new(), depth: 1 };
        for var in undefined(self) {
            printer.line(format_args!("unused {var}: {}", self.ty(var)));
        }
        printer.block(&self.body);
        let recursive = if self.recursive { "recursive " } else { "" };
        let params = list(self.params.iter().map(|it| format!("{it}: {}", self.ty(*it))));
        let results = list(self.results.iter());
        writeln!(f, "{recursive}{}({params}) {{", self.name)?;
        writeln!(f, "{}  return {results}\n}}\n", printer.text)
    }
}

impl Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

impl Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scalar::Real => "Real",
            Scalar::Int => "Int",
            Scalar::Bool => "Bool",
            Scalar::Box => "Box",
        })
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(it) => write!(f, "{it}"),
            Type::Array(it) => write!(f, "[]{it}"),
        }
    }
}

impl Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Var(it) => write!(f, "{it}"),
            Atom::Real(it) => write!(f, "{it:?}"),
            Atom::Int(it) => write!(f, "{it}"),
            Atom::Bool(it) => write!(f, "{it}"),
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Atom(it) => write!(f, "{it}"),
            Value::Prim(prim, operands) => write!(f, "{}({})", prim.name(), list(operands.iter())),
            Value::ScaleAdd(a, b, c) => write!(f, "scale_add({a}, {b}, {c})"),
            Value::Load { array, at } => write!(f, "{array}[{}]", place(at)),
            Value::Part { array, at } if at.is_empty() => write!(f, "{array}[...]"),
            Value::Part { array, at } => write!(f, "{array}[{} ...]", place(at)),
        }
    }
}

/// The variables that have a type and that nothing defines.
fn undefined(func: &Func) -> Vec<Var> {
    let mut defined: BTreeSet<Var> = func.params.iter().copied().collect();
    crate::walk(&func.body, &mut |node| {
        node.defines(&mut |var| {
            defined.insert(var);
        });
    });
    let all = (0..func.vars.len() as u32).map(Var);
    all.filter(|it| !defined.contains(it)).collect()
}

fn list(items: impl Iterator<Item = impl Display>) -> String {
    items.map(|it| it.to_string()).collect::<Vec<_>>().join(", ")
}

fn place(at: &Place) -> String {
    let term = |Term { index, stride }: &Term| match stride {
        Atom::Int(1) => index.to_string(),
        Atom::Int(_) | Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => {
            format!("{index} * {stride}")
        }
    };
    at.iter().map(term).collect::<Vec<_>>().join(" + ")
}

pub(crate) fn how(it: How) -> &'static str {
    match it {
        How::Set => "",
        How::Add => "+",
        How::Mul => "*",
        How::Max => "max",
        How::Min => "min",
    }
}

fn matrix(it: &Matrix) -> String {
    let plus = if it.at.is_empty() { "" } else { " + " };
    format!("{}[{}{plus}i * {} + j * {}]", it.array, place(&it.at), it.rows, it.columns)
}

struct Printer<'a> {
    func: &'a Func,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: impl Display) {
        let indent = 2 * self.depth;
        let _ = writeln!(self.text, "{:indent$}{text}", "");
    }

    fn inside(&mut self, block: &Block) {
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|it| self.node(it));
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Let { var, value } => self.line(format_args!("{var} = {value}")),
            Node::Both { both, of, results: [x, y] } => {
                self.line(format_args!("{x}, {y} = {}({of})", both.name()));
            }
            Node::Alloc { array, len, lanes } => {
                let lanes = lanes.map_or(String::new(), |it| format!(", {} over lanes", how(it)));
                let ty = self.func.ty(*array);
                self.line(format_args!("{array} = alloc {ty}, {len}{lanes}"));
            }
            Node::Store { array, at, value, how: it } => {
                self.line(format_args!("{array}[{}] {}= {value}", place(at), how(*it)));
            }
            Node::Loop(it) => self.counted(it),
            Node::Chunks(it) => self.chunks(it),
            Node::While(it) => self.while_loop(it),
            Node::If { cond, then, otherwise, results } => {
                self.branch(*cond, then, otherwise, results);
            }
            Node::Switch { value, arms, otherwise, results } => {
                self.switch(*value, arms, otherwise, results);
            }
            Node::Make { var, tag, fields } => {
                self.line(format_args!("{var} = make {tag}({})", list(fields.iter())));
            }
            Node::Call { func, args, results } => {
                let equals = if results.is_empty() { "" } else { " = " };
                let typed = |it: &Var| format!("{it}: {}", self.func.ty(*it));
                let (results, args) = (list(results.iter().map(typed)), list(args.iter()));
                self.line(format_args!("{results}{equals}call {func}({args})"));
            }
            Node::Check { holds, site, values } => {
                self.line(format_args!("check {holds} else {site}({})", list(values.iter())));
            }
            Node::Scope(block) => {
                self.line("scope {");
                self.inside(block);
                self.line("}");
            }
            Node::Kernel(kernel) => self.kernel(kernel),
        }
    }

    fn counted(&mut self, it: &Loop) {
        let kind = match it.kind {
            Kind::Seq => "for",
            Kind::Vector => "vector",
            Kind::Unroll => "unroll",
        };
        self.states(&it.state);
        let cost = Cost::of(self.func, &it.body);
        self.line(format_args!("{kind} {} < {} {{  // {cost}", it.var, it.count));
        self.inside(&it.body);
        self.next(&it.state);
        self.accs(&it.accs);
    }

    fn states(&mut self, state: &[State]) {
        for it in state {
            self.line(format_args!("state {} = {}", it.var, it.init));
        }
    }

    /// The end of a loop, with what is handed on.
    fn next(&mut self, state: &[State]) {
        self.depth += 1;
        for it in state {
            self.line(format_args!("next {} = {}", it.var, it.next));
        }
        self.depth -= 1;
        self.line("}");
        for it in state {
            self.line(format_args!("{} = last {}", it.last, it.var));
        }
    }

    fn accs(&mut self, accs: &[Acc]) {
        for it in accs {
            let once = if it.once { ", once" } else { "" };
            let Acc { var, init, value, .. } = it;
            self.line(format_args!("{var} = {init} {} over {value}{once}", how(it.how)));
        }
    }

    fn chunks(&mut self, it: &Chunks) {
        let (start, len, total) = (it.start, it.len, it.total);
        let mut head = format!("chunks {start}, {len} < {total}");
        let _ = write!(head, ", {} bytes and {} ns an element", it.bytes, it.work);
        for acc in &it.accs {
            let _ = write!(head, ", {} {}= {} of {}", acc.into, how(acc.how), acc.array, acc.len);
        }
        self.line(format_args!("{head} {{"));
        self.inside(&it.body);
        self.line("}");
    }

    fn while_loop(&mut self, it: &While) {
        self.states(&it.state);
        let cost = Cost::of(self.func, &it.before) + Cost::of(self.func, &it.body);
        self.line(format_args!("while {{  // {cost}"));
        self.inside(&it.before);
        self.line(format_args!("}} holds {} {{", it.cond));
        self.inside(&it.body);
        self.next(&it.state);
    }

    fn branch(&mut self, cond: Atom, then: &Block, otherwise: &Block, results: &[Phi]) {
        self.line(format_args!("if {cond} {{"));
        self.inside(then);
        if !otherwise.is_empty() {
            self.line("} else {");
            self.inside(otherwise);
        }
        self.line("}");
        for it in results {
            self.line(format_args!("{} = either {}, {}", it.var, it.then, it.otherwise));
        }
    }

    fn switch(&mut self, value: Atom, arms: &[Arm], otherwise: &Block, results: &[Choice]) {
        self.line(format_args!("switch {value} {{"));
        for arm in arms {
            let field = |it: &Var| format!("{it}: {}", self.func.ty(*it));
            let fields = list(arm.fields.iter().map(field));
            self.line(format_args!("{}({fields}) {{", arm.tag));
            self.inside(&arm.body);
            self.line("}");
        }
        self.line("else {");
        self.inside(otherwise);
        self.line("}");
        self.line("}");
        for it in results {
            let arms = list(it.arms.iter());
            self.line(format_args!("{} = one of {arms} else {}", it.var, it.otherwise));
        }
    }

    fn kernel(&mut self, kernel: &Kernel) {
        match kernel {
            Kernel::Fill { array, at, len, value } => {
                self.line(format_args!("fill {array}[{}], {len} with {value}", place(at)));
            }
            Kernel::Copy { from, from_at, into, into_at, len } => {
                let (from_at, into_at) = (place(from_at), place(into_at));
                self.line(format_args!("copy {from}[{from_at}] to {into}[{into_at}], {len}"));
            }
            Kernel::Product { m, n, k, a, b, c, add, scaled } => {
                let (a, b, c) = (matrix(a), matrix(b), matrix(c));
                let sign = if *add { "+=" } else { "=" };
                let name = if *scaled { "scaled product" } else { "product" };
                self.line(format_args!("{c} {sign} {name} {a} {b}, {m} by {n} by {k}"));
            }
            Kernel::Sort { from, into, len } => {
                self.line(format_args!("sort {from} to {into}, {len}"));
            }
            Kernel::Argsort { from, into, len } => {
                self.line(format_args!("argsort {from} to {into}, {len}"));
            }
            Kernel::Tell { saying, every, text, value, sizes } => {
                let (saying, sizes) = (saying.number(), list(sizes.iter()));
                self.line(format_args!("tell {saying} {every} {text} {value} of {sizes}"));
            }
        }
    }
}
