//! The one table of primitives: name, notation, type rule, partial derivatives with the
//! conventions at ties and kinks, and one sentence of documentation. The manual, the checker,
//! the interpreter and every AD method read this table.
//!
//! Partial derivatives are formulas over the operands `x`, `y`, `z` and the result `r`, built of
//! primitives themselves, so that they can be differentiated again; `partial.rs` reads them.
//! A factor that may be zero where the other is infinite is multiplied by `scale`.

#![allow(missing_docs, reason = "the table documents each row")]

/// A primitive: a scalar function, applied element by element when an operand is an array
/// (scalar operands are then used for every element).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Prim {
    // Real or Int
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Neg,
    Abs,
    Sign,
    Min,
    Max,
    // Real
    Exp,
    Log,
    Log1p,
    Expm1,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Sqrt,
    Floor,
    Ceil,
    Round,
    Erf,
    Lgamma,
    Digamma,
    Polygamma,
    Sigmoid,
    Softplus,
    // The product of a partial derivative and a tangent: zero if either factor is zero.
    Scale,
    // Conversion
    ToReal,
    ToInt,
    // Int, as 64 bits
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    // Comparison of Real, Int
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    IsNan,
    // Bool
    And,
    Or,
    Not,
    Select,
}

/// Which scalars a primitive takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// One `Real` or one `Int`, gives the same.
    Number1,
    /// Two `Real`s or two `Int`s, gives the same.
    Number2,
    /// `Real -> Real`.
    Real1,
    /// `(Real, Real) -> Real`.
    Real2,
    /// `(Int, Int) -> Int`.
    Int2,
    /// `(Int, Real) -> Real`.
    IntReal,
    /// `Int -> Real`.
    IntToReal,
    /// `Real -> Int`.
    RealToInt,
    /// Two `Real`s or two `Int`s, gives a `Bool`.
    Compare,
    /// `Real -> Bool`.
    TestReal,
    /// `Bool -> Bool`.
    Bool1,
    /// `(Bool, Bool) -> Bool`.
    Bool2,
    /// `(Bool, T, T) -> T` with `T` one of `Real`, `Int`, `Bool`, `String`.
    Choose,
}

/// For which reals a function of one of them has values and derivatives of moderate size: random programs
/// keep to these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reals {
    /// All of them.
    All,
    /// All of them, but it jumps: only its pieces have derivatives.
    Jumps,
    /// Those between -1 and 1.
    Small,
    /// Those above 0.
    Positive,
    /// It takes something else than one real, or others.
    Other,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The primitive.
    pub prim: Prim,
    /// Its name in the text of the ir; also that of the builtin if `notation` is a call of it.
    pub name: &'static str,
    /// How a program writes it; empty if no program can.
    pub notation: &'static str,
    /// Its type.
    pub rule: Rule,
    /// About how many additions it takes as long as, in compiled code.
    pub cost: i64,
    /// For which reals it is defined and does not grow fast, if it takes one.
    pub moderate: Reals,
    /// The partial derivative by each operand; empty if all are zero.
    pub partials: &'static [&'static str],
    /// What it computes and which convention its derivative follows.
    pub about: &'static str,
}

impl Prim {
    /// Every primitive, in the order of the table.
    pub fn all() -> impl Iterator<Item = Prim> {
        TABLE.iter().map(|it| it.prim)
    }

    /// Its row.
    pub fn row(self) -> &'static Row {
        // The table has the order of the enum, a test checks it.
        &TABLE[self as usize]
    }

    /// Its name in the text of the ir, such as `add` or `exp`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether it takes no longer than reading its result from memory.
    pub fn is_cheap(self) -> bool {
        self.row().cost == 1
    }

    /// The primitive of that name in the text of the ir.
    pub fn from_name(name: &str) -> Option<Prim> {
        Prim::all().find(|it| it.name() == name)
    }

    /// The primitive that a program calls by this name: `exp` and `min`, but not `add` or `scale`.
    pub fn from_builtin(name: &str) -> Option<Prim> {
        Prim::from_name(name).filter(|it| it.row().notation.starts_with(&format!("{name}(")))
    }

    /// How many operands it takes.
    pub fn arity(self) -> usize {
        match self.row().rule {
            Rule::Number1 | Rule::Real1 | Rule::IntToReal | Rule::RealToInt => 1,
            Rule::TestReal | Rule::Bool1 => 1,
            Rule::Number2 | Rule::Real2 | Rule::Int2 | Rule::IntReal => 2,
            Rule::Compare | Rule::Bool2 => 2,
            Rule::Choose => 3,
        }
    }
}

