//! The name in Cotan is that of a record.

#[derive(macros::Structure)]
#[cotan(name = "Other")]
struct Line {
    slope: f64,
}
