//! Primitives as C expressions, of scalars and of vectors. What they mean is said by
//! `crates/eval/src/kernels/scalar.rs`.

use ir::Prim;
use ir::prim::Rule;
use loops::{Atom, How, Scalar};

use crate::printer::Printer;

/// Whether one element is computed or one for every lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Width {
    One,
    Lanes,
}

/// Functions of `vector.h`, which need not be asked for.
const ALWAYS_THERE: [&str; 6] = ["abs", "sqrt", "floor", "ceil", "int", "real"];

impl Printer<'_> {
    /// A primitive of scalar operands.
    pub(crate) fn prim(&mut self, prim: Prim, operands: &[Atom]) -> String {
        let scalar = operands.last().map_or(Scalar::Real, |it| self.scalar(*it));
        let args: Vec<String> = operands.iter().map(|it| self.atom(*it)).collect();
        self.apply(prim, scalar, Width::One, &args)
    }

    /// A primitive of vectors; `scalar` is what the last operand is a vector of.
    pub(crate) fn vector_prim(&mut self, prim: Prim, scalar: Scalar, args: &[String]) -> String {
        self.apply(prim, scalar, Width::Lanes, args)
    }

    /// `scale(x, y) + z`.
    pub(crate) fn scale_add(&mut self, is_vector: bool, args: &[String]) -> String {
        let width = if is_vector { Width::Lanes } else { Width::One };
        if self.plain_scale == Some(width) {
            return call("ma", width, args);
        }
        self.function_call("scale_add", width, args)
    }

    /// `x how y` of scalars.
    pub(crate) fn combine(&mut self, how: How, scalar: Scalar, x: &str, y: &str) -> String {
        if how == How::Set {
            return y.to_string();
        }
        self.apply(how_prim(how), scalar, Width::One, &[x.to_string(), y.to_string()])
    }

    fn apply(&mut self, prim: Prim, scalar: Scalar, width: Width, args: &[String]) -> String {
        if prim == Prim::Scale && scalar == Scalar::Real && self.plain_scale == Some(width) {
            // Of scalars, adding 0 costs nothing and makes a -0 the 0 that is meant.
            return match width {
                Width::One => call("ma", width, &[args, &["0".to_string()]].concat()),
                Width::Lanes => self.apply(Prim::Mul, scalar, width, args),
            };
        }
        if prim == Prim::Select {
            return select(scalar, width, args);
        }
        match (scalar, operator(prim)) {
            (Scalar::Bool | Scalar::Box, _) => bool_prim(prim, width, args),
            (Scalar::Real, Some(op)) => real_operator(prim, op, width, args),
            (Scalar::Int, Some(op)) if width == Width::One && is_comparison(prim) => {
                infix(op, args)
            }
            (Scalar::Int, _) if prim == Prim::ToReal => self.function_call("real", width, args),
            (Scalar::Int, _) => {
                let name = format!("int_{}", prim.name());
                call(&name, width, args)
            }
            (Scalar::Real, None) => self.function_call(prim.name(), width, args),
        }
    }

    /// A function on reals, which is then needed.
    pub(crate) fn function_call(&mut self, name: &str, width: Width, args: &[String]) -> String {
        if !ALWAYS_THERE.contains(&name) {
            self.functions.insert(match width {
                Width::One => format!("{name}1"),
                Width::Lanes => name.to_string(),
            });
        }
        call(name, width, args)
    }
}

/// The primitive that combines two values.
pub(crate) fn how_prim(how: How) -> Prim {
    match how {
        How::Set | How::Add => Prim::Add,
        How::Mul => Prim::Mul,
        How::Max => Prim::Max,
        How::Min => Prim::Min,
    }
}

/// What `how` leaves as it is.
pub(crate) fn neutral(how: How, scalar: Scalar) -> &'static str {
    match (how, scalar) {
        (How::Set | How::Add, _) => "0",
        (How::Mul, _) => "1",
        (How::Max, Scalar::Real) => "-(real)__builtin_inf()",
        (How::Min, Scalar::Real) => "(real)__builtin_inf()",
        (How::Max, Scalar::Int) => "INT64_MIN",
        (How::Min, Scalar::Int) => "INT64_MAX",
        (How::Max, Scalar::Bool | Scalar::Box) => "0",
        (How::Min, Scalar::Bool | Scalar::Box) => "1",
    }
}

/// Whether it is about one instruction.
pub(crate) fn is_operator(prim: Prim) -> bool {
    operator(prim).is_some()
        || matches!(prim, Prim::Abs | Prim::Min | Prim::Max | Prim::Select | Prim::Scale)
        || matches!(prim, Prim::And | Prim::Or | Prim::Not | Prim::ToReal)
        || prim.row().rule == Rule::Int2
}

fn is_comparison(prim: Prim) -> bool {
    matches!(prim, Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Eq | Prim::Ne)
}