/// The table as Markdown, for the language reference.
pub fn manual() -> String {
    let mut res = String::from("| notation | type | derivative | meaning |\n|---|---|---|---|\n");
    for row in TABLE.iter().filter(|it| !it.notation.is_empty()) {
        let partials: Vec<String> = row.partials.iter().map(|it| format!("`{it}`")).collect();
        let partials = if partials.is_empty() { "zero".into() } else { partials.join(", ") };
        let notation = row.notation.replace('|', "\\|");
        res += &format!("| `{notation}` | {} | {partials} | {} |\n", row.rule.text(), row.about);
    }
    res
}

impl Rule {
    /// The type as the manual writes it.
    pub fn text(self) -> &'static str {
        match self {
            Rule::Number1 => "`T -> T`, `T` is `Real` or `Int`",
            Rule::Number2 => "`(T, T) -> T`, `T` is `Real` or `Int`",
            Rule::Real1 => "`Real -> Real`",
            Rule::Real2 => "`(Real, Real) -> Real`",
            Rule::Int2 => "`(Int, Int) -> Int`",
            Rule::IntReal => "`(Int, Real) -> Real`",
            Rule::IntToReal => "`Int -> Real`",
            Rule::RealToInt => "`Real -> Int`",
            Rule::Compare => "`(T, T) -> Bool`, `T` is `Real` or `Int`",
            Rule::TestReal => "`Real -> Bool`",
            Rule::Bool1 => "`Bool -> Bool`",
            Rule::Bool2 => "`(Bool, Bool) -> Bool`",
            Rule::Choose => "`(Bool, T, T) -> T`, `T` is a scalar",
        }
    }
}

const fn row(
    prim: Prim,
    name: &'static str,
    notation: &'static str,
    rule: Rule,
    (cost, moderate): (i64, Reals),
    partials: &'static [&'static str],
    about: &'static str,
) -> Row {
    Row { prim, name, notation, rule, cost, moderate, partials, about }
}

