//! `check --additive`: which definitions are sums over rows, and where others mix them.

use crate::*;

#[test]
fn sums_are_told_and_means_are_refused_where_they_divide() {
    let file = file(
        "sums.cot",
        "def loss(w: Real, x: [n]Real): Real = sum(build i < n => (w - x[i]) ** 2.0)\n\
         def error(w: Real, x: [n]Real): Real = loss(w, x) / real(n)\n\
         def scaled(w: Real, x: [n]Real): [n]Real = x * w\n\
         def other(x: Real): Real = x\n",
    );
    let ran = cotan(&["check", "--additive", "loss.x", &file]).exits(0);
    assert_eq!(ran.out, "`loss` is additive over `x`\n");
    let ran = cotan(&["check", "--additive", "scaled.x", &file]).exits(0);
    assert_eq!(ran.out, "`scaled` gives a row for each row of `x`\n");
    let ran = cotan(&["check", "--additive", "x", &file]).exits(1).says("[E0514]");
    for text in ["`error` is not additive over `x`", ":2:40", "divide after the sum"] {
        assert!(ran.err.contains(text), "`{text}` is not in\n{}", ran.err);
    }
    assert!(!ran.err.contains("`loss`"), "{}", ran.err);
    let ran = cotan(&["check", "--additive", "x", "--json", &file]).exits(1);
    assert!(ran.out.contains("\"code\":\"E0514\""), "{}", ran.out);
    cotan(&["check", "--additive", "y", &file]).exits(1).says("[E0620]");
    cotan(&["check", "--additive", "other.x", &file]).exits(1).says("[E0514]");
}
