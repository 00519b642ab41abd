//! What programs say while they run: calls of the host, or of the C library where there is none.

use std::fmt::Write;

use loops::{Atom, Saying, Scalar, Type};

use crate::printer::{Printer, element_type};

impl Printer<'_> {
    /// Tells of a scalar, or of an array of these sizes.
    pub(crate) fn tell(&mut self, saying: Saying, operands: [Atom; 3], sizes: &[Atom]) {
        let [every, text, value] = operands.map(|it| self.resolve(it));
        if saying != Saying::Report && every == Atom::Int(0) {
            return;
        }
        self.needs.insert("tell");
        let ty = self.func.atom_type(value);
        let (Type::Scalar(scalar) | Type::Array(scalar)) = ty;
        let kind = match scalar {
            Scalar::Real => "CT_REALS",
            Scalar::Int | Scalar::Box => "CT_INTS",
            Scalar::Bool => "CT_BOOLS",
        };
        let data = match ty {
            Type::Scalar(_) => format!("({}[]){{{}}}", element_type(scalar), self.atom(value)),
            Type::Array(_) => self.atom(value),
        };
        let (rank, sizes) = (sizes.len(), self.sizes(sizes));
        let (every, text, saying) = (self.atom(every), self.text(text), saying.number());
        self.open("{");
        self.line("static int64_t ct_count;");
        self.line(&format!(
            "ct_tell(ctx, &ct_count, {saying}, {every}, {text}, {kind}, {rank}, {sizes}, {data});"
        ));
        self.close();
    }

    fn sizes(&self, sizes: &[Atom]) -> String {
        let sizes: Vec<String> = sizes.iter().map(|it| self.atom(*it)).collect();
        match sizes.is_empty() {
            true => "NULL".to_string(),
            false => format!("(int64_t[]){{{}}}", sizes.join(", ")),
        }
    }

    /// A text by its number; those that a caller brings have no name here.
    fn text(&self, number: Atom) -> String {
        let texts = &self.module.texts;
        let known = |it: i64| usize::try_from(it).ok().and_then(|it| texts.get(it));
        match number {
            Atom::Int(it) => quoted(known(it).map_or("?", |it| it)),
            Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) => {
                let (number, count) = (self.atom(number), texts.len());
                let all: Vec<String> =
                    texts.iter().map(|it| quoted(it)).chain([quoted("?")]).collect();
                let all = all.join(", ");
                format!(
                    "((const char *const[]){{{all}}})[{number} >= 0 && {number} < {count} ? {number} : {count}]"
                )
            }
        }
    }
}

/// A text as C reads it. Three digits end an escape, whatever stands behind it.
fn quoted(text: &str) -> String {
    let mut res = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => res.extend(['\\', char::from(byte)]),
            // `??` begins a trigraph.
            b' '..=b'~' if byte != b'?' => res.push(char::from(byte)),
            _ => {
                let _ = write!(res, "\\{byte:03o}");
            }
        }
    }
    res.push('"');
    res
}
