//! Reads the text of a module back: the inverse of `print.rs`.
//!
//! It checks the grammar only, line by line; whether the module makes sense is the verifier's business.
//! Types of variables follow from what they are bound to, so a text whose operands have wrong types may
//! already be refused here. Any text gives a module or an error.

mod blocks;
mod line;

use std::collections::BTreeMap;

use base::{FileId, Name, Span};

use crate::verify::prim_type;
use crate::{
    Atom, Block, Both, Fault, Func, How, Kernel, Module, Node, Scalar, Site, Type, Value, Var,
};
use line::{Line, Parsed};

/// Blocks may be nested this deep.
const MAX_DEPTH: usize = 200;

/// The module that [`Module::text`] printed; else the line where the text is wrong, and how.
pub fn parse(text: &str) -> Result<Module, String> {
    let lines =
        text.lines().enumerate().map(|(number, it)| (number + 1, line::without_comment(it)));
    let lines: Vec<(usize, &str)> = lines.filter(|(_, it)| !it.is_empty()).collect();
    let mut reader = Reader { lines: &lines, at: 0, vars: BTreeMap::new(), depth: 0 };
    reader.module().map_err(|complaint| {
        // The last line that was looked at.
        let at = reader.at.saturating_sub(1).min(lines.len().saturating_sub(1));
        format!("line {}: {complaint}", lines.get(at).map_or(1, |it| it.0))
    })
}

