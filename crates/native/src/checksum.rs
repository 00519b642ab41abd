//! Two 64-bit hashes of bytes: names of cache entries, and whether a file is what was written.
//!
//! The hash is that of the standard library with fixed keys. Another version of Rust may have another
//! one; then nothing of the old cache is found, which is right.

use std::hash::{DefaultHasher, Hasher};

/// 128 bits that depend on all parts and where they end.
pub(crate) fn checksum(parts: &[&[u8]]) -> [u64; 2] {
    [0u8, 1].map(|seed| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(seed);
        for part in parts {
            hasher.write_usize(part.len());
            hasher.write(part);
        }
        hasher.finish()
    })
}

/// As 32 digits.
pub(crate) fn in_digits(sum: [u64; 2]) -> String {
    format!("{:016x}{:016x}", sum[0], sum[1])
}
