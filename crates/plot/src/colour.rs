//! Colours: one for each curve, and a scale for numbers.

/// Of curves one after the other: those of Okabe and Ito, which people tell apart who do not see all colours.
pub(crate) const CURVES: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// The colour of a curve.
pub(crate) fn curve(number: usize) -> &'static str {
    CURVES[number % CURVES.len()]
}

/// `viridis(9)` of the package viridisLite: nine colours of the scale of Matplotlib, at equal distances.
const SCALE: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 45, 123],
    [59, 82, 139],
    [44, 114, 142],
    [33, 144, 140],
    [39, 173, 129],
    [93, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

/// The colour of a number from 0 to 1; grey for what is no number.
pub(crate) fn of_share(share: f64) -> String {
    if share.is_nan() {
        return "#cccccc".to_owned();
    }
    let at = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let below = (at.floor() as usize).min(SCALE.len() - 2);
    let rest = at - below as f64;
    let mix = |it: usize| {
        let (a, b) = (f64::from(SCALE[below][it]), f64::from(SCALE[below + 1][it]));
        (a + (b - a) * rest).round() as u8
    };
    hex([mix(0), mix(1), mix(2)])
}

/// The colour of brightness from 0 to 1.
pub(crate) fn of_light(parts: [f64; 3]) -> String {
    // What is no number is black.
    hex(parts.map(|it| (it.clamp(0.0, 1.0) * 255.0).round() as u8))
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