struct Reader<'a> {
    /// With their numbers, without what is left out.
    lines: &'a [(usize, &'a str)],
    at: usize,
    /// The types of the variables of this function.
    vars: BTreeMap<Var, Type>,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).map(|it| it.1)
    }

    /// The next line, if it begins with this word; the rest of it.
    fn take(&mut self, word: &str) -> Option<Line<'a>> {
        let rest = self.peek()?.strip_prefix(word)?;
        if word.ends_with(char::is_alphabetic) && rest.starts_with(line::is_of_word) {
            return None;
        }
        self.at += 1;
        Some(Line::new(rest))
    }

    /// The next line is exactly this.
    fn expect(&mut self, wanted: &str) -> Parsed<()> {
        let next = self.peek();
        self.at += 1;
        match next {
            Some(it) if it == wanted => Ok(()),
            Some(it) => Err(format!("`{wanted}` is expected, not `{it}`")),
            None => Err(format!("`{wanted}` is missing at the end")),
        }
    }

    fn module(&mut self) -> Parsed<Module> {
        let mut module = Module::default();
        let mut entries = BTreeMap::new();
        while let Some(text) = self.peek() {
            if let Some(line) = self.take("site") {
                module.sites.push(site(line, module.sites.len())?);
            } else if let Some(line) = self.take("text") {
                module.texts.push(quoted(line, module.texts.len())?);
            } else {
                self.at += 1;
                let index = module.funcs.len();
                let (places, func) = self.function(Line::new(text))?;
                for place in places {
                    if entries.insert(place, index).is_some() {
                        return Err(format!("there are two entries {place}"));
                    }
                }
                module.funcs.push(func);
            }
        }
        if entries.keys().enumerate().any(|(index, it)| index != *it) {
            return Err("an entry is left out".to_string());
        }
        module.entries = entries.into_values().collect();
        Ok(module)
    }

    /// A function, and its places among the entries.
    fn function(&mut self, mut line: Line<'a>) -> Parsed<(Vec<usize>, Func)> {
        self.vars.clear();
        let mut places = Vec::new();
        if line.word("entry") {
            while let Some(place) = line.number() {
                places.push(place);
                line.eat(",");
            }
            if places.is_empty() {
                places.push(0);
            }
        }
        let recursive = line.word("recursive");
        let name = line.before('(').ok_or("a function is expected")?;
        let mut params = Vec::new();
        while !line.eat(")") {
            params.push(self.typed(&mut line)?);
            line.eat(",");
        }
        line.must("{")?;
        line.end()?;
        while let Some(mut line) = self.take("unused") {
            self.typed(&mut line)?;
            line.end()?;
        }
        let body = self.block()?;
        let mut line = self.take("return").ok_or("`return` is missing")?;
        let results = line.atoms()?;
        line.end()?;
        self.expect("}")?;
        let vars = std::mem::take(&mut self.vars);
        if vars.keys().enumerate().any(|(index, it)| index != it.0 as usize) {
            return Err(format!("not all variables of {name} have types"));
        }
        let vars = vars.into_values().collect();
        let name = Name::read(name.trim());
        Ok((places, Func { name, params, body, results, vars, recursive }))
    }

    /// `x1: Real`
    fn typed(&mut self, line: &mut Line<'a>) -> Parsed<Var> {
        let var = line.var()?;
        line.must(":")?;
        let ty = line.ty()?;
        self.define(var, ty)?;
        Ok(var)
    }

    fn define(&mut self, var: Var, ty: Type) -> Parsed<()> {
        match self.vars.insert(var, ty) {
            Some(_) => Err(format!("{var} is defined twice")),
            None => Ok(()),
        }
    }

    fn ty(&self, atom: Atom) -> Parsed<Type> {
        match atom {
            Atom::Var(var) => {
                self.vars.get(&var).copied().ok_or_else(|| format!("{var} is not defined"))
            }
            Atom::Real(_) => Ok(Type::Scalar(Scalar::Real)),
            Atom::Int(_) => Ok(Type::Scalar(Scalar::Int)),
            Atom::Bool(_) => Ok(Type::Scalar(Scalar::Bool)),
        }
    }

    fn element(&self, array: Var) -> Parsed<Scalar> {
        match self.ty(Atom::Var(array))? {
            Type::Array(it) => Ok(it),
            Type::Scalar(_) => Err(format!("{array} is no array")),
        }
    }

    fn block(&mut self) -> Parsed<Block> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("blocks are nested more than {MAX_DEPTH} deep"));
        }
        let mut block = Block::new();
        while let Some(text) = self.peek() {
            let ends = ["}", "return ", "next "].iter().any(|it| text.starts_with(it));
            if ends || text == "return" {
                break;
            }
            block.push(self.node(text)?);
        }
        self.depth -= 1;
        Ok(block)
    }

    fn node(&mut self, text: &'a str) -> Parsed<Node> {
        let is = |word: &str| text.split(' ').next() == Some(word);
        if is("state") || is("for") || is("vector") || is("unroll") || is("while") {
            return self.looping();
        }
        if let Some(line) = self.take("chunks") {
            return self.chunks(line);
        }
        if let Some(line) = self.take("if") {
            return self.branch(line);
        }
        if let Some(line) = self.take("switch") {
            return self.switch(line);
        }
        if self.take("scope {").is_some() {
            let block = self.block()?;
            self.expect("}")?;
            return Ok(Node::Scope(block));
        }
        self.at += 1;
        let mut line = Line::new(text);
        let node = self.statement(&mut line)?;
        line.end()?;
        Ok(node)
    }

    /// What is one line.
    fn statement(&mut self, line: &mut Line<'a>) -> Parsed<Node> {
        if line.word("check") {
            let holds = line.atom()?;
            line.must("else")?;
            let site = line.number().ok_or("the number of a site is expected")?;
            line.must("(")?;
            let values = line.atoms()?;
            line.must(")")?;
            return Ok(Node::Check { holds, site: site as u32, values });
        }
        if line.word("call") {
            return self.call(line, Vec::new());
        }
        if let Some(kernel) = line.kernel()? {
            return Ok(Node::Kernel(kernel));
        }
        let start = line.clone();
        let var = line.var()?;
        if line.eat("[") {
            return self.store(line, start, var);
        }
        if line.eat(":") {
            *line = start;
            let mut results = vec![self.typed(line)?];
            while line.eat(",") {
                results.push(self.typed(line)?);
            }
            line.must("=")?;
            line.must("call")?;
            return self.call(line, results);
        }
        if line.eat(",") {
            return self.both(line, var);
        }
        line.must("=")?;
        if line.word("alloc") {
            let ty = line.ty()?;
            line.must(",")?;
            let len = line.atom()?;
            let lanes = if line.eat(",") { Some(line.lanes()?) } else { None };
            self.define(var, ty)?;
            return Ok(Node::Alloc { array: var, len, lanes });
        }
        if line.word("make") {
            let tag = line.number().ok_or("a tag is expected")? as u32;
            line.must("(")?;
            let fields = line.atoms()?;
            line.must(")")?;
            self.define(var, Type::Scalar(Scalar::Box))?;
            return Ok(Node::Make { var, tag, fields });
        }
        let value = line.value()?;
        let ty = self.value_type(&value)?;
        self.define(var, ty)?;
        Ok(Node::Let { var, value })
    }

    /// `x1, x2 = sigmoids(x3)`, behind the first comma.
    fn both(&mut self, line: &mut Line<'a>, first: Var) -> Parsed<Node> {
        let results = [first, line.var()?];
        line.must("=")?;
        let name = line.before('(').unwrap_or_default();
        let both = Both::ALL.into_iter().find(|it| it.name() == name);
        let both = both.ok_or_else(|| format!("`{name}` are no two functions"))?;
        let of = line.atom()?;
        line.must(")")?;
        results.iter().try_for_each(|it| self.define(*it, Type::Scalar(Scalar::Real)))?;
        Ok(Node::Both { both, of, results })
    }

    fn call(&mut self, line: &mut Line<'a>, results: Vec<Var>) -> Parsed<Node> {
        let func = line.number().ok_or("the number of a function is expected")?;
        line.must("(")?;
        let args = line.atoms()?;
        line.must(")")?;
        Ok(Node::Call { func, args, results })
    }

    /// A store, or a product of matrices.
    fn store(&self, line: &mut Line<'a>, start: Line<'a>, array: Var) -> Parsed<Node> {
        let at = line.place()?;
        if line.eat("]") {
            let how = line.how()?;
            line.must("=")?;
            return Ok(Node::Store { array, at, value: line.atom()?, how });
        }
        *line = start;
        let c = line.matrix()?;
        let add = line.eat("+=");
        if !add {
            line.must("=")?;
        }
        let scaled = line.word("scaled");
        line.must("product")?;
        let (a, b) = (line.matrix()?, line.matrix()?);
        line.must(",")?;
        let m = line.atom()?;
        line.must("by")?;
        let n = line.atom()?;
        line.must("by")?;
        let k = line.atom()?;
        Ok(Node::Kernel(Kernel::Product { m, n, k, a, b, c, add, scaled }))
    }

    fn value_type(&self, value: &Value) -> Parsed<Type> {
        match value {
            Value::Atom(it) => self.ty(*it),
            Value::Prim(prim, operands) => {
                let types: Parsed<Vec<Type>> = operands.iter().map(|it| self.ty(*it)).collect();
                prim_type(*prim, &types?)
                    .ok_or_else(|| format!("{} of wrong operands", prim.name()))
            }
            Value::ScaleAdd(..) => Ok(Type::Scalar(Scalar::Real)),
            Value::Load { array, .. } => self.element(*array).map(Type::Scalar),
            Value::Part { array, .. } => self.element(*array).map(Type::Array),
        }
    }
}

