//! Loop nests as text, for people: `cotan stages` and tests.
