//! The one tokeniser. It serves the source language and the text form of the ir.
//!
//! ```
//! use base::{FileId, token::{TokenKind, TokenMode, tokenize}};
//! let text = "p.0 -- a pair";
//! let tokens = tokenize(FileId(0), text, TokenMode::Source);
//! assert_eq!(tokens[0].kind, TokenKind::Ident);
//! assert_eq!(tokens[0].text(text), "p");
//! assert_eq!(tokens.last().unwrap().kind, TokenKind::Eof);
//! ```
//!
//! It never fails: what is no token becomes [`TokenKind::Unknown`], [`TokenKind::OpenString`] or
//! [`TokenKind::BadNumber`], and who reads the tokens reports it. Every byte of the text lies in
//! a token or is white space. Comments are tokens; the last token is always `Eof`, empty, at the
//! end of the text. `--` starts a comment that ends with the line (newline not included).
//!
//! Operators are the longest that fit: `>=>` is `>=` `>`. Directly after a single dot a number is
//! digits only, so that `p.0.1` is two projections.
//!
//! The two modes differ in words only. `Source` has keywords and identifiers without quotes. `Ir`
//! has no keywords (compare the text of an `Ident` instead), and names may contain `'` and `~`
//! after the first character: `f'10`, `f~10`.
//!
//! The meaning of literals is in `literal.rs`.

use crate::{FileId, Span};

/// A word, literal, operator or comment, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

impl Token {
    /// The characters of the token; `text` is what was given to [`tokenize`].
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.span.range()).unwrap_or("")
    }
}

/// What differs between the texts that are tokenised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenMode {
    /// The source language.
    Source,
    /// The text form of the ir: no keywords, quotes in names.
    Ir,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $text:literal,)*) => {
        /// The kinds of tokens.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum TokenKind { $($(#[$doc])* #[doc = concat!("`", $text, "`")] $variant,)* }

        impl TokenKind {
            /// The token as written, or what it is called where the text varies.
            pub fn describe(self) -> &'static str {
                match self { $(TokenKind::$variant => $text,)* }
            }
        }
    };
}

kinds! {
    /// A word with a small letter or underscore first that is no keyword.
    Ident = "name",
    /// A word with a capital letter first: a type or constructor.
    Upper = "capital name",
    /// Digits and underscores.
    Int = "integer",
    /// Has a fraction, an exponent or both.
    Real = "number",
    /// Quotes included, escapes not resolved.
    Str = "text",
    /// A comment, dashes included.
    Comment = "comment",
    /// The end.
    Eof = "end of the text",
    /// One or more characters that start no token.
    Unknown = "unknown character",
    /// A string whose line ends before the closing quote.
    OpenString = "unfinished text",
    /// Digits run into letters (`12ab`, `0x1F`) or an exponent without digits (`1e`).
    BadNumber = "malformed number",

    Import = "import",
    Pub = "pub",
    Def = "def",
    Let = "let",
    If = "if",
    Then = "then",
    Else = "else",
    Match = "match",
    Build = "build",
    Type = "type",
    Data = "data",
    Test = "test",
    Bench = "bench",
    True = "true",
    False = "false",

    LParen = "(",
    RParen = ")",
    LBracket = "[",
    RBracket = "]",
    LBrace = "{",
    RBrace = "}",
    Comma = ",",
    Semicolon = ";",
    Colon = ":",
    Dot = ".",
    DotDot = "..",
    Backslash = "\\",
    Assign = "=",
    FatArrow = "=>",
    Arrow = "->",
    Pipe = "|",
    OrOr = "||",
    Amp = "&",
    AndAnd = "&&",
    EqEq = "==",
    NotEq = "!=",
    Lt = "<",
    Le = "<=",
    Gt = ">",
    Ge = ">=",
    Close = "~=",
    Plus = "+",
    Minus = "-",
    Star = "*",
    StarStar = "**",
    Slash = "/",
    Percent = "%",
    Bang = "!",
    Caret = "^",
    At = "@",
    Hash = "#",
    Dollar = "$",
    Question = "?",
    Underscore = "_",
}