/// `3 index 0 in f at 0:12..20`
fn site(mut line: Line<'_>, index: usize) -> Parsed<Site> {
    if line.number() != Some(index) {
        return Err(format!("this is site {index}"));
    }
    let name = line.before(' ').ok_or("what fails is expected")?;
    let number = line.number();
    let fault = Fault::of_words(name, number).ok_or_else(|| format!("nothing fails by {name}"))?;
    line.must("in")?;
    let rest = line.rest();
    let (def, place) = match rest.rsplit_once(" at ") {
        Some((def, place)) => (def, Some(place)),
        None => (rest, None),
    };
    let span = place.map(|it| span(it).ok_or_else(|| format!("`{it}` is no place"))).transpose()?;
    Ok(Site { fault, span, def: Name::read(def) })
}

fn span(text: &str) -> Option<Span> {
    let (file, range) = text.split_once(':')?;
    let (start, end) = range.split_once("..")?;
    let (file, start, end) = (file.parse().ok()?, start.parse().ok()?, end.parse().ok()?);
    Some(Span { file: FileId(file), start, end })
}

/// `0 "text"`
fn quoted(mut line: Line<'_>, index: usize) -> Parsed<std::sync::Arc<str>> {
    if line.number() != Some(index) {
        return Err(format!("this is text {index}"));
    }
    let text = line.rest().trim();
    let text = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let text = text.and_then(line::unescaped).ok_or("a text in quotes is expected")?;
    Ok(text.into())
}

/// How a word combines.
fn how_of(word: &str) -> Option<How> {
    let all = [How::Add, How::Mul, How::Max, How::Min];
    all.into_iter().find(|it| crate::print::how(*it) == word)
}
