//! Texts in their one layout; each result is formatted again, and its tree compared.

use base::FileId;
use expect_test::{Expect, expect};
use syntax::dump::dump;

fn format(text: &str) -> String {
    let once = syntax::format(text).unwrap_or_else(|it| panic!("{text}: {it:#?}"));
    let twice = syntax::format(&once).unwrap_or_else(|it| panic!("{once}: {it:#?}"));
    assert_eq!(once, twice, "formatting again changes something");
    let trees = [text, &once].map(|it| dump(&syntax::parse(FileId(0), it).0));
    assert_eq!(trees[0], trees[1], "the tree changes");
    once
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&format(text));
}

#[test]
fn the_design_is_in_its_layout() {
    let text = "\
-- Gaussian mixture, the way it is written on paper
def logsumexp(x: [n]Real): Real = {
  let m = maximum(x);
  m + log(sum(build i < n => exp(x[i] - m)))
}

def matmul(a: [k][m]Real, b: [m][n]Real): [k][n]Real =
  build i < k, j < n => sum(build p < m => a[i, p] * b[p, j])

data Expr = Const(Real) | Var(Int) | Add(Expr, Expr) | Mul(Expr, Expr)

def value(e: Expr, env: [n]Real): Real = match e {
  Const(c) => c,
  Var(i) => env[i],
  Add(a, b) => value(a, env) + value(b, env),
  Mul(a, b) => value(a, env) * value(b, env),
}

test \"gradient of a recursive evaluator\" =
  grad(\\v => value(Mul(Var(0), Add(Var(1), Const(2.0))), v))([3.0, 4.0]) ~= [6.0, 3.0]
";
    assert_eq!(format(text), text);
}

/// `plot` is no keyword: it ends what stands before it only where a text follows.
#[test]
fn plots_are_declarations() {
    let text = "def f = 1\n\nplot   \"a\"=(lines( x ),\n axes(\"t\",\"h\"))\ndef plot = f";
    let laid_out = "def f = 1\n\nplot \"a\" = (lines(x), axes(\"t\", \"h\"))\ndef plot = f\n";
    assert_eq!(format(text), laid_out);
}

