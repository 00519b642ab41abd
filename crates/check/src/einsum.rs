//! The text of an `einsum`: `"ij,jk->ik"`, a letter for each axis of each operand, then those of the
//! result. What is no letter of the result is summed over.

/// An `einsum`, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Einsum {
    /// The letters of the axes of each operand.
    pub operands: Vec<Vec<char>>,
    /// The letters of the axes of the result.
    pub result: Vec<char>,
}

impl Einsum {
    /// Reads the text, or says what is wrong with it.
    pub(crate) fn read(text: &str) -> Result<Einsum, &'static str> {
        let text: String = text.chars().filter(|it| *it != ' ').collect();
        let (left, right) =
            text.split_once("->").ok_or("`->` and the axes of the result are missing")?;
        let operands: Vec<Vec<char>> = left.split(',').map(|it| it.chars().collect()).collect();
        let result: Vec<char> = right.chars().collect();
        let mut letters = operands.iter().flatten().chain(&result);
        if !letters.all(char::is_ascii_alphabetic) {
            return Err("an axis is a letter");
        }
        for (at, letter) in result.iter().enumerate() {
            if !operands.iter().flatten().any(|it| it == letter) {
                return Err("an axis of the result is one of an operand");
            }
            if result[..at].contains(letter) {
                return Err("the result has each axis once");
            }
        }
        Ok(Einsum { operands, result })
    }

    /// The letters that are summed over, in the order of the text.
    pub(crate) fn summed(&self) -> Vec<char> {
        let mut res: Vec<char> = Vec::new();
        for letter in self.operands.iter().flatten() {
            if !self.result.contains(letter) && !res.contains(letter) {
                res.push(*letter);
            }
        }
        res
    }
}
