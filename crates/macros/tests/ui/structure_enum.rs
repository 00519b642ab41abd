//! Which variant it is would be known while tracing only.

#[derive(macros::Structure)]
enum Either {
    One(f64),
    Two(f64, f64),
}
