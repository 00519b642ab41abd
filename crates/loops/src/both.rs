//! Functions of one real that are computed together, since they have the same exponential. They mean what the two
//! mean one after the other; whoever has no function for both computes that.

/// Two functions of `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Both {
    /// `sigmoid(x)` and `sigmoid(-x)`.
    Sigmoids,
    /// `tanh(x)` and its derivative, `1 / cosh(x)^2`.
    TanhSlope,
}

impl Both {
    /// All there are.
    pub const ALL: [Both; 2] = [Both::Sigmoids, Both::TanhSlope];

    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Both::Sigmoids => "sigmoids",
            Both::TanhSlope => "tanh_slope",
        }
    }
}
