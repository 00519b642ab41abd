//! How the text wants to be compiled.

/// How C is compiled. No fast-math: NaN, infinities and signed zeros are as the interpreter has them,
/// and sums are in the order that is written. Vectors that we write are as wide as the machine has them; those
/// that the C compiler makes of scalars are of 256 bits, since GCC 12 makes some permutations of eight doubles
/// wrong (`tests/programs/hazards/permuted.cot`).
pub const FLAGS_OF_C: &[&str] = &[
    "-std=gnu11",
    "-O2",
    "-march=native",
    #[cfg(target_arch = "x86_64")]
    "-mprefer-vector-width=256",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-sanitize=all",
    "-fPIC",
    "-shared",
];

/// How much work the C compiler puts into a program. What programs compute does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Fast code, for most programs.
    #[default]
    Full,
    /// Code that is there soon and slow: nothing is optimised, and nothing inlined.
    Quick,
}

/// The flags of an effort; the last flag of its kind counts. A long program is cut into parts and not
/// optimised less: see `parts.rs`.
pub fn flags_of(effort: Effort) -> &'static [&'static str] {
    match effort {
        Effort::Quick => &["-O0", "-DCT_QUICK", "-fno-asynchronous-unwind-tables"],
        Effort::Full => &["-O2"],
    }
}
