//! Attributes that there are not.

#[derive(macros::Cotan)]
struct Point {
    #[cotan(rename = "x")]
    a: f64,
    #[cotan(name = 3)]
    b: f64,
}

#[derive(macros::Cotan)]
#[cotan(name = "Point")]
struct Place {
    a: f64,
}