/// The table, in the order of the enum.
#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    row(Prim::Add, "add", "x + y", Rule::Number2, (1, Reals::Other), &["1", "1"],
        "The sum; of `Int`s it wraps."),
    row(Prim::Sub, "sub", "x - y", Rule::Number2, (1, Reals::Other), &["1", "-1"],
        "The difference; of `Int`s it wraps."),
    row(Prim::Mul, "mul", "x * y", Rule::Number2, (1, Reals::Other), &["y", "x"],
        "The product; of `Int`s it wraps."),
    row(Prim::Div, "div", "x / y", Rule::Number2, (5, Reals::Other), &["1.0 / y", "-(r / y)"],
        "The quotient; of `Int`s it is rounded towards minus infinity, and by zero an error."),
    row(Prim::Rem, "rem", "x % y", Rule::Number2, (5, Reals::Other), &["1", "-floor(x / y)"],
        "The remainder `x - y * floor(x / y)`, which has the sign of `y`; of `Int`s by zero an error. Its derivative is that of the piece, also where it jumps."),
    row(Prim::Pow, "pow", "pow(x, y)", Rule::Number2, (24, Reals::Other),
        &["scale(y, x ** (y - 1.0))", "select(x == 0.0, 0.0, r * log(x))"],
        "The power, also written `x ** y`; of `Int`s it wraps, and a negative exponent is an error. The partial by `y` is 0 at `x = 0`, the one by `x` is 0 at `y = 0`."),
    row(Prim::Neg, "neg", "-x", Rule::Number1, (1, Reals::All), &["-1"],
        "The opposite; of `Int`s it wraps."),
    row(Prim::Abs, "abs", "abs(x)", Rule::Number1, (1, Reals::All), &["sign(x)"],
        "The absolute value; its derivative at 0 is 0."),
    row(Prim::Sign, "sign", "sign(x)", Rule::Number1, (1, Reals::Jumps), &["0"],
        "-1, 0 or 1; NaN of NaN. Its derivative is 0 everywhere, at 0 too."),
    row(Prim::Min, "min", "min(x, y)", Rule::Number2, (1, Reals::Other),
        &["select(x <= y, 1.0, 0.0)", "select(x <= y, 0.0, 1.0)"],
        "The smaller one, NaN if either is NaN; at a tie the derivative goes to `x`."),
    row(Prim::Max, "max", "max(x, y)", Rule::Number2, (1, Reals::Other),
        &["select(x >= y, 1.0, 0.0)", "select(x >= y, 0.0, 1.0)"],
        "The greater one, NaN if either is NaN; at a tie the derivative goes to `x`."),

    row(Prim::Exp, "exp", "exp(x)", Rule::Real1, (12, Reals::Small), &["r"],
        "The exponential function."),
    row(Prim::Log, "log", "log(x)", Rule::Real1, (12, Reals::Positive), &["1.0 / x"],
        "The natural logarithm; minus infinity at 0, NaN below."),
    row(Prim::Log1p, "log1p", "log1p(x)", Rule::Real1, (12, Reals::Positive), &["1.0 / (1.0 + x)"],
        "`log(1 + x)`, accurate near 0."),
    row(Prim::Expm1, "expm1", "expm1(x)", Rule::Real1, (12, Reals::Small), &["exp(x)"],
        "`exp(x) - 1`, accurate near 0."),
    row(Prim::Sin, "sin", "sin(x)", Rule::Real1, (16, Reals::All), &["cos(x)"],
        "The sine."),
    row(Prim::Cos, "cos", "cos(x)", Rule::Real1, (16, Reals::All), &["-sin(x)"],
        "The cosine."),
    row(Prim::Tan, "tan", "tan(x)", Rule::Real1, (16, Reals::Small), &["1.0 + r * r"],
        "The tangent."),
    row(Prim::Asin, "asin", "asin(x)", Rule::Real1, (24, Reals::Small), &["1.0 / sqrt((1.0 - x) * (1.0 + x))"],
        "The arc sine; its derivative at -1 and 1 is infinite."),
    row(Prim::Acos, "acos", "acos(x)", Rule::Real1, (24, Reals::Small), &["-1.0 / sqrt((1.0 - x) * (1.0 + x))"],
        "The arc cosine; its derivative at -1 and 1 is minus infinity."),
    row(Prim::Atan, "atan", "atan(x)", Rule::Real1, (24, Reals::All), &["1.0 / (1.0 + x * x)"],
        "The arc tangent."),
    row(Prim::Atan2, "atan2", "atan2(x, y)", Rule::Real2, (24, Reals::Other),
        &["y / (x * x + y * y)", "-(x / (x * x + y * y))"],
        "The angle of the point with ordinate `x` and abscissa `y`; its derivative at the origin is NaN."),
    row(Prim::Sinh, "sinh", "sinh(x)", Rule::Real1, (16, Reals::Small), &["cosh(x)"],
        "The hyperbolic sine."),
    row(Prim::Cosh, "cosh", "cosh(x)", Rule::Real1, (16, Reals::Small), &["sinh(x)"],
        "The hyperbolic cosine."),
    row(Prim::Tanh, "tanh", "tanh(x)", Rule::Real1, (16, Reals::All), &["1.0 / (cosh(x) * cosh(x))"],
        "The hyperbolic tangent."),
    row(Prim::Asinh, "asinh", "asinh(x)", Rule::Real1, (24, Reals::All), &["1.0 / sqrt(x * x + 1.0)"],
        "The inverse of `sinh`."),
    row(Prim::Acosh, "acosh", "acosh(x)", Rule::Real1, (24, Reals::Other), &["1.0 / sqrt((x - 1.0) * (x + 1.0))"],
        "The inverse of `cosh`; its derivative at 1 is infinite."),
    row(Prim::Atanh, "atanh", "atanh(x)", Rule::Real1, (24, Reals::Small), &["1.0 / ((1.0 - x) * (1.0 + x))"],
        "The inverse of `tanh`; its derivative at -1 and 1 is infinite."),
    row(Prim::Sqrt, "sqrt", "sqrt(x)", Rule::Real1, (5, Reals::Positive), &["0.5 / r"],
        "The square root; its derivative at 0 is infinite."),
    row(Prim::Floor, "floor", "floor(x)", Rule::Real1, (1, Reals::Jumps), &["0"],
        "The greatest whole number not above; its derivative is 0, also where it jumps."),
    row(Prim::Ceil, "ceil", "ceil(x)", Rule::Real1, (1, Reals::Jumps), &["0"],
        "The least whole number not below; its derivative is 0, also where it jumps."),
    row(Prim::Round, "round", "round(x)", Rule::Real1, (1, Reals::Jumps), &["0"],
        "The nearest whole number, halves away from zero; its derivative is 0, also where it jumps."),
    row(Prim::Erf, "erf", "erf(x)", Rule::Real1, (24, Reals::All), &["1.1283791670955126 * exp(-(x * x))"],
        "The error function; the factor of its derivative is 2 / sqrt(pi)."),
    row(Prim::Lgamma, "lgamma", "lgamma(x)", Rule::Real1, (200, Reals::Positive), &["digamma(x)"],
        "The logarithm of the absolute value of the gamma function."),
    row(Prim::Digamma, "digamma", "digamma(x)", Rule::Real1, (200, Reals::Positive), &["polygamma(1, x)"],
        "The derivative of `lgamma`."),
    row(Prim::Polygamma, "polygamma", "polygamma(x, y)", Rule::IntReal, (200, Reals::Other), &["0", "polygamma(x + 1, y)"],
        "The derivative of order `x` of `digamma` at `y`."),
    row(Prim::Sigmoid, "sigmoid", "sigmoid(x)", Rule::Real1, (12, Reals::All), &["r * sigmoid(-x)"],
        "`1 / (1 + exp(-x))`, without overflow; its derivative keeps its digits for great `x`."),
    row(Prim::Softplus, "softplus", "softplus(x)", Rule::Real1, (12, Reals::All), &["sigmoid(x)"],
        "`log(1 + exp(x))`, without overflow."),
    row(Prim::Scale, "scale", "", Rule::Real2, (1, Reals::Other), &["y", "x"],
        "The product of a partial derivative and a tangent: 0 if either is 0, whatever the other is."),

    row(Prim::ToReal, "real", "real(x)", Rule::IntToReal, (1, Reals::Other), &[],
        "The real number nearest to an integer."),
    row(Prim::ToInt, "int", "int(x)", Rule::RealToInt, (1, Reals::Other), &[],
        "Rounds towards zero; what is too great becomes the greatest `Int`, too small the least, NaN 0."),

    row(Prim::BitAnd, "bit_and", "bit_and(x, y)", Rule::Int2, (1, Reals::Other), &[],
        "The bits that both have, of the 64 of two's complement."),
    row(Prim::BitOr, "bit_or", "bit_or(x, y)", Rule::Int2, (1, Reals::Other), &[],
        "The bits that either has."),
    row(Prim::BitXor, "bit_xor", "bit_xor(x, y)", Rule::Int2, (1, Reals::Other), &[],
        "The bits that one of them has; `bit_xor(x, -1)` has those that `x` has not."),
    row(Prim::ShiftLeft, "shift_left", "shift_left(x, y)", Rule::Int2, (1, Reals::Other), &[],
        "The bits of `x` moved up by `y` modulo 64 places; zeros move in."),
    row(Prim::ShiftRight, "shift_right", "shift_right(x, y)", Rule::Int2, (1, Reals::Other), &[],
        "The bits of `x` moved down by `y` modulo 64 places; zeros move in, so the sign is lost: `x / 2 ** y` keeps it."),

    row(Prim::Lt, "lt", "x < y", Rule::Compare, (1, Reals::Other), &[],
        "Whether `x` is less; false if either is NaN."),
    row(Prim::Le, "le", "x <= y", Rule::Compare, (1, Reals::Other), &[],
        "Whether `x` is less or equal; false if either is NaN."),
    row(Prim::Gt, "gt", "x > y", Rule::Compare, (1, Reals::Other), &[],
        "Whether `x` is greater; false if either is NaN."),
    row(Prim::Ge, "ge", "x >= y", Rule::Compare, (1, Reals::Other), &[],
        "Whether `x` is greater or equal; false if either is NaN."),
    row(Prim::Eq, "eq", "x == y", Rule::Compare, (1, Reals::Other), &[],
        "Whether two numbers are equal; false if either is NaN. `==` also compares whole values."),
    row(Prim::Ne, "ne", "x != y", Rule::Compare, (1, Reals::Other), &[],
        "Whether two numbers differ; true if either is NaN. `!=` also compares whole values."),
    row(Prim::IsNan, "is_nan", "is_nan(x)", Rule::TestReal, (1, Reals::Other), &[],
        "Whether it is not a number."),

    row(Prim::And, "and", "x && y", Rule::Bool2, (1, Reals::Other), &[],
        "Whether both hold; `y` is evaluated only if `x` holds."),
    row(Prim::Or, "or", "x || y", Rule::Bool2, (1, Reals::Other), &[],
        "Whether one of them holds; `y` is evaluated only if `x` does not hold."),
    row(Prim::Not, "not", "!x", Rule::Bool1, (1, Reals::Other), &[],
        "The opposite."),
    row(Prim::Select, "select", "select(x, y, z)", Rule::Choose, (1, Reals::Other),
        &["0", "select(x, 1.0, 0.0)", "select(x, 0.0, 1.0)"],
        "`y` where `x` holds, `z` elsewhere; both are evaluated."),
];
