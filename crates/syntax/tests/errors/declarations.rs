//! Mistakes in declarations, blocks and brackets.

use expect_test::expect;

use super::check;

#[test]
fn declarations() {
    check(
        &[
            r##"fn f(x) = x"##,
            r##"fn f(x: Real) -> Real { x }
def g = 1"##,
            r##"let x = 1
let y = 2;
def z = 3"##,
            r##"x = 3;"##,
            r##"def f(x: [Real], y: Real[3]) = 1"##,
            r##"def f x y = x + y
def g<a>(x: a) = x
def h(x) => x"##,
            r##"test foo = 1
test = 2
def"##,
            r##"data A = B Real | C { x: Int } | D(Int)"##,
            r##"1 + 2"##,
            r##"def f(x: ) = 1
def g(x: Real y: Real) = 2"##,
            r##"def f(x: Real = x
def g = 1"##,
            r##"type A = { x: Real y: Real }
type B = { x Real }
type C = { 
  x: Real
  y: Real
}
type D
data E =
data F = | 
def g = 1"##,
            r##"def f(x): Real -> x
def f(x): Real { x }"##,
        ],
        expect![[r#"
            fn f(x) = x
                E0115 1:1 a definition starts with `def` | write `def` instead of `fn`
            fn f(x: Real) -> Real { x }
            def g = 1
                E0115 1:1 a definition starts with `def` | write `def` instead of `fn`
                E0101 1:15 expected `:`, found `->` | write `:` before the type of the result
                E0101 1:23 expected `=`, found `{` | write `=` before the block
            let x = 1
            let y = 2;
            def z = 3
                E0115 1:1 a definition starts with `def` | write `def` instead of `let`
                E0115 2:1 a definition starts with `def` | write `def` instead of `let`
            x = 3;
                E0115 1:1 a definition starts with `def` | write `def` before the name
            def f(x: [Real], y: Real[3]) = 1
                E0115 1:11 the element type stands after the brackets | write `[n]Real`, or `[]Real` for a size to be found out
                E0115 1:25 the size stands before the element type | write `[n]Real`
            def f x y = x + y
            def g<a>(x: a) = x
            def h(x) => x
                E0114 1:7 these two stand side by side | write `f(x, y)`
                E0115 2:6 a definition lists no type variables | remove them: small letters in types are variables by themselves
                E0101 3:10 expected `=`, found `=>` | write `=`
            test foo = 1
            test = 2
            def
                E0101 1:6 expected a text, found `foo` | write the name in quotes, `"foo"`
                E0101 2:6 expected a text, found `=`
                E0101 3:4 expected a name, found the end of the text
            data A = B Real | C { x: Int } | D(Int)
                E0101 1:12 expected `(`, `|` or the end, found `Real` | write the types of its fields in parentheses: `B(A, B)`
                E0101 1:21 expected `(`, `|` or the end, found `{` | write the types of its fields in parentheses: `C(A, B)`
            1 + 2
                E0101 1:1 expected a declaration, found `1` | start with `def`, `type`, `data`, `test`, `bench` or `plot`
            def f(x: ) = 1
            def g(x: Real y: Real) = 2
                E0101 1:10 expected a type, found `)`
                E0101 2:15 expected `,` or `)`, found `y`
            def f(x: Real = x
            def g = 1
                E0101 1:15 expected `,` or `)`, found `=`
            type A = { x: Real y: Real }
            type B = { x Real }
            type C = { 
              x: Real
              y: Real
            }
            type D
            data E =
            data F = | 
            def g = 1
                E0101 1:20 expected `,` or `}`, found `y`
                E0101 2:14 expected `:`, found `Real`
                E0110 4:6 `,` is missing after this field
                E0101 7:7 expected `=`, found `data`
                E0101 8:9 expected a constructor, found `data`
                E0101 9:11 expected a constructor, found `def`
            def f(x): Real -> x
            def f(x): Real { x }
                E0101 1:20 expected `=`, found `def`
                E0101 2:16 expected `=`, found `{` | write `=` before the block
        "#]],
    );
}

#[test]
fn brackets() {
    check(
        &[
            r##"def f = (1 + 2
def g = [1, 2
def h = f(1, (2, 3)"##,
            r##"def f = (1 + 2]"##,
            r##"def match = 1
def f(type) = type + 1"##,
            r##"def f = x) + 1"##,
            r##"def f = (a,)"##,
            r##"def f = let x = 1 in x + 1
def g = f(let y = 2; y)"##,
            r##"def f = [1; 2; 3]
def g = (1 2)
def h = [1.0 2.0]"##,
            r##"def f = a[]"##,
            r##"def f() = x."##,
            r##"def f() = x."##,
            r##"def f = (1 + 2
def g = [1, 2
def h = f(1, (2, 3)"##,
            r##"  def a = f(
  def b = 1"##,
            r##"def f = a[1:2]"##,
            r##"def f = 3 4
def f = 3(x)"##,
        ],
        expect![[r#"
            def f = (1 + 2
            def g = [1, 2
            def h = f(1, (2, 3)
                E0102 1:9 this `(` is never closed
                E0102 2:9 this `[` is never closed
                E0102 3:10 this `(` is never closed
            def f = (1 + 2]
                E0102 1:9 this `(` is never closed
            def match = 1
            def f(type) = type + 1
                E0113 1:5 `match` cannot be a name | choose another name, such as `match_`
                E0113 2:7 `type` cannot be a name | choose another name, such as `type_`
                E0113 2:15 `type` cannot be a name | choose another name, such as `type_`
            def f = x) + 1
                E0102 1:10 this `)` closes nothing | remove it, or open the bracket before
            def f = (a,)
                E0101 1:11 expected a second element, found `)` | remove the comma; a tuple has at least two elements
            def f = let x = 1 in x + 1
            def g = f(let y = 2; y)
                E0115 1:9 `let` stands only in a block | write `{ let x = ...; ... }` with braces
                E0101 1:19 expected `;`, found `in` | write `;` instead of `in`
                E0115 2:11 `let` stands only in a block | write `{ let x = ...; ... }` with braces
            def f = [1; 2; 3]
            def g = (1 2)
            def h = [1.0 2.0]
                E0101 1:11 expected `,` or `]`, found `;` | separate them with `,`
                E0101 1:14 expected `,` or `]`, found `;` | separate them with `,`
                E0101 2:12 expected `,` or `)`, found `2`
                E0101 3:14 expected `,` or `]`, found `2.0`
            def f = a[]
                E0101 1:10 expected an index, found nothing | write an index, as in `a[i]`, or a range, as in `a[1..n]`
            def f() = x.
                E0101 1:13 expected a field, found the end of the text
            def f() = x.
                E0101 1:13 expected a field, found the end of the text
            def f = (1 + 2
            def g = [1, 2
            def h = f(1, (2, 3)
                E0102 1:9 this `(` is never closed
                E0102 2:9 this `[` is never closed
                E0102 3:10 this `(` is never closed
              def a = f(
              def b = 1
                E0102 1:12 this `(` is never closed
            def f = a[1:2]
                E0101 1:12 expected `,` or `]`, found `:` | write `lo..hi` for a range
            def f = 3 4
            def f = 3(x)
                E0101 1:11 expected an operator or the end, found `4`
        "#]],
    );
}

#[test]
fn blocks() {
    check(
        &[
            r##"def f(x) = {
  let a = 1
  let b = 2
  a + b
}"##,
            r##"def f = { let x = 1; x; }"##,
            r##"def f = { let x = 1; }"##,
            r##"def f = {
  let x = f(1, 2;
  let y = 3;
  x + y
}"##,
            r##"def f = { x = 3; x += 1; x }"##,
            r##"def f = { x: 1.0, y: 2.0 }"##,
            r##"def f = { let mut x = 1; let g(y) = y; def h(z) = z; x }"##,
            r##"def f = f(x = 3)
def g = V { x = 1, y: 2 }"##,
            r##"def f(x) = {
  let a = g(x
  let b = 2;
  a + b
}"##,
            r##"def f(x) = {
  let a = 1;
  let b = a +
}
def g = 1"##,
            r##"def f(x) = {
  let a = g(x
  let b = 2;
  a + b
}"##,
            r##"def f = { x = 3; x += 1; x }"##,
            r##"def f = {
  let x = 1;
  x
def g = 2"##,
            r##"def f = { let x 1; x }
def f = { let = 1; x }
def f = { let (a, = 1; x }"##,
            r##"def f = {}"##,
            r##"def f = A { x: 1 y: 2 }"##,
        ],
        expect![[r#"
            def f(x) = {
              let a = 1
              let b = 2
              a + b
            }
                E0110 2:11 `;` is missing after this `let`
                E0110 3:11 `;` is missing after this `let`
            def f = { let x = 1; x; }
                E0111 1:23 no `;` after the value of a block | remove the `;`: the last expression is the value of the block
            def f = { let x = 1; }
                E0112 1:22 this block gives no value | end the block with the expression that is its value, without `;`
            def f = {
              let x = f(1, 2;
              let y = 3;
              x + y
            }
                E0102 2:12 this `(` is never closed
            def f = { x = 3; x += 1; x }
                E0115 1:11 a binding starts with `let` | write `let x = ...;`; a name stands for one value for good
                E0115 1:18 values do not change | bind a new name, as in `let next = x + ...;`
            def f = { x: 1.0, y: 2.0 }
                E0115 1:9 this record has no name | write the name of its type first, as in `Vec3 { x: 1.0 }`
            def f = { let mut x = 1; let g(y) = y; def h(z) = z; x }
                E0115 1:15 only a pattern stands after `let` | remove it; a name stands for one value for good
                E0115 1:31 a `let` has no parameters | write `let f = \x => ...;`
                E0115 1:40 `def` stands only at the top level | move it out, or write `let f = \x => ...;`
            def f = f(x = 3)
            def g = V { x = 1, y: 2 }
                E0115 1:11 arguments have no names | give arguments by their place, or write `==` to compare
                E0101 2:15 expected `:`, found `=` | write `:` between field and value
            def f(x) = {
              let a = g(x
              let b = 2;
              a + b
            }
                E0102 2:12 this `(` is never closed
            def f(x) = {
              let a = 1;
              let b = a +
            }
            def g = 1
                E0101 3:14 expected an expression, found `}`
            def f(x) = {
              let a = g(x
              let b = 2;
              a + b
            }
                E0102 2:12 this `(` is never closed
            def f = { x = 3; x += 1; x }
                E0115 1:11 a binding starts with `let` | write `let x = ...;`; a name stands for one value for good
                E0115 1:18 values do not change | bind a new name, as in `let next = x + ...;`
            def f = {
              let x = 1;
              x
            def g = 2
                E0102 1:9 this `{` is never closed
            def f = { let x 1; x }
            def f = { let = 1; x }
            def f = { let (a, = 1; x }
                E0101 1:17 expected `=`, found `1`
                E0101 2:15 expected a pattern, found `=`
                E0101 3:19 expected a pattern, found `=`
            def f = {}
                E0112 1:10 this block gives no value | end the block with the expression that is its value, without `;`
            def f = A { x: 1 y: 2 }
                E0101 1:18 expected `,` or `}`, found `y`
        "#]],
    );
}

#[test]
fn custom_derivatives() {
    check(
        &[
            r##"def f(x) = x
with grad(x, dy) = dy
with vjp(x, dy) = dy
def g = 1"##,
            r##"def f(x) = x
with vjp x dy = dy
def g = (1"##,
            r##"def f(x) = x
with vjp(x, dy): Real = dy
with jvp(x, dx) dx
def g = 1 +"##,
            r##"with vjp(x, dy) = dy
def g = 1 +"##,
            r##"def f(x) = g with x"##,
        ],
        expect![[r#"
            def f(x) = x
            with grad(x, dy) = dy
            with vjp(x, dy) = dy
            def g = 1
                E0101 2:6 expected `vjp` or `jvp`, found `grad` | a definition comes `with vjp(...) = ...` or `with jvp(...) = ...`
            def f(x) = x
            with vjp x dy = dy
            def g = (1
                E0101 2:10 expected `(`, found `x`
                E0102 3:9 this `(` is never closed
            def f(x) = x
            with vjp(x, dy): Real = dy
            with jvp(x, dx) dx
            def g = 1 +
                E0115 2:16 a custom derivative has no type of its own | remove it: its type follows from the definition
                E0101 3:17 expected `=`, found `dx`
                E0101 4:12 expected an expression, found the end of the text
            with vjp(x, dy) = dy
            def g = 1 +
                E0101 1:1 expected a declaration, found `with` | start with `def`, `type`, `data`, `test`, `bench` or `plot`
                E0101 2:12 expected an expression, found the end of the text
            def f(x) = g with x
                E0114 1:14 these two stand side by side | write `g(with, x)` to call it, or put an operator between them
        "#]],
    );
}
