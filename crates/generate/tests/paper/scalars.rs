//! What primitives give in the paper's language: what they give in `eval`.

use ad::chad::paper::meaning::{Value, truth};
use ad::chad::paper::term::Side;
use eval::kernels::scalar::{IntPrim, RealPrim, on_bools, on_ints, on_reals};
use eval::special;
use ir::Prim;

pub(crate) fn primitive(prim: Prim, args: &[Value<'static>]) -> Result<Value<'static>, String> {
    let is_left = |it: &Side| *it == Side::Left;
    let none = || format!("`{}` of {args:?}", prim.name());
    match args {
        [Value::Real(x), rest @ ..] => match (on_reals(prim).ok_or_else(none)?, rest) {
            (RealPrim::Unary(f), []) => Ok(Value::Real(f(*x))),
            (RealPrim::ToInt(f), []) => Ok(Value::Int(f(*x))),
            (RealPrim::Test(f), []) => Ok(truth(f(*x))),
            (RealPrim::Binary(f), [Value::Real(y)]) => Ok(Value::Real(f(*x, *y))),
            (RealPrim::Compare(f), [Value::Real(y)]) => Ok(truth(f(x, y))),
            (_, _) => Err(none()),
        },
        [Value::Int(n), Value::Real(x)] => Ok(Value::Real(special::polygamma(*n, *x))),
        [Value::Int(x), rest @ ..] => match (on_ints(prim).ok_or_else(none)?, rest) {
            (IntPrim::Unary(f), []) => Ok(Value::Int(f(*x))),
            (IntPrim::ToReal(f), []) => Ok(Value::Real(f(*x))),
            (IntPrim::Binary(f), [Value::Int(y)]) => {
                f(*x, *y).map(Value::Int).map_err(|it| format!("{it:?}"))
            }
            (IntPrim::Compare(f), [Value::Int(y)]) => Ok(truth(f(x, y))),
            (_, _) => Err(none()),
        },
        [Value::Inject(cond, _), one, other] => {
            Ok(if is_left(cond) { one.clone() } else { other.clone() })
        }
        [Value::Inject(x, _), Value::Inject(y, _)] => {
            let f = on_bools(prim).ok_or_else(none)?;
            Ok(truth(f(is_left(x), is_left(y))))
        }
        [Value::Inject(x, _)] if prim == Prim::Not => Ok(truth(!is_left(x))),
        _ => Err(none()),
    }
}
