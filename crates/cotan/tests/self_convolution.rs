//! The example of the paper on dual arrays, stage by stage: one element of the self-convolution of
//! an array, the array times its reverse, summed.
//!
//! Paper: Smeding, Konarski et al., Figure 18 and the examples of Sections 7.3 and 7.4.
//!
//! `UPDATE_EXPECT=1` rewrites the stages.

use std::collections::BTreeSet;

use cotan::{Compiler, Options, Style, Via};
use expect_test::expect;

const TEXT: &str = "def f(a: [n]Real): Real = sum(build i < n => a[i] * a[n - 1 - i])";

/// What is printed, one text for each stage, with its title in front.
fn stages() -> Vec<String> {
    let options = Options { via: Via::Bulk, ..Options::default() };
    let mut program = Compiler::new(options)
        .compile("convolution.cot", TEXT)
        .unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
    let text =
        program.stages("f", &[], &[]).unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
    text.split("-- ").skip(1).map(str::to_string).collect()
}

/// The stage with this title.
fn stage(title: &str) -> String {
    let all = stages();
    let found = all.iter().find(|it| it.lines().next().is_some_and(|it| it.starts_with(title)));
    found.unwrap_or_else(|| panic!("no stage `{title}` in {all:#?}")).clone()
}

#[test]
fn all_stages_are_shown() {
    let all = stages();
    let titles = all.iter().filter_map(|it| it.lines().next());
    let titles: Vec<&str> = titles.map(|it| it.split(':').next().unwrap_or(it)).collect();
    expect![[r#"
        source
        specialise
        flatten
        merge
        inline
        views
        accumulate
        peel
        checkpoint
        bot
        simplify
        dual
        Delta term
        gradient with sharing
        gradient
        drop_clauses of `f.vjp1`
        bot of `f.vjp1`
        simplify of `f.vjp1`
        items
        plan
        schedule
        nests
        loops
        at_once of `f.vjp1`
        inline_more of `f.vjp1`
        spread of `f.vjp1`
        simplify of `f.vjp1`
        inline_more_bits of `f.vjp1`
        spread of `f.vjp1`
        simplify_bits of `f.vjp1`
        recompute of `f.vjp1`
        sink of `f.vjp1`
        items of the gradient
        plan of the gradient
        schedule of the gradient
        nests of the gradient
        loops of the gradient
        C compiler"#]]
    .assert_eq(&titles.join("\n"));
}

/// Figure 18, "source term": `sumOuter (build1 n (\i. index a i * index a (n - 1 - i)))`. The size
/// `n` is `x0`, the array `a` is `x1`.
#[test]
fn source() {
    expect![[r#"
        source
        def f[x0](x1: [x0]Real) -> (x2: Real) {
          x9: [x0]Real = build (x3 < x0) {
            x4: Real = index x1 (x3)
            x5: Int = sub x0 1
            x6: Int = sub x5 x3
            x7: Real = index x1 (x6)
            x8: Real = mul x4 x7
            give x8
          }
          x10: Real = sum 0 x9
          give x10
        }

    "#]]
    .assert_eq(&stage("source"));
}

/// There are no functions, no tuples and no calls to take away.
#[test]
fn specialised() {
    for (pass, left) in [("specialise", "(as before: f)"), ("flatten", "(as before: f)")] {
        assert_eq!(stage(pass).lines().nth(1), Some(left));
    }
}

/// What is printed is a term that says where its variables come from, at every stage.
#[test]
fn no_variable_is_unbound() {
    let is_code = |it: &&str| !it.starts_with("(as before");
    let mut n_defs = 0;
    for stage in stages().iter().filter(|it| it.contains("\ndef ")) {
        let text: Vec<&str> = stage.lines().skip(1).filter(is_code).collect();
        let program: ir::Program =
            text.join("\n").parse().unwrap_or_else(|it| panic!("{it}\n{stage}"));
        for def in program.defs.values() {
            let mut bound: BTreeSet<ir::Var> = def.params.iter().map(|it| it.var).collect();
            bound.extend(&def.size_params);
            let free = ir::walk::free_vars_block(&def.body);
            assert!(free.is_subset(&bound), "{stage}");
            n_defs += 1;
        }
    }
    assert!(n_defs >= 6, "{n_defs}");
}

/// Figure 18, "after BOT": `sumOuter (gather [n] a (\[i]. [i]) * gather [n] a (\[i]. [n - 1 - i]))`.
/// An index function is an array of indices here, and the rule for `index a i` under `build` gives
/// `a` itself in the place of the first gather, as the paper says an implementation should.
#[test]
fn after_bot() {
    expect![[r#"
        bot: every build that can be becomes operations on whole arrays
        def f[x0](x1: [x0]Real) -> (x2: Real) {
          x5: Int = sub x0 1
          x11: [x0]Int = iota [x0]
          x12: [x0]Int = sub x5 x11
          x13: [x0]Real = gather x1 (x12)
          x14: [x0]Real = mul x1 x13
          x10: Real = sum 0 x14
          give x10
        }

    "#]]
    .assert_eq(&stage("bot"));
}

/// Figure 18, "after forward differentiation" and "after simplification" at once: `x1 = a_p`,
/// `x16 = a_d`. The monad and its identifiers are gone, since a Delta is a variable; `combine (x s,
/// y t)` is `Add (Scale x s) (Scale y t)`. The index array is simplified to a `reverse` before.
#[test]
fn dual() {
    expect![[r#"
        dual
        def "f.dual"[x0](x1: [x0]Real, x16: [x0]Real) -> (x2: Real) {
          x15: [x0]Real = reverse x1
          x17: [x0]Real = reverse x16
          x14: [x0]Real = mul x1 x15
          x18: [x0]Real = combine (x15 x16, x1 x17)
          x10: Real = sum 0 x14
          x19: Real = sum 0 x18
          give x10, x19
        }

    "#]]
    .assert_eq(&stage("dual"));
}

/// The symbolic Delta term of equation (6), `SumOuter (Add (Scale x2 a_d) (Scale x1 (Gather a_d ..)))`:
/// the same statements, without those that compute values.
#[test]
fn delta_term() {
    expect![[r#"
        Delta term
        def "f.delta"[x0](x1: [x0]Real, x16: [x0]Real, x15: [x0]Real) -> (x2: Real) {
          x17: [x0]Real = reverse x16
          x18: [x0]Real = combine (x15 x16, x1 x17)
          x19: Real = sum 0 x18
          give x19
        }

    "#]]
    .assert_eq(&stage("Delta term"));
}

/// What `reversePass` of Figure 19 gives in Section 7.3: `replicate n c`, the cotangent of the
/// product, is used twice and shared.
#[test]
fn gradient_with_sharing() {
    expect![[r#"
        gradient with sharing
        given x0: Int, x1: [x0]Real, x20: Real
        x15: [x0]Real = reverse x1
        x14: [x0]Real = mul x1 x15
        x10: Real = sum 0 x14
        x1 -> (add (scale x15 (share 1 (replicate [x0] x20))) (reverse (scale x1 (share 1))))

    "#]]
    .assert_eq(&stage("gradient with sharing"));
}

/// Figure 20 makes `let` of `share`, and Figure 21 puts the values in front. `c` is a parameter, since
/// this is the pull-back; a gradient has 1.0 there. Where the paper scatters along `n - 1 - i`, there is
/// the transpose of `reverse`, which is `reverse`.
#[test]
fn gradient_with_lets() {
    expect![[r#"
        gradient: the transpose of the Delta term, by the parameters asked for
        def "f.vjp1"[x0](x1: [x0]Real, x20: Real) -> (x2: Real, x26: [x0]Real) origin derivative {
          x15: [x0]Real = reverse x1
          x14: [x0]Real = mul x1 x15
          x10: Real = sum 0 x14
          x21: [x0]Real = replicate [x0] x20
          x22: [x0]Real = scale x15 x21
          x23: [x0]Real = scale x1 x21
          x24: [x0]Real = reverse x23
          x25: [x0]Real = add x22 x24
          give x10, x25
        }
        (as before: f)

    "#]]
    .assert_eq(&stage("gradient:"));
}

/// The paper ends before; a product with what is replicated is one with a scalar.
#[test]
fn simplified() {
    expect![[r#"
        simplify of `f.vjp1`: fewer and plainer statements: what the user wrote to the bit, derivatives up to rounding
        def "f.vjp1"[x0](x1: [x0]Real, x20: Real) -> (x2: Real, x26: [x0]Real) origin derivative {
          x15: [x0]Real = reverse x1
          x14: [x0]Real = mul x1 x15
          x10: Real = sum 0 x14
          x22: [x0]Real = scale x15 x20
          x23: [x0]Real = scale x1 x20
          x24: [x0]Real = reverse x23
          x25: [x0]Real = add x22 x24
          give x10, x25
        }

    "#]]
    .assert_eq(&stage("simplify of `f.vjp1`"));
}
