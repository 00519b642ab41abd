//! Mistakes in expressions and literals.

use expect_test::expect;

use super::check;

#[test]
fn expressions() {
    check(
        &[
            r##"def f = sin x
def g = f x y + 1"##,
            r##"def f = 1;
def g = 2"##,
            r##"def f = -
def g = 1 +"##,
            r##"def f: Real -> = 1"##,
            r##"def f = -
def g = 1 +"##,
            r##"def f = "##,
            r##"def f = "a" "b""##,
        ],
        expect![[r#"
            def f = sin x
            def g = f x y + 1
                E0114 1:13 these two stand side by side | write `sin(x)` to call it, or put an operator between them
                E0114 2:11 these two stand side by side | write `f(x, y)` to call it, or put an operator between them
            def f = 1;
            def g = 2
                E0111 1:10 no `;` after a declaration | remove it: the next declaration starts with its keyword
            def f = -
            def g = 1 +
                E0101 1:10 expected an expression, found `def`
                E0101 2:12 expected an expression, found the end of the text
            def f: Real -> = 1
                E0101 1:16 expected a type, found `=`
            def f = -
            def g = 1 +
                E0101 1:10 expected an expression, found `def`
                E0101 2:12 expected an expression, found the end of the text
            def f = 
                E0101 1:8 expected an expression, found the end of the text
            def f = "a" "b"
                E0101 1:13 expected an operator or the end, found a text
        "#]],
    );
}

#[test]
fn operators() {
    check(
        &[
            r##"def f(a, b) = a and b or not a"##,
            r##"def f = a ^ b"##,
            r##"def f = a < b < c"##,
            r##"def Foo = 1
type vec = Real
data tree = leaf | Node(Int)"##,
            r##"def f = x ? 1 : 2"##,
            r##"def f = +1 ++ 2"##,
            r##"def f = a == b == c"##,
            r##"def f = x ? 1 : 2"##,
        ],
        expect![[r#"
            def f(a, b) = a and b or not a
                E0116 1:17 `and` is not an operator here | write `&&`
                E0116 1:23 `or` is not an operator here | write `||`
                E0116 1:26 `not` is not an operator here | write `!`
            def f = a ^ b
                E0116 1:11 `^` is not an operator here | write `**` for a power
            def f = a < b < c
                E0108 1:15 comparisons cannot be chained | join two comparisons with `&&`, or put one in parentheses
            def Foo = 1
            type vec = Real
            data tree = leaf | Node(Int)
                E0117 1:5 names start with a small letter | write `foo`
                E0117 2:6 types start with a capital letter | write `Vec`
                E0117 3:6 types start with a capital letter | write `Tree`
                E0117 3:13 constructors start with a capital letter | write `Leaf`
            def f = x ? 1 : 2
                E0101 1:11 expected an operator or the end, found `?` | write `if condition then a else b`
            def f = +1 ++ 2
                E0115 1:9 there is no prefix `+` | write the number without it
                E0115 1:13 there is no prefix `+` | write the number without it
            def f = a == b == c
                E0108 1:16 comparisons cannot be chained | join two comparisons with `&&`, or put one in parentheses
            def f = x ? 1 : 2
                E0101 1:11 expected an operator or the end, found `?` | write `if condition then a else b`
        "#]],
    );
}

#[test]
fn literals_and_characters() {
    check(
        &[
            r##"// hello
def f = 1 // two
# three
def g = 2 /* a
b */ + 1"##,
            r##"def f = 1. + .5"##,
            r##"def f = "abc
def g = 'abc' + 'd'
def h = x' + 1
def i = a ≤ b"##,
            r##"def f = 12ab + 1e + 0x1F + 99999999999999999999 + 1e999"##,
            r##"def f = "a\qb""##,
            r##"def f = a @ b
def g = f($x)"##,
        ],
        expect![[r#"
            // hello
            def f = 1 // two
            # three
            def g = 2 /* a
            b */ + 1
                E0118 1:1 `//` does not start a comment | start comments with `--`; they end with the line
                E0118 2:11 `//` does not start a comment | start comments with `--`; they end with the line
                E0118 3:1 `#` does not start a comment | start comments with `--`; they end with the line
                E0118 4:11 `/*` does not start a comment | start comments with `--`; they end with the line
            def f = 1. + .5
                E0105 1:9 this number cannot be read | write `1.0`
                E0105 1:14 this number cannot be read | write `0.5`
            def f = "abc
            def g = 'abc' + 'd'
            def h = x' + 1
            def i = a ≤ b
                E0103 1:9 this text has no closing `"` | close it with `"` on the same line; write a line break as `\n`
                E0104 2:9 a text in single quotes has no meaning here | write texts between double quotes
                E0104 2:17 a text in single quotes has no meaning here | write texts between double quotes
                E0104 3:10 the character `'` has no meaning here | write names with letters, digits and `_` only
                E0104 4:11 the character `≤` has no meaning here | write `<=`
            def f = 12ab + 1e + 0x1F + 99999999999999999999 + 1e999
                E0105 1:9 this number cannot be read | put an operator or a space between the number and the letters
                E0105 1:16 this number cannot be read | write digits after the `e`, as in `1e-3`
                E0105 1:21 this number cannot be read | write numbers in decimal
                E0105 1:28 this number cannot be read | write a real number, `99999999999999999999.0`, if that is meant
                E0105 1:51 this number cannot be read | write `infinity` if that is meant
            def f = "a\qb"
                E0106 1:11 unknown escape in a text | use `\n`, `\t`, `\r`, `\"`, `\\` or `\u{1F600}`
            def f = a @ b
            def g = f($x)
                E0104 1:11 the character `@` has no meaning here | write `matmul(a, b)` for a matrix product
                E0104 2:11 the character `$` has no meaning here
        "#]],
    );
}

#[test]
fn choices() {
    check(
        &[
            r##"def f(x) = if x = 1 then 2 else 3"##,
            r##"def f(c) = if c { 1 } else { 2 }"##,
            r##"def f(c) = if c then 1
def g = 1"##,
            r##"def f = match x { A => 1 B => 2 }
def g = match x {
  A => 1
  B => 2
}
def h = match x with | A -> 1 | B -> 2"##,
            r##"def f = if a then b elif c then d else e"##,
            r##"def f = if a: b else: c"##,
            r##"match x {}"##,
            r##"def f = match x { 1.0 => 1, [a, b] => 2, (a: Int, b) => 3, A | B => 4, x if x > 1 => 5, Foo { x, .. } => 6 }"##,
            r##"def f = if a then b elif c then d else e"##,
            r##"def h = match x with | A -> 1 | B -> 2
def i = match x with { A -> 1, B -> 2 }"##,
            r##"def f = if c then 1
def g = 1"##,
            r##"def f = if a then b; else c"##,
            r##"def f(n: Int) = {
  if n == 0 { return 1; }
  return n * f(n - 1);
}
def g = 1"##,
        ],
        expect![[r#"
            def f(x) = if x = 1 then 2 else 3
                E0116 1:17 `=` is not an operator here | write `==` to compare two values
            def f(c) = if c { 1 } else { 2 }
                E0101 1:17 expected `then`, found `{` | write `if condition then a else b`
            def f(c) = if c then 1
            def g = 1
                E0109 1:12 this `if` has no `else` | write `if condition then a else b`
            def f = match x { A => 1 B => 2 }
            def g = match x {
              A => 1
              B => 2
            }
            def h = match x with | A -> 1 | B -> 2
                E0101 1:26 expected `,` or `}`, found `B`
                E0110 3:8 `,` is missing after this arm
                E0101 6:17 expected `{`, found `with` | remove `with`
                E0101 6:22 expected `{`, found `|` | write `||` for "or"; `|` stands only in `data`
            def f = if a then b elif c then d else e
                E0101 1:21 expected `else`, found `elif` | write `else if`
            def f = if a: b else: c
                E0101 1:13 expected `then`, found `:` | write `if condition then a else b`
                E0101 1:21 expected an expression, found `:` | remove the `:`
            match x {}
                E0101 1:1 expected a declaration, found `match` | start with `def`, `type`, `data`, `test`, `bench` or `plot`
            def f = match x { 1.0 => 1, [a, b] => 2, (a: Int, b) => 3, A | B => 4, x if x > 1 => 5, Foo { x, .. } => 6 }
                E0115 1:19 a real number cannot be matched | compare with `if` instead
                E0115 1:29 an array cannot be matched | bind it to a name and read `xs[0]`, `xs[1]`, ...
                E0115 1:44 a part of a pattern has no annotation | annotate the whole: `(a, b): (Real, Real)`
                E0101 1:62 expected `=>`, found `|` | write an arm for each pattern
                E0101 1:74 expected `=>`, found `if` | write `if` after the `=>`
                E0115 1:98 `..` is not needed in a pattern | leave out the fields that do not matter
            def f = if a then b elif c then d else e
                E0101 1:21 expected `else`, found `elif` | write `else if`
            def h = match x with | A -> 1 | B -> 2
            def i = match x with { A -> 1, B -> 2 }
                E0101 1:17 expected `{`, found `with` | remove `with`
                E0101 1:22 expected `{`, found `|` | write `||` for "or"; `|` stands only in `data`
                E0101 2:17 expected `{`, found `with` | remove `with`
                E0101 2:26 expected `=>`, found `->` | write `=>` instead of `->`
                E0101 2:34 expected `=>`, found `->` | write `=>` instead of `->`
            def f = if c then 1
            def g = 1
                E0109 1:9 this `if` has no `else` | write `if condition then a else b`
            def f = if a then b; else c
                E0111 1:20 no `;` after a branch | write `if condition then a else b`
            def f(n: Int) = {
              if n == 0 { return 1; }
              return n * f(n - 1);
            }
            def g = 1
                E0109 2:3 this `if` has no `else` | write `if condition then a else b`
                E0101 2:13 expected `then`, found `{` | write `if condition then a else b`
                E0115 2:15 there is no `return` | remove `return`: the last expression is the value
                E0111 2:23 no `;` after the value of a block | remove the `;`: the last expression is the value of the block
        "#]],
    );
}

#[test]
fn functions_and_loops() {
    check(
        &[
            r##"def f = \x -> x + 1"##,
            r##"def f = map(\x -> x + 1, xs)
def g = 2 )"##,
            r##"def f = lambda x: x + 1"##,
            r##"def f = lambda x, y: x + y"##,
            r##"def f = for i in xs { i }
def g = { let a = 1; for i in xs { a }; a }"##,
            r##"use foo
def f = 1
struct Foo { x: Real }
def g = return 2"##,
            r##"def f = sum(for i in 0..n)"##,
            r##"def f = \x y => x + y"##,
            r##"def g = { let a = 1; for i in xs { a }; a }"##,
            r##"def f = build i < n i * 2
def f = build i in n => i
def f = build i, j < n => i"##,
            r##"def f = x |> g
def f = a | b
def f = a <> b
def f = !
def f = \
def f = \x
def f = \x =>"##,
        ],
        expect![[r#"
            def f = \x -> x + 1
                E0101 1:12 expected `=>`, found `->` | write `=>` instead of `->`
            def f = map(\x -> x + 1, xs)
            def g = 2 )
                E0101 1:16 expected `=>`, found `->` | write `=>` instead of `->`
                E0102 2:11 this `)` closes nothing | remove it, or open the bracket before
            def f = lambda x: x + 1
                E0115 1:9 functions start with a backslash | write `\x, y => ...`
            def f = lambda x, y: x + y
                E0115 1:9 functions start with a backslash | write `\x, y => ...`
            def f = for i in xs { i }
            def g = { let a = 1; for i in xs { a }; a }
                E0115 1:9 there are no loop statements | use `build i < n => ...`, `fold`, `iterate` or `while(go_on, step, start)`
                E0115 2:22 there are no loop statements | use `build i < n => ...`, `fold`, `iterate` or `while(go_on, step, start)`
            use foo
            def f = 1
            struct Foo { x: Real }
            def g = return 2
                E0101 1:1 expected a declaration, found `use` | write `import "file.cot"` or `import std.linalg`
                E0101 2:10 expected a declaration, found `struct` | write `type Name = { x: Real }`
                E0115 4:9 there is no `return` | remove `return`: the last expression is the value
            def f = sum(for i in 0..n)
                E0115 1:13 there are no loop statements | use `build i < n => ...`, `fold`, `iterate` or `while(go_on, step, start)`
            def f = \x y => x + y
                E0101 1:12 expected `,` or `=>`, found `y` | separate parameters with `,`
            def g = { let a = 1; for i in xs { a }; a }
                E0115 1:22 there are no loop statements | use `build i < n => ...`, `fold`, `iterate` or `while(go_on, step, start)`
            def f = build i < n i * 2
            def f = build i in n => i
            def f = build i, j < n => i
                E0114 1:21 these two stand side by side | write `n(i)` to call it, or put an operator between them
                E0101 1:26 expected `=>`, found `def`
                E0101 2:17 expected `<`, found `in` | write `i < n`; the index runs from 0 to n - 1
                E0101 3:16 expected `<`, found `,`
            def f = x |> g
            def f = a | b
            def f = a <> b
            def f = !
            def f = \
            def f = \x
            def f = \x =>
                E0101 1:11 expected an operator or the end, found `|` | write `f(x)` to call a function
                E0101 2:11 expected an operator or the end, found `|` | write `||` for "or"; `|` stands only in `data`
                E0101 3:12 expected an expression, found `>`
                E0101 4:10 expected an expression, found `def`
                E0101 5:10 expected a pattern, found `def`
                E0101 6:11 expected `=>`, found `def`
                E0101 7:14 expected an expression, found the end of the text
        "#]],
    );
}

#[test]
fn what_python_has_and_cotan_has_not() {
    check(
        &[
            r##"def f(xs) = sum(x for x in xs)"##,
            r##"def f(xs) = [2.0 * x for x in xs] + 1.0"##,
            r##"def f(xs) = g([h(i, j) for (i, j) in xs if i > 2], xs)"##,
            r##"def f(xs: [3, 3]Real, y: [n, m + 1, _](Real, Int)) = xs"##,
            "def f(m) = {\n  m[0,0] = 5.0;\n  m\n}",
            "def f(m) = {\n  m[0][i + 1] += 5.0;\n  let m[k[0]] = 1.0;\n  m\n}",
            "def größe = 1.0",
        ],
        expect![[r#"
            def f(xs) = sum(x for x in xs)
                E0115 1:19 there are no comprehensions | write `map(\x => ..., xs)`, or `build i < n => ...`
            def f(xs) = [2.0 * x for x in xs] + 1.0
                E0115 1:22 there are no comprehensions | write `map(\x => ..., xs)`, or `build i < n => ...`
            def f(xs) = g([h(i, j) for (i, j) in xs if i > 2], xs)
                E0115 1:24 there are no comprehensions | write `map(\x => ..., xs)`, or `build i < n => ...`
            def f(xs: [3, 3]Real, y: [n, m + 1, _](Real, Int)) = xs
                E0115 1:13 each size has brackets of its own | write `[3][3]Real`
                E0115 1:28 each size has brackets of its own | write `[n][m + 1][_]`
            def f(m) = {
              m[0,0] = 5.0;
              m
            }
                E0115 2:3 values do not change | make a new array: `let next = m with [i] = ...;`
            def f(m) = {
              m[0][i + 1] += 5.0;
              let m[k[0]] = 1.0;
              m
            }
                E0115 2:3 values do not change | make a new array: `let next = m with [i] = ...;`
                E0115 3:7 values do not change | make a new array: `let next = m with [i] = ...;`
            def größe = 1.0
                E0104 1:7 the character `ö` has no meaning here | write names with the letters a to z and A to Z, digits and `_`
                E0101 1:9 expected `=`, found `e`
        "#]],
    );
}
