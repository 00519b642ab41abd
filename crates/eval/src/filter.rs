//! The elements of an array that satisfy a predicate.

use crate::code::{Arg, Block, Slot, Stmt};
use crate::control::as_array;
use crate::cost::Kind;
use crate::error::{Failure, malformed};
use crate::eval::{Evaluator, Frame};
use crate::kernels::movement;
use crate::value::Value;

impl Evaluator {
    #[inline(never)]
    pub(crate) fn filter(
        &mut self,
        frame: Frame<'_>,
        stmt: &Stmt,
        array: &Arg,
        elem: Slot,
        predicate: &Block,
    ) -> Result<(), Failure> {
        let value = self.fetch_known(frame, array);
        let array = as_array(&value)?;
        let n = array.shape.first().copied().unwrap_or(0);
        self.counters.kind(Kind::Step, n);
        let mut kept = Vec::new();
        for i in 0..n {
            self.set(frame, elem, array.row(1, i));
            self.block(frame, predicate)?;
            let Value::Bool(keep) = self.single(frame, predicate)? else {
                return Err(malformed("a Bool is expected").into());
            };
            if keep {
                kept.push(i);
            }
        }
        self.counters.moved(kept.len());
        let res = movement::select(array, 1, &[kept.len()], &kept)?;
        self.set(frame, stmt.dest, Value::Int(kept.len() as i64));
        self.set(frame, stmt.dest + 1, Value::array(res));
        Ok(())
    }
}
