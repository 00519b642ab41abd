//! Dots in a terminal: a character of braille holds two by four of them.

/// A rectangle of characters.
pub(crate) struct Canvas {
    columns: usize,
    rows: usize,
    /// The dots of each character, as Unicode numbers them.
    dots: Vec<u8>,
}

/// The bit of each dot, by its row and column in the character.
const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

impl Canvas {
    pub(crate) fn new(columns: usize, rows: usize) -> Canvas {
        Canvas { columns, rows, dots: vec![0; columns * rows] }
    }

    /// How many dots there are from left to right and from top to bottom.
    pub(crate) fn size(&self) -> (usize, usize) {
        (2 * self.columns, 4 * self.rows)
    }

    /// The dot of a place that is given by shares; none outside.
    pub(crate) fn at(&self, (right, down): (f64, f64)) -> Option<(i64, i64)> {
        let (width, height) = self.size();
        let whole = |share: f64, n: usize| {
            // Far outside, for something that is cut off by the edge.
            let at = share.clamp(-4.0, 5.0) * (n - 1) as f64;
            at.is_finite().then_some(at.round() as i64)
        };
        Some((whole(right, width)?, whole(down, height)?))
    }

    pub(crate) fn dot(&mut self, (x, y): (i64, i64)) {
        let (width, height) = self.size();
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x < width && y < height {
            self.dots[y / 4 * self.columns + x / 2] |= BITS[y % 4][x % 2];
        }
    }

    /// All dots between two.
    pub(crate) fn line(&mut self, from: (i64, i64), to: (i64, i64)) {
        let n = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
        for step in 0..=n {
            let between = |a: i64, b: i64| a + ((b - a) * step + (b - a).signum() * n / 2) / n;
            self.dot((between(from.0, to.0), between(from.1, to.1)));
        }
    }

    /// The text of each row.
    pub(crate) fn lines(&self) -> Vec<String> {
        let character = |dots: &u8| match dots {
            0 => ' ',
            dots => char::from_u32(0x2800 + u32::from(*dots)).unwrap_or(' '),
        };
        self.dots.chunks(self.columns).map(|it| it.iter().map(character).collect()).collect()
    }
}
