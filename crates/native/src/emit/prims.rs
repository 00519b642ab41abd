//! Primitives of scalars as C expressions. What they mean is said by
//! `crates/eval/src/kernels/scalar.rs`.

use ir::Prim;
use loops::{Atom, How, Scalar};

use super::Printer;

impl Printer<'_> {
    /// A primitive of scalar operands.
    pub(super) fn prim(&mut self, prim: Prim, operands: &[Atom]) -> String {
        let scalar = operands.last().map_or(Scalar::Real, |it| self.scalar(*it));
        let args: Vec<String> = operands.iter().map(|it| self.atom(*it)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        match scalar {
            Scalar::Int if prim != Prim::Select => {
                self.needs.insert("ints");
            }
            Scalar::Real => self.needs_real(prim),
            Scalar::Int | Scalar::Bool | Scalar::Box => {}
        }
        scalar_prim(prim, scalar, &args)
    }

    fn needs_real(&mut self, prim: Prim) {
        match prim {
            Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Div
            | Prim::Neg
            | Prim::Lt
            | Prim::Le
            | Prim::Gt
            | Prim::Ge
            | Prim::Eq
            | Prim::Ne
            | Prim::IsNan
            | Prim::Select => {}
            Prim::Rem
            | Prim::Pow
            | Prim::Abs
            | Prim::Sign
            | Prim::Min
            | Prim::Max
            | Prim::Exp
            | Prim::Log
            | Prim::Log1p
            | Prim::Expm1
            | Prim::Sin
            | Prim::Cos
            | Prim::Tan
            | Prim::Asin
            | Prim::Acos
            | Prim::Atan
            | Prim::Atan2
            | Prim::Sinh
            | Prim::Cosh
            | Prim::Tanh
            | Prim::Asinh
            | Prim::Acosh
            | Prim::Atanh
            | Prim::Sqrt
            | Prim::Floor
            | Prim::Ceil
            | Prim::Round
            | Prim::Erf
            | Prim::Lgamma
            | Prim::Digamma
            | Prim::Polygamma
            | Prim::Sigmoid
            | Prim::Softplus
            | Prim::Scale
            | Prim::ToReal
            | Prim::ToInt
            | Prim::And
            | Prim::Or
            | Prim::Not => {
                self.needs.insert("scalar");
            }
        }
    }

    /// `x how y` of scalars.
    pub(super) fn combine(&mut self, how: How, scalar: Scalar, x: &str, y: &str) -> String {
        let prim = match how {
            How::Set => return y.to_string(),
            How::Add => Prim::Add,
            How::Mul => Prim::Mul,
            How::Max => Prim::Max,
            How::Min => Prim::Min,
        };
        match scalar {
            Scalar::Int => {
                self.needs.insert("ints");
            }
            Scalar::Real => self.needs_real(prim),
            Scalar::Bool | Scalar::Box => {}
        }
        scalar_prim(prim, scalar, &[x, y])
    }
}

/// What `how` leaves as it is.
pub(super) fn neutral(how: How, scalar: Scalar) -> &'static str {
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

fn scalar_prim(prim: Prim, scalar: Scalar, args: &[&str]) -> String {
    match scalar {
        Scalar::Real => real_prim(prim, args),
        Scalar::Int => int_prim(prim, args),
        Scalar::Bool | Scalar::Box => bool_prim(prim, args),
    }
}

fn infix(op: &str, args: &[&str]) -> String {
    args.join(&format!(" {op} "))
}

fn call(name: &str, args: &[&str]) -> String {
    format!("{name}({})", args.join(", "))
}

fn select(args: &[&str]) -> String {
    match args {
        [cond, x, y] => format!("{cond} ? {x} : {y}"),
        _ => String::new(),
    }
}

