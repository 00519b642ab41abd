//! Programs of first order as loop nests.
