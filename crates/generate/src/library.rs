//! Definitions written by hand that random programs call: polymorphic ones, some that take or give
//! functions, one whose result has a size that only running tells, and recursion on lists, also of functions.

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

/// For programs with lists of functions: one after the other, by continuations, and as a function.
const FUNCTIONS: &str = "
data Functions = Stop() | Then((Real) -> Real, Functions)
def composed(x0: Functions, x1: Real) -> (x2: Real) {
  x3: Real = match x0 {
    Stop() { give x1 }
    Then(x4: (Real) -> Real, x5: Functions) {
      x6: Real = apply x4 (x1)
      x7: Real = call composed(x5, x6)
      give x7
    }
  }
  give x3
}
def continued(x0: Functions, x1: (Real) -> Real) -> (x2: Real) {
  x3: Real = match x0 {
    Stop() { x4: Real = apply x1 (0.5) give x4 }
    Then(x5: (Real) -> Real, x6: Functions) {
      x7: (Real) -> Real = lambda (x8: Real) {
        x9: Real = apply x5 (x8)
        x10: Real = apply x1 (x9)
        give x10
      }
      x11: Real = call continued(x6, x7)
      give x11
    }
  }
  give x3
}
def joined(x0: Functions) -> (x1: (Real) -> Real) {
  x2: (Real) -> Real = match x0 {
    Stop() {
      x3: (Real) -> Real = lambda (x4: Real) { give x4 }
      give x3
    }
    Then(x5: (Real) -> Real, x6: Functions) {
      x7: (Real) -> Real = call joined(x6)
      x8: (Real) -> Real = lambda (x9: Real) {
        x10: Real = apply x5 (x9)
        x11: Real = apply x7 (x10)
        give x11
      }
      give x8
    }
  }
  give x2
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
    if program.datas.contains_key(&Name::new("Functions")) {
        texts.push(FUNCTIONS);
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
