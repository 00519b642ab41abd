//! A product of matrices that do not fit, in a text.

macros::program!(mod loss = r#"
def product(a: [n][m]Real, b: [k][m]Real): [n][m]Real = matmul(a, b)
"#);
