//! Definitions written by hand that random programs call: polymorphic ones, some that take or give
//! functions, one whose result has a size that only running tells, and recursion on lists.

use std::sync::Arc;

use base::Name;
use ir::Program;

use crate::scope::{Callee, Habits};
use testing::Random;

/// For every dialect.
const PLAIN: &str = "
def keep[x0](x1: [x0]Real, x2: Real) -> (x3: Int, x4: [x3]Real) {
  x5: Int, x6: [x5]Real = filter x1 lambda (x7: Real) {
    x8: Bool = gt x7 x2
    give x8
  }
  give x5, x6
}
";

/// For those with functions as values and type parameters.
const HIGHER: &str = "
def choose<a>(x0: Bool, x1: a, x2: a) -> (x3: a) {
  x4: a = if x0 { give x1 } else { give x2 }
  give x4
}
def twice<a>(x0: (a) -> a, x1: a) -> (x2: a) {
  x3: a = apply x0 (x1)
  x4: a = apply x0 (x3)
  give x4
}
def pipe<a, b>(x0: (a) -> b, x1: a) -> (x2: b) {
  x3: b = apply x0 (x1)
  give x3
}
def adder(x0: Real) -> (x1: (Real) -> Real) {
  x2: (Real) -> Real = lambda (x3: Real) {
    x4: Real = add x0 x3
    give x4
  }
  give x2
}
";

/// For programs with lists.
const LISTS: &str = "
data List = Nil() | Cons(Real, List)
def total(x0: List) -> (x1: Real) {
  x2: Real = match x0 {
    Nil() { give 0.0 }
    Cons(x3: Real, x4: List) {
      x5: Real = call total(x4)
      x6: Real = add x3 x5
      give x6
    }
  }
  give x2
}
def scaled(x0: List, x1: Real) -> (x2: List) {
  x3: List = match x0 {
    Nil() { x4: List = con List Nil() give x4 }
    Cons(x5: Real, x6: List) {
      x7: Real = mul x5 x1
      x8: List = call scaled(x6, x1)
      x9: List = con List Cons(x7, x8)
      give x9
    }
  }
  give x3
}
";

/// What one call of any of them may cost.
const COST: u64 = 40;

/// Adds some of them to the program.
pub(crate) fn borrow(random: &mut Random, program: &mut Program, habits: Habits) -> Vec<Callee> {
    let mut texts = vec![PLAIN];
    if habits.functions {
        texts.push(HIGHER);
    }
    if program.datas.contains_key(&Name::new("List")) {
        texts.push(LISTS);
    }
    let mut res = Vec::new();
    for text in texts {
        let library: Program = text.parse().expect("the library is well formed");
        for (name, def) in library.defs {
            if random.once_in(3) {
                res.push(Callee { name: name.clone(), cost: COST, counts_down: false });
                program.defs.insert(name, Arc::clone(&def));
            }
        }
    }
    res
}