fn real_prim(prim: Prim, args: &[&str]) -> String {
    let name = match prim {
        Prim::Add => return infix("+", args),
        Prim::Sub => return infix("-", args),
        Prim::Mul => return infix("*", args),
        Prim::Div => return infix("/", args),
        Prim::Neg => return format!("-{}", args.join("")),
        Prim::Lt => return infix("<", args),
        Prim::Le => return infix("<=", args),
        Prim::Gt => return infix(">", args),
        Prim::Ge => return infix(">=", args),
        Prim::Eq => return infix("==", args),
        Prim::Ne => return infix("!=", args),
        Prim::IsNan => return infix("!=", &[args, args].concat()),
        Prim::Select => return select(args),
        Prim::Rem => "rem",
        Prim::Pow => "pow",
        Prim::Abs => "abs",
        Prim::Sign => "sign",
        Prim::Min => "min",
        Prim::Max => "max",
        Prim::Exp => "exp",
        Prim::Log => "log",
        Prim::Log1p => "log1p",
        Prim::Expm1 => "expm1",
        Prim::Sin => "sin",
        Prim::Cos => "cos",
        Prim::Tan => "tan",
        Prim::Asin => "asin",
        Prim::Acos => "acos",
        Prim::Atan => "atan",
        Prim::Atan2 => "atan2",
        Prim::Sinh => "sinh",
        Prim::Cosh => "cosh",
        Prim::Tanh => "tanh",
        Prim::Asinh => "asinh",
        Prim::Acosh => "acosh",
        Prim::Atanh => "atanh",
        Prim::Sqrt => "sqrt",
        Prim::Floor => "floor",
        Prim::Ceil => "ceil",
        Prim::Round => "round",
        Prim::Erf => "erf",
        Prim::Lgamma => "lgamma",
        Prim::Digamma => "digamma",
        Prim::Polygamma => "polygamma",
        Prim::Sigmoid => "sigmoid",
        Prim::Softplus => "softplus",
        Prim::Scale => "scale",
        Prim::ToInt => "to_int",
        Prim::ToReal | Prim::And | Prim::Or | Prim::Not => return args.join(""),
    };
    call(&format!("ct_{name}1"), args)
}

fn int_prim(prim: Prim, args: &[&str]) -> String {
    match prim {
        Prim::Add => call("CT_ADD", args),
        Prim::Sub => call("CT_SUB", args),
        Prim::Mul => call("CT_MUL", args),
        Prim::Neg => call("CT_NEG", args),
        Prim::Div => call("ct_int_div", args),
        Prim::Rem => call("ct_int_rem", args),
        Prim::Pow => call("ct_int_pow", args),
        Prim::Abs => call("ct_int_abs", args),
        Prim::Sign => call("ct_int_sign", args),
        Prim::Min => call("ct_int_min", args),
        Prim::Max => call("ct_int_max", args),
        Prim::ToReal => format!("(real){}", args.join("")),
        Prim::Lt => infix("<", args),
        Prim::Le => infix("<=", args),
        Prim::Gt => infix(">", args),
        Prim::Ge => infix(">=", args),
        Prim::Eq => infix("==", args),
        Prim::Ne => infix("!=", args),
        Prim::Select => select(args),
        Prim::Exp
        | Prim::Log
        | Prim::Log1p
        | Prim::Expm1
        | Prim::Sin
        | Prim::Cos
        | Prim::Tan
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Atan2
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Tanh
        | Prim::Asinh
        | Prim::Acosh
        | Prim::Atanh
        | Prim::Sqrt
        | Prim::Floor
        | Prim::Ceil
        | Prim::Round
        | Prim::Erf
        | Prim::Lgamma
        | Prim::Digamma
        | Prim::Polygamma
        | Prim::Sigmoid
        | Prim::Softplus
        | Prim::Scale
        | Prim::ToInt
        | Prim::IsNan
        | Prim::And
        | Prim::Or
        | Prim::Not => args.join(""),
    }
}

fn bool_prim(prim: Prim, args: &[&str]) -> String {
    if matches!(prim, Prim::And | Prim::Min | Prim::Mul) {
        infix("&", args)
    } else if matches!(prim, Prim::Or | Prim::Max | Prim::Add) {
        infix("|", args)
    } else if prim == Prim::Not {
        format!("!{}", args.join(""))
    } else if prim == Prim::Eq {
        infix("==", args)
    } else if prim == Prim::Ne {
        infix("!=", args)
    } else if prim == Prim::Select {
        select(args)
    } else {
        args.join("")
    }
}
