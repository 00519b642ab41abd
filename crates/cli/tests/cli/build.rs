//! `cotan build --emit c`: the sources compile without a warning, and a C program gets the right numbers.

use std::path::Path;
use std::process::Command;

use crate::*;

const PROGRAM: &str = "
type Point = { x: Real, y: Real }

def energy(points: [n]Point, k: Real): Real = k * sum(map(\\p => p.x * p.x + p.y * p.y, points))

def scaled(x: [n]Real, m: [n][2]Real): [n][2]Real = build i < n, j < 2 => x[i] * m[i, j]

def positive(x: [n]Real): [n]Bool = map(\\v => v > 0.0, x)

def pick(start: [n]Real, ctx: Int): Real = start[ctx]

def twice(f: (Real) -> Real, x: Real): Real = f(f(x))

def same(x: a): a = x

def some(x: [n]Real) = filter(\\v => v > 0.0, x)
";

/// Sums of squares: energy = 2 (1 + 4 + 9 + 16) = 60, its gradient 2 k x, and by k the sum itself.
/// The transposed derivative of the product: d_x = sum over j of m d, d_m = x d.
const CALLER: &str = "
#include <stdio.h>
#include <stdlib.h>
#include \"shapes.h\"

int main(void) {
  size_t bytes = 1 << 20;
  void *w = malloc(bytes);
  const double x[2] = {1, 3}, y[2] = {2, 4};
  double value = 0, dx[2], dy[2], dk = 0;
  int status = shapes_energy(2, x, y, 2.0, &value, w, bytes);
  printf(\"%d %g\\n\", status, value);
  status = shapes_energy_grad(2, x, y, 2.0, &value, dx, dy, &dk, w, bytes);
  printf(\"%d %g [%g %g] [%g %g] %g\\n\", status, value, dx[0], dx[1], dy[0], dy[1], dk);
  const double m[4] = {1, 2, 3, 4}, seed[4] = {1, 1, 1, 2};
  double r[4], ds[2], dm[4];
  status = shapes_scaled(2, x, m, r, w, bytes);
  printf(\"%d [%g %g %g %g]\\n\", status, r[0], r[1], r[2], r[3]);
  status = shapes_scaled_vjp(2, x, m, seed, ds, dm, w, bytes);
  printf(\"%d [%g %g] [%g %g %g %g]\\n\", status, ds[0], ds[1], dm[0], dm[1], dm[2], dm[3]);
  const double signs[3] = {-1, 0.5, 2};
  uint8_t b[3];
  status = shapes_positive(3, signs, b, w, bytes);
  printf(\"%d %d%d%d\\n\", status, b[0], b[1], b[2]);
  printf(\"%d\\n\", shapes_pick(2, x, 5, &value, w, bytes) == COTAN_FAULT);
  printf(\"%d\\n\", shapes_scaled(2, x, m, r, w, 16) == COTAN_WORKSPACE);
  const int64_t ends[4] = {-1, (int64_t)1 << 57, (int64_t)1 << 62, INT64_MAX};
  for (int i = 0; i < 4; i++) printf(\"%d\", shapes_scaled(ends[i], x, m, r, w, bytes));
  printf(\"\\n\");
  free(w);
  return 0;
}
";

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Compiles everything in a folder, without warnings, and runs it.
fn output_of(folder: &Path) -> String {
    let files = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let sources: Vec<PathBuf> =
        files.filter(|it| it.extension().is_some_and(|it| it == "c")).collect();
    let program = folder.join("program");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-O2", "-march=native", "-ffp-contract=off"])
        .args(["-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .args(&sources)
        .arg("-lm")
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(program).output().unwrap();
    assert!(ran.status.success());
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn a_c_program_calls_values_and_derivatives() {
    let (path, folder) = (file("shapes.cot", PROGRAM), folder("shapes"));
    let _ = std::fs::remove_dir_all(&folder);
    let built = cotan(&["build", &path, "--emit", "c", "-o", &folder.display().to_string()]);
    let built = built.exits(0).says("functions").says("polymorphic").says("only when it runs");
    assert!(built.out.contains("functions in"), "{}", built.out);
    std::fs::write(folder.join("caller.c"), CALLER).unwrap();
    let expected = "0 60\n\
                    0 60 [4 12] [8 16] 30\n\
                    0 [1 2 9 12]\n\
                    0 [3 11] [1 1 3 6]\n\
                    0 011\n1\n1\n3333\n";
    assert_eq!(output_of(&folder), expected);
    let manifest = std::fs::read_to_string(folder.join("shapes.json")).unwrap();
    for part in
        ["\"shapes_energy_grad\"", "\"skipped\"", "\"twice\"", "\"sizes\": [", "\"d_points_x\""]
    {
        assert!(manifest.contains(part), "{part}\n{manifest}");
    }
}

/// Sums of products by vectors were left out of what is written twice, and the C compiler refused it.
#[test]
fn a_jacobian_by_several_numbers() {
    let text = "def decay(p: [3]Real, t: [n]Real): [n]Real = build i < n => p[0] * exp(-p[1] * t[i]) + p[2]\n\n\
        def rates(p: [3]Real, t: [n]Real): [n][3]Real = jacobian(\\p => decay(p, t))(p)\n";
    let (path, folder) = (file("decay.cot", text), folder("decay"));
    let _ = std::fs::remove_dir_all(&folder);
    cotan(&["build", &path, "--emit", "c", "-o", &folder.display().to_string()]).exits(0);
    let caller = "#include <stdio.h>\n#include \"decay.h\"\n\
        static char w[65536];\n\
        int main(void) {\n\
          const double p[3] = {2, 0, 3}, t[2] = {1, 2};\n\
          double d[6];\n\
          int status = decay_rates(2, p, t, d, w, sizeof w);\n\
          printf(\"%d %g %g %g %g %g %g\\n\", status, d[0], d[1], d[2], d[3], d[4], d[5]);\n\
          return 0;\n\
        }\n";
    std::fs::write(folder.join("caller.c"), caller).unwrap();
    assert_eq!(output_of(&folder), "0 1 -2 1 1 -4 1\n");
}

#[test]
fn a_c_program_in_single_precision() {
    let text = "def half(x: [n]Real): Real = 0.5 * dot(x, x)\n";
    let (path, folder) = (file("single.cot", text), folder("single"));
    let _ = std::fs::remove_dir_all(&folder);
    let out = folder.display().to_string();
    cotan(&["build", &path, "--emit", "c", "-o", &out, "--real", "f32"]).exits(0);
    let caller = "#include <stdio.h>\n#include \"single.h\"\n\
        static char w[4096];\n\
        int main(void) {\n\
          const float x[3] = {1, 2, 3};\n\
          float value, d[3];\n\
          int status = single_half_grad(3, x, &value, d, w, sizeof w);\n\
          printf(\"%d %g %g %g %g\\n\", status, value, d[0], d[1], d[2]);\n\
          return 0;\n\
        }\n";
    std::fs::write(folder.join("caller.c"), caller).unwrap();
    assert_eq!(output_of(&folder), "0 7 1 2 3\n");
}

#[test]
fn folders_that_cannot_be_made_are_an_error() {
    let path = main_file("build_nowhere.cot", "1.0");
    cotan(&["build", &path, "--emit", "c", "-o", "/dev/null/x"]).exits(1).says("[E0630]");
    cotan(&["build", &path, "-o", "x"]).exits(2);
}

/// By a closed form: the slope of a x^2 + mu is x^2 by a, 2 a x by x and 1 by mu.
#[test]
fn derivatives_are_by_what_is_asked_for() {
    let text = "def f(a: Real, x: Real, mu: Real, n: Int): Real = a * x * x + mu\n\
                def g(y: Real): Real = y * y\n";
    let (path, folder) = (file("wrt.cot", text), folder("wrt"));
    let _ = std::fs::remove_dir_all(&folder);
    let out = folder.display().to_string();
    let build = |names: &str| cotan(&["build", &path, "--emit", "c", "-o", &out, "--wrt", names]);
    build("weight")
        .exits(1)
        .says("[E0620]")
        .says("there is no parameter `weight`")
        .says("`a`, `x`, `mu`, `y`");
    build("a,n").exits(1).says("[E0620]").says("the parameter `n` has no reals").says("`mu`");
    build("mu,a").exits(0).says("not the gradient of g: it has no reals in `mu`, `a`");
    let caller = "#include <stdio.h>\n#include \"wrt.h\"\n\
        static char w[4096];\n\
        int main(void) {\n\
          double value, da, dmu;\n\
          int status = wrt_f_grad(3, 2, 5, 7, &value, &da, &dmu, w, sizeof w);\n\
          printf(\"%d %g %g %g\\n\", status, value, da, dmu);\n\
          return 0;\n\
        }\n";
    std::fs::write(folder.join("caller.c"), caller).unwrap();
    assert_eq!(output_of(&folder), "0 17 4 1\n");
}

#[test]
fn a_definition_may_be_called_as_a_derivative_would_be() {
    let text = "def f_grad(x: Real): Real = 10.0 * x\ndef f(x: Real): Real = x * x\n";
    let (path, folder) = (file("clash.cot", text), folder("clash"));
    let _ = std::fs::remove_dir_all(&folder);
    let out = folder.display().to_string();
    cotan(&["build", &path, "--emit", "c", "-o", &out])
        .exits(0)
        .prints(&format!("4 functions in {out}"));
    let caller = "#include <stdio.h>\n#include \"clash.h\"\n\
        static char w[4096];\n\
        int main(void) {\n\
          double own, value, d;\n\
          int status = clash_f_grad(3, &own, w, sizeof w);\n\
          status += clash_f_grad_(3, &value, &d, w, sizeof w);\n\
          printf(\"%d %g %g %g\\n\", status, own, value, d);\n\
          return 0;\n\
        }\n";
    std::fs::write(folder.join("caller.c"), caller).unwrap();
    assert_eq!(output_of(&folder), "0 30 9 6\n");
}

/// Slices of an array whose rows are taken apart have more small axes, or none that are small enough.
#[test]
fn stages_and_sources_of_blocks_of_different_heights() {
    let peers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/programs/peers");
    let file = format!("{peers}/horde_ad_rank.cot");
    cotan(&["stages", &file, "blocks"]).exits(0);
    let folder = folder("blocks");
    cotan(&["build", &file, "--emit", "c", "-o", &folder.to_string_lossy()]).exits(0);
}

/// A value of a sum type is a tag and the fields of all constructors: the circle has 3 r^2 and 6 r, the box
/// a b with (b, a). A type that contains itself has no C, and is named with who takes it.
#[test]
fn sum_types_are_tags_and_fields() {
    let program = "
data Shape = Circle(Real) | Box(Real, Real)
data Tree = Leaf(Real) | Node(Tree, Tree)
def area(s: Shape): Real = match s { Circle(r) => 3.0 * r * r, Box(a, b) => a * b }
def square(a: Real): Shape = Box(a, a)
def total(t: Tree): Real = match t { Leaf(x) => x, Node(l, r) => total(l) + total(r) }
";
    let caller = "
#include <stdio.h>
#include \"sums.h\"

static char w[1 << 20];

int main(void) {
  double value, dr, da, db, r, a, b;
  int64_t tag;
  int status = sums_area_grad(0, 2, 0, 0, &value, &dr, &da, &db, w, sizeof w);
  printf(\"%d %g %g %g %g\\n\", status, value, dr, da, db);
  status = sums_area_grad(1, 0, 3, 5, &value, &dr, &da, &db, w, sizeof w);
  printf(\"%d %g %g %g %g\\n\", status, value, dr, da, db);
  status = sums_area_grad(-7, 0, 3, 5, &value, &dr, &da, &db, w, sizeof w);
  printf(\"%d %g\\n\", status, value);
  status = sums_square(3, &tag, &r, &a, &b, w, sizeof w);
  printf(\"%d %d %g %g %g\\n\", status, (int)tag, r, a, b);
  return 0;
}
";
    let (path, folder) = (file("sums.cot", program), folder("sums"));
    let _ = std::fs::remove_dir_all(&folder);
    let built = cotan(&["build", &path, "--emit", "c", "-o", &folder.display().to_string()]);
    built.exits(0).says(
        "not total: C has no type for `Tree`, which contains itself; handles and `program!` take it",
    );
    std::fs::write(folder.join("caller.c"), caller).unwrap();
    let expected = "0 12 12 0 0\n0 15 0 5 3\n0 15\n0 1 0 3 3\n";
    assert_eq!(output_of(&folder), expected);
    let manifest = std::fs::read_to_string(folder.join("sums.json")).unwrap();
    assert!(manifest.contains("\"role\": \"tag\""), "{manifest}");
}