#[test]
fn spacing() {
    check(
        r#"
def   f( x :[n+ 1]Real,(a,b) ,g:(A ,B)->C->D):List< a,[ 2*n ]b >=x.a.0[i,j ,1 ..n ]( y ) ( )


def g={let x=1;-x**2- -y+!b}
def h=Vec3{x:1.0,y,..v}   type T<a,b>={x:a,y:b,}
type U<a>=(a,a)
type V = Vec3 data D=|A|B(Int,(Real),)|C()
def i=\x,_:Real=>if x then(a)else[b,]
def j=\()=>match x{A=>1,B{x,y:z}=>2,-1=>3,C{}=>4}
bench"b"=f(a,)(b>=c)
def k = match x {}
"#,
        expect![[r#"
            def f(x: [n+1]Real, (a, b), g: (A, B) -> C -> D): List<a, [2*n]b> = x.a.0[i, j, 1..n](y)()

            def g = { let x = 1; -x ** 2 - -y + !b }
            def h = Vec3 { x: 1.0, y, ..v }
            type T<a, b> = { x: a, y: b }
            type U<a> = (a, a)
            type V = Vec3
            data D = A | B(Int, (Real)) | C()
            def i = \x, _: Real => if x then (a) else [b]
            def j = \() => match x {
              A => 1,
              B { x, y: z } => 2,
              -1 => 3,
              C {} => 4,
            }
            bench "b" = f(a)(b >= c)
            def k = match x {}
        "#]],
    );
}

#[test]
fn long_lines() {
    check(
        r#"
def long_name_of_function(first_parameter: [n][m]Real, second_parameter: [n][m]Real, third: Real): Real = first_parameter
def calls = some_function(first_argument_is_long, second_argument_is_long, third_argument_is_long_too, d)
def nested = outer(inner(first_argument_is_long, second_argument_is_long), inner(third_argument_is_long_too, d), e)
def sums = first_summand_is_long * factor_one + second_summand_is_long * factor_two - third_summand_is_long * factor
def conditions = if first_condition_is_long && second_condition_is_long then first_branch_is_long else second_branch_is_long
def chain = if first_condition_is_long then first_branch else if second_condition_is_long then second_branch_is_long else other
def arrays = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0]
def matrix = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0]]
def lambda = \first_parameter, second_parameter => first_parameter * second_parameter + first_parameter / second_parameter - 1.0
def builds = build i < number_of_rows, j < number_of_columns => matrix_one[i, j] * matrix_two[j, i] + matrix_three[i, j] * 2.0
def records = Vector { first_component: 1.0 + a, second_component: 2.0 + b, third_component: 3.0 + c, fourth: 4.0 }
type Record = { first_component: Real, second_component: Real, third_component: Real, fourth_component: Real, f: Real }
data Shape = Circle(Real, Real, Real) | Rectangle(Real, Real, Real, Real) | Triangle(Real, Real, Real, Real, Real, Real)
def parens = (first_summand_is_long + second_summand_is_long) * (third_summand_is_long + fourth_summand_is_long + fifth)
def indices = some_array_with_a_long_name[first_index_is_long + 1, second_index_is_long + 2, third_index_is_long + 3, 4]
"#,
        expect![[r#"
            def long_name_of_function(
              first_parameter: [n][m]Real,
              second_parameter: [n][m]Real,
              third: Real,
            ): Real = first_parameter
            def calls =
              some_function(first_argument_is_long, second_argument_is_long, third_argument_is_long_too, d)
            def nested = outer(
              inner(first_argument_is_long, second_argument_is_long),
              inner(third_argument_is_long_too, d),
              e,
            )
            def sums =
              first_summand_is_long * factor_one
                + second_summand_is_long * factor_two
                - third_summand_is_long * factor
            def conditions =
              if first_condition_is_long && second_condition_is_long then
                first_branch_is_long
              else
                second_branch_is_long
            def chain =
              if first_condition_is_long then
                first_branch
              else if second_condition_is_long then
                second_branch_is_long
              else
                other
            def arrays = [
              1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0,
              19.0, 20.0, 21.0,
            ]
            def matrix = [
              [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
              [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
              [1.0, 2.0, 3.0],
            ]
            def lambda = \first_parameter, second_parameter =>
              first_parameter * second_parameter + first_parameter / second_parameter - 1.0
            def builds = build i < number_of_rows, j < number_of_columns =>
              matrix_one[i, j] * matrix_two[j, i] + matrix_three[i, j] * 2.0
            def records = Vector {
              first_component: 1.0 + a,
              second_component: 2.0 + b,
              third_component: 3.0 + c,
              fourth: 4.0,
            }
            type Record = {
              first_component: Real,
              second_component: Real,
              third_component: Real,
              fourth_component: Real,
              f: Real,
            }
            data Shape =
              | Circle(Real, Real, Real)
              | Rectangle(Real, Real, Real, Real)
              | Triangle(Real, Real, Real, Real, Real, Real)
            def parens =
              (first_summand_is_long + second_summand_is_long)
                * (third_summand_is_long + fourth_summand_is_long + fifth)
            def indices =
              some_array_with_a_long_name[
                first_index_is_long + 1,
                second_index_is_long + 2,
                third_index_is_long + 3,
                4,
              ]
        "#]],
    );
}

#[test]
fn blocks_and_functions() {
    check(
        r#"
def train(w: [n]Real, steps: Int): [n]Real = iterate(steps, \w => { let g = grad(loss)(w);
  w - 0.1 * g }, w)
def short = map(\x => { let y = x * x; y + 1.0 }, xs)
def one = sum(build i < n => {
  let a = x[i];

  -- explained

  let b = a * a;

  b })
def cond(x: Real): Real = if x > 0.0 then { let y = x;
 y } else {
 -x }
def mixed(x: Real): Real = if x > 0.0 then {
  x } else -x
def arms(e: Expr): Real = match e {
  A => { let x = 1.0;
     x },
  B => match f { C => 1, D => 2 },

  E(x) => if x then first_branch_is_long_enough_to_break else second_branch_is_long_enough_to_break + 1.0,
  F(x) => (\y => { 
    y })(x),
}
def lets = { let (a, b): (Real, Real) = some_function(first_argument_is_long, second_argument_is_long, c_d_e); 
  let very_long_name = first_summand_is_long * factor_one + second_summand_is_long * factor_two - third;
  let f = \first_parameter, second_parameter => first_parameter * second_parameter + first_parameter / 2.0;
  a }
"#,
        expect![[r#"
            def train(w: [n]Real, steps: Int): [n]Real = iterate(steps, \w => {
              let g = grad(loss)(w);
              w - 0.1 * g
            }, w)
            def short = map(\x => { let y = x * x; y + 1.0 }, xs)
            def one = sum(build i < n => {
              let a = x[i];

              -- explained

              let b = a * a;

              b
            })
            def cond(x: Real): Real = if x > 0.0 then {
              let y = x;
              y
            } else {
              -x
            }
            def mixed(x: Real): Real = if x > 0.0 then {
              x
            } else
              -x
            def arms(e: Expr): Real = match e {
              A => {
                let x = 1.0;
                x
              },
              B => match f {
                C => 1,
                D => 2,
              },

              E(x) =>
                if x then first_branch_is_long_enough_to_break else second_branch_is_long_enough_to_break + 1.0,
              F(x) => (\y => {
                y
              })(x),
            }
            def lets = {
              let (a, b): (Real, Real) = some_function(first_argument_is_long, second_argument_is_long, c_d_e);
              let very_long_name =
                first_summand_is_long * factor_one + second_summand_is_long * factor_two - third;
              let f = \first_parameter, second_parameter =>
                first_parameter * second_parameter + first_parameter / 2.0;
              a
            }
        "#]],
    );
}

#[test]
fn chains_of_branches_and_calls() {
    check(
        r#"
def a = if x > 0.0 then {
 let y = x; y } else if x < 0.0 then { -x
} else { 0.0 }
def b = fold(\acc, x => {
  acc + x
}, 0.0, xs)
def c = vjp(\w => loss(w, some_long_argument_name, another_long_argument_name))(weights_of_the_network)(1.0)
def d = sum(build i < n => weights_of_the_network[i] * another_long_array_name[i] * some_third_array[i] + 1.0)
def e = f(x, \y => y + 1.0, match z { A => 1, B => 2 })
def g = (a_long_name_for_a_value, another_long_name_for_a_value, a_third_long_name_for_a_value, the_last_one)
def h = x.y.z[0](1)(2).w == a && (b || c) && !d
def i = Record { ..base_of_the_record }
test "closures" = map(\x => \y => x + y, [1.0])[0](2.0) ~= 3.0
"#,
        expect![[r#"
            def a = if x > 0.0 then {
              let y = x;
              y
            } else if x < 0.0 then {
              -x
            } else {
              0.0
            }
            def b = fold(\acc, x => {
              acc + x
            }, 0.0, xs)
            def c = vjp(\w => loss(w, some_long_argument_name, another_long_argument_name))(
              weights_of_the_network,
            )(1.0)
            def d = sum(
              build i < n => weights_of_the_network[i] * another_long_array_name[i] * some_third_array[i] + 1.0,
            )
            def e = f(
              x,
              \y => y + 1.0,
              match z {
                A => 1,
                B => 2,
              },
            )
            def g = (
              a_long_name_for_a_value,
              another_long_name_for_a_value,
              a_third_long_name_for_a_value,
              the_last_one,
            )
            def h = x.y.z[0](1)(2).w == a && (b || c) && !d
            def i = Record { ..base_of_the_record }
            test "closures" = map(\x => \y => x + y, [1.0])[0](2.0) ~= 3.0
        "#]],
    );
}

#[test]
fn comments() {
    check(
        r#"


-- first

--- doc of f
def f( -- after the parenthesis
  x: Real, -- the x
  y: Real -- the y
): Real = -- after equals
  x -- the end of f
-- between

-- more
def g = {
  -- at the start
  let a = 1; -- trailing

  -- before b
  let b = 2 -- odd
  ;
  -- before result
  a + -- plus
  b
  -- at the end
} -- after the block
def h = match x { -- arms
  -- before A
  A => 1, -- the A
  B => -- before the body
    2 -- no comma
  -- last
}
def i = [1, 2, -- two
  3]
def j = f(a -- the a
  , b -- the b
  )
def k = if a -- c
  then b -- t
  else c -- e
data D -- d
  = A -- a
  | B -- b
type T = { -- t
  x: Real -- x
}
def l = x -- 1
  . -- 2
  y -- 3
  ( -- 4
  )
def m = - -- neg
  -1
-- end

-- very end
"#,
        expect![[r#"
            -- first

            --- doc of f
            def f( -- after the parenthesis
              x: Real, -- the x
              y: Real, -- the y
            ): Real = -- after equals
              x -- the end of f
            -- between

            -- more
            def g = {
              -- at the start
              let a = 1; -- trailing

              -- before b
              let b = 2; -- odd
              -- before result
              a
                + -- plus
                b
              -- at the end
            } -- after the block
            def h = match x { -- arms
              -- before A
              A => 1, -- the A
              B => -- before the body
                2, -- no comma
              -- last
            }
            def i = [
              1, 2, -- two
              3,
            ]
            def j = f(
              a, -- the a
              b, -- the b
            )
            def k =
              if a -- c
              then
                b -- t
              else
                c -- e
            data D -- d
            =
              | A -- a
              | B -- b
            type T = { -- t
              x: Real, -- x
            }
            def l =
              x -- 1
              . -- 2
              y -- 3
              ( -- 4
              )
            def m =
              - -- neg
              -1
            -- end

            -- very end
        "#]],
    );
}

#[test]
fn empty_texts() {
    check("", expect![[""]]);
    check(" \n\n ", expect![[""]]);
    check(
        "\n\n-- only a comment   \n\n",
        expect![[r#"
        -- only a comment
    "#]],
    );
    check(
        "\u{feff}def a = 1\r\n\r\n\r\n-- c\r\ndef b = 2",
        expect![[r#"
        def a = 1

        -- c
        def b = 2
    "#]],
    );
}

#[test]
fn errors_are_returned() {
    assert!(syntax::format("def f = (").is_err());
}

#[test]
fn custom_derivatives_stand_below_their_definition() {
    check(
        "def f(x: Real) = x   with   vjp( x,dy )=dy -- why
-- what
with jvp(x, dx) = {
let y = dx; y }

def g(x) = x

with vjp(a_long_name_of_a_parameter, another_long_name) = build i < n => a_long_name_of_a_parameter[i] * 2.0
def h = 1",
        expect![[r#"
            def f(x: Real) = x
            with vjp(x, dy) = dy -- why
            -- what
            with jvp(x, dx) = {
              let y = dx;
              y
            }

            def g(x) = x
            with vjp(a_long_name_of_a_parameter, another_long_name) =
              build i < n => a_long_name_of_a_parameter[i] * 2.0
            def h = 1
        "#]],
    );
}

#[test]
fn names_of_other_modules() {
    check(
        "import  \"tree.cot\"  as  t( Tree , size  as  n )
import std . linalg
pub  def f( x:t.Tree<Real> ) : t.Pair=match x{t.Node(a,b)=>t.Pair{first:a,..t.zero},t.Leaf=>linalg.solve( t.Leaf,t.Node (1,2) )}",
        expect![[r#"
            import "tree.cot" as t (Tree, size as n)
            import std.linalg
            pub def f(x: t.Tree<Real>): t.Pair = match x {
              t.Node(a, b) => t.Pair { first: a, ..t.zero },
              t.Leaf => linalg.solve(t.Leaf, t.Node(1, 2)),
            }
        "#]],
    );
}
