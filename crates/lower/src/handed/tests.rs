//! What is handed over, and that nothing is copied from call to call.

use base::Name;
use ir::Program;

use super::handed;
use crate::lower;

/// As the derivative of a recursion: a cotangent is added to, by itself and by calls in a loop.
const RECURSION: &str = "
def main[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real) origin derivative {
  x4: [x0]Real = call back[x0](x2, 1.0, x1)
  give x4
}
def back[x0](x1: Int, x2: Real, x3: [x0]Real) -> (x4: [x0]Real) origin derivative {
  x5: Bool = gt x1 0
  x6: [x0]Real = if x5 {
    x7: [x0]Real = scatter x3 (x1) x2
    x8: Int = sub x1 1
    x9: [x0]Real = iterate x10 < 2 (x11: [x0]Real = x7) {
      x12: [x0]Real = call back[x0](x8, x2, x11)
      give x12
    }
    give x9
  } else {
    give x3
  }
  give x6
}
";

fn parsed(text: &str) -> Program {
    text.parse().unwrap_or_else(|it| panic!("{it}"))
}

#[test]
fn a_cotangent_that_all_calls_share() {
    let program = parsed(RECURSION);
    let main = Name::new("main");
    let found = handed(&program, std::slice::from_ref(&main));
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [(Name::new("back"), vec![Some(2)])]);
    let module = lower(&program, &[main], None);
    assert_eq!(loops::verify(&module), Ok(()), "{module}");
    let text = module.to_string();
    let back = text.split("recursive back").nth(1).unwrap_or("");
    let back = back.split("\n}").next().unwrap_or("");
    assert!(back.contains("call") && !back.contains("copy") && !back.contains("alloc"), "{text}");
    // The caller keeps its argument.
    assert_eq!(text.matches("copy").count(), 1, "{text}");
}

/// What the user wrote hands nothing over, and neither does what gives something else back.
#[test]
fn nothing_else() {
    let main = [Name::new("main")];
    let of_the_user = RECURSION.replace(" origin derivative", "");
    assert!(handed(&parsed(&of_the_user), &main).is_empty());
    let something_else =
        RECURSION.replace("give x3\n", "x13: [x0]Real = add x3 x3\n    give x13\n");
    assert!(handed(&parsed(&something_else), &main).is_empty());
}