fn infix(op: &str, args: &[String]) -> String {
    args.join(&format!(" {op} "))
}

fn call(name: &str, width: Width, args: &[String]) -> String {
    let one = if width == Width::One { "1" } else { "" };
    format!("ct_{name}{one}({})", args.join(", "))
}

fn select(scalar: Scalar, width: Width, args: &[String]) -> String {
    let [cond, x, y] = args else { return String::new() };
    match (width, scalar) {
        (Width::One, _) => format!("{cond} ? {x} : {y}"),
        (Width::Lanes, Scalar::Real) => format!("ct_select({cond}, {x}, {y})"),
        (Width::Lanes, Scalar::Int) => format!("ct_int_select({cond}, {x}, {y})"),
        (Width::Lanes, Scalar::Bool | Scalar::Box) => format!("ct_bool_select({cond}, {x}, {y})"),
    }
}

fn real_operator(prim: Prim, op: &str, width: Width, args: &[String]) -> String {
    let text = if prim == Prim::Neg {
        format!("-{}", args.join(""))
    } else if prim == Prim::IsNan {
        infix(op, &[args, args].concat())
    } else {
        infix(op, args)
    };
    let mask = is_comparison(prim) || prim == Prim::IsNan;
    if mask && width == Width::Lanes { format!("(vb)({text})") } else { text }
}

fn bool_prim(prim: Prim, width: Width, args: &[String]) -> String {
    let lanes = width == Width::Lanes;
    if matches!(prim, Prim::And | Prim::Min | Prim::Mul) {
        infix("&", args)
    } else if matches!(prim, Prim::Or | Prim::Max | Prim::Add) {
        infix("|", args)
    } else if prim == Prim::Not {
        format!("{}{}", if lanes { "~" } else { "!" }, args.join(""))
    } else if prim == Prim::Eq {
        if lanes { format!("~({})", infix("^", args)) } else { infix("==", args) }
    } else if prim == Prim::Ne {
        infix(if lanes { "^" } else { "!=" }, args)
    } else {
        args.join("")
    }
}

/// How C writes it between reals, if it does.
fn operator(prim: Prim) -> Option<&'static str> {
    const OPERATORS: [(Prim, &str); 12] = [
        (Prim::Add, "+"),
        (Prim::Sub, "-"),
        (Prim::Neg, "-"),
        (Prim::Mul, "*"),
        (Prim::Div, "/"),
        (Prim::Lt, "<"),
        (Prim::Le, "<="),
        (Prim::Gt, ">"),
        (Prim::Ge, ">="),
        (Prim::Eq, "=="),
        (Prim::Ne, "!="),
        (Prim::IsNan, "!="),
    ];
    OPERATORS.iter().find(|it| it.0 == prim).map(|it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{Real, library};

    #[test]
    fn every_primitive_of_integers_has_a_function_in_c() {
        let text = include_str!("../c/vector.h");
        let is_defined = |name: &str| text.lines().any(|it| it.contains(&format!(" {name}(")));
        for prim in Prim::all() {
            let is_of_ints = match prim.row().rule {
                Rule::Number1 | Rule::Number2 | Rule::Int2 | Rule::Compare => true,
                Rule::Real1 | Rule::Real2 | Rule::IntReal | Rule::IntToReal => false,
                Rule::RealToInt | Rule::TestReal | Rule::Bool1 | Rule::Bool2 => false,
                Rule::Choose => false,
            };
            if !is_of_ints {
                continue;
            }
            let name = format!("ct_int_{}", prim.name());
            let by_macro = text.contains(&format!("\nCT_INT_COMPARE({}, ", prim.name()));
            assert!(by_macro || is_defined(&name), "{prim:?}: no {name}");
            // Scalars are compared by operators of C.
            let by_operator = is_comparison(prim) && operator(prim).is_some();
            assert!(by_operator || is_defined(&format!("{name}1")), "{prim:?}: no {name}1");
        }
    }

    #[test]
    fn every_primitive_of_reals_has_a_function_in_c() {
        for prim in Prim::all() {
            let is_of_reals = match prim.row().rule {
                Rule::Number1 | Rule::Number2 | Rule::Real1 | Rule::Real2 | Rule::IntReal => true,
                Rule::IntToReal | Rule::RealToInt | Rule::TestReal | Rule::Compare => true,
                Rule::Int2 | Rule::Bool1 | Rule::Bool2 | Rule::Choose => false,
            };
            let name = prim.name();
            if !is_of_reals || operator(prim).is_some() || ALWAYS_THERE.contains(&name) {
                continue;
            }
            for real in [Real::F64, Real::F32] {
                for name in [name.to_string(), format!("{name}1")] {
                    let found = library(real, &[&name]);
                    assert!(found.is_ok(), "{prim:?}: {}", found.unwrap_err());
                }
            }
        }
    }
}