/// Splits a text into tokens, comments included, `Eof` last.
pub fn tokenize(file: FileId, text: &str, mode: TokenMode) -> Vec<Token> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), position: 0, mode };
    // A byte order mark at the start is not part of the program.
    if text.starts_with('\u{feff}') {
        lexer.position = '\u{feff}'.len_utf8();
    }
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 4 + 1);
    loop {
        lexer.white_space();
        let start = lexer.position;
        let after_dot = tokens
            .last()
            .is_some_and(|it| it.kind == TokenKind::Dot && it.span.end as usize == start);
        let kind = lexer.token(after_dot);
        tokens.push(Token { kind, span: Span::new(file, start, lexer.position) });
        if kind == TokenKind::Eof {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    mode: TokenMode,
}

impl Lexer<'_> {
    /// The byte `ahead` of the position; 0 past the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, accept: impl Fn(u8) -> bool) {
        while self.position < self.bytes.len() && accept(self.bytes[self.position]) {
            self.position += 1;
        }
    }

    fn white_space(&mut self) {
        self.skip_while(is_space);
    }

    fn token(&mut self, after_dot: bool) -> TokenKind {
        if self.position >= self.bytes.len() {
            return TokenKind::Eof;
        }
        match self.peek(0) {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(after_dot),
            b'"' => self.string(),
            b'-' if self.peek(1) == b'-' => {
                self.skip_while(|byte| byte != b'\n');
                TokenKind::Comment
            }
            _ => self.operator(),
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.position;
        let quotes = self.mode == TokenMode::Ir;
        self.skip_while(|byte| is_word(byte) || (quotes && matches!(byte, b'\'' | b'~')));
        let word = &self.text[start..self.position];
        match self.mode {
            TokenMode::Source if word == "data" && !self.declares(start) => None,
            TokenMode::Source => keyword(word),
            TokenMode::Ir => None,
        }
        .unwrap_or(match word.as_bytes() {
            b"_" => TokenKind::Underscore,
            [b'A'..=b'Z', ..] => TokenKind::Upper,
            _ => TokenKind::Ident,
        })
    }

    /// Whether the `data` that starts there and ends here declares a type: it stands in front of a name
    /// with a capital letter, or where a declaration starts. Elsewhere it is a name.
    fn declares(&self, start: usize) -> bool {
        let line = self.text[..start].rsplit('\n').next().unwrap_or("");
        let after = self.text[self.position..].trim_start();
        line.is_empty() || line == "pub " || after.starts_with(|it: char| it.is_ascii_uppercase())
    }

    fn number(&mut self, after_dot: bool) -> TokenKind {
        let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        self.skip_while(is_digit);
        let mut kind = TokenKind::Int;
        if !after_dot {
            if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
                self.position += 1;
                self.skip_while(is_digit);
                kind = TokenKind::Real;
            }
            if matches!(self.peek(0), b'e' | b'E') {
                let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
                if self.peek(1 + sign).is_ascii_digit() {
                    self.position += 1 + sign;
                    self.skip_while(is_digit);
                    kind = TokenKind::Real;
                }
            }
        }
        if is_word(self.peek(0)) {
            self.skip_while(is_word);
            kind = TokenKind::BadNumber;
        }
        kind
    }

    fn string(&mut self) -> TokenKind {
        self.position += 1;
        loop {
            self.skip_while(|byte| !matches!(byte, b'"' | b'\\' | b'\n'));
            match self.peek(0) {
                b'"' => {
                    self.position += 1;
                    return TokenKind::Str;
                }
                // The escaped character may be longer than a byte; its other bytes are skipped
                // by the next round.
                b'\\' if !matches!(self.peek(1), b'\n' | 0) => self.position += 2,
                b'\\' => self.position += 1,
                _ => return TokenKind::OpenString,
            }
        }
    }

    fn operator(&mut self) -> TokenKind {
        let rest = &self.bytes[self.position..];
        let found = OPERATORS.iter().find(|(symbol, _)| {
            symbol.as_bytes()[0] == rest[0] && rest.starts_with(symbol.as_bytes())
        });
        if let Some((symbol, kind)) = found {
            self.position += symbol.len();
            return *kind;
        }
        self.position += 1;
        self.skip_while(|byte| !is_space(byte) && !starts_token(byte));
        TokenKind::Unknown
    }
}

/// Longer operators stand before their prefixes.
const OPERATORS: &[(&str, TokenKind)] = &[
    ("=>", TokenKind::FatArrow),
    ("==", TokenKind::EqEq),
    ("=", TokenKind::Assign),
    ("->", TokenKind::Arrow),
    ("-", TokenKind::Minus),
    ("**", TokenKind::StarStar),
    ("*", TokenKind::Star),
    ("<=", TokenKind::Le),
    ("<", TokenKind::Lt),
    (">=", TokenKind::Ge),
    (">", TokenKind::Gt),
    ("!=", TokenKind::NotEq),
    ("!", TokenKind::Bang),
    ("&&", TokenKind::AndAnd),
    ("&", TokenKind::Amp),
    ("||", TokenKind::OrOr),
    ("|", TokenKind::Pipe),
    ("..", TokenKind::DotDot),
    (".", TokenKind::Dot),
    ("~=", TokenKind::Close),
    ("(", TokenKind::LParen),
    (")", TokenKind::RParen),
    ("[", TokenKind::LBracket),
    ("]", TokenKind::RBracket),
    ("{", TokenKind::LBrace),
    ("}", TokenKind::RBrace),
    (",", TokenKind::Comma),
    (";", TokenKind::Semicolon),
    (":", TokenKind::Colon),
    ("\\", TokenKind::Backslash),
    ("+", TokenKind::Plus),
    ("/", TokenKind::Slash),
    ("%", TokenKind::Percent),
    ("^", TokenKind::Caret),
    ("@", TokenKind::At),
    ("#", TokenKind::Hash),
    ("$", TokenKind::Dollar),
    ("?", TokenKind::Question),
];

/// The keywords of the source language.
pub const KEYWORDS: &[(&str, TokenKind)] = &[
    ("import", TokenKind::Import),
    ("pub", TokenKind::Pub),
    ("def", TokenKind::Def),
    ("let", TokenKind::Let),
    ("if", TokenKind::If),
    ("then", TokenKind::Then),
    ("else", TokenKind::Else),
    ("match", TokenKind::Match),
    ("build", TokenKind::Build),
    ("type", TokenKind::Type),
    ("data", TokenKind::Data),
    ("test", TokenKind::Test),
    ("bench", TokenKind::Bench),
    ("true", TokenKind::True),
    ("false", TokenKind::False),
];

fn keyword(word: &str) -> Option<TokenKind> {
    KEYWORDS.iter().find(|(text, _)| *text == word).map(|(_, kind)| *kind)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a token can start with this byte. A lone `~` cannot, but ends a run of unknown
/// characters all the same, so that `~=` after one is found.
fn starts_token(byte: u8) -> bool {
    is_word(byte)
        || matches!(byte, b'"' | b'~')
        || OPERATORS.iter().any(|(symbol, _)| symbol.as_bytes()[0] == byte)
}
