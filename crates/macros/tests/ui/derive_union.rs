//! A union has no type in Cotan.

#[derive(macros::Cotan)]
union Either {
    real: f64,
    int: i64,
}
