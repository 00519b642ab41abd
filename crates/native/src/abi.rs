//! What generated C and this crate agree on, as in `c/runtime.h`.

use std::ffi::{c_char, c_void};

use base::tell::Telling;

/// An argument or a result: the bits of a `double`, an `int64_t` or an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Slot(pub(crate) u64);

impl Slot {
    pub(crate) fn real(value: f64) -> Slot {
        Slot(value.to_bits())
    }

    pub(crate) fn int(value: i64) -> Slot {
        Slot(value.cast_unsigned())
    }

    pub(crate) fn address<T>(start: *const T) -> Slot {
        Slot(start.expose_provenance() as u64)
    }

    /// The start of an array. Generated code may read, and throw away, the first elements of one
    /// that has none.
    pub(crate) fn array<T>(data: &[T]) -> Slot {
        match data.is_empty() {
            true => Slot::nothing(),
            false => Slot::address(data.as_ptr()),
        }
    }

    /// An array without elements.
    pub(crate) fn nothing() -> Slot {
        static ZEROS: [u64; 16] = [0; 16];
        Slot::address(ZEROS.as_ptr())
    }

    pub(crate) fn as_real(self) -> f64 {
        f64::from_bits(self.0)
    }

    pub(crate) fn as_int(self) -> i64 {
        self.0.cast_signed()
    }
}

/// The most values that a failed check tells.
pub(crate) const MOST_VALUES: usize = 16;

/// No memory is left; the first value is the bytes that were asked for.
pub(crate) const MEMORY: i64 = 1;
/// No stack is left.
pub(crate) const RECURSION: i64 = 2;
/// Somebody asked to stop.
pub(crate) const STOPPED: i64 = 3;
/// A draft has taken many steps.
pub(crate) const LONG: i64 = 4;
/// The first code of a failed check; its site is the distance from here.
pub(crate) const SITE: i64 = 1000;

/// What a running function knows of its surroundings: `ct_ctx`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Context {
    pub(crate) top: *mut u8,
    pub(crate) end: *mut u8,
    pub(crate) stack_low: *mut u8,
    pub(crate) stop: *const i32,
    pub(crate) host: *const Host,
    pub(crate) escape: *mut c_void,
    pub(crate) code: i64,
    pub(crate) values: [i64; MOST_VALUES],
    pub(crate) n_values: i64,
    pub(crate) steps: i64,
    /// Who hears what the call says.
    pub(crate) telling: *const Telling,
}

/// `task(env, i, ctx)`.
pub(crate) type Task = unsafe extern "C" fn(*mut c_void, i64, *mut Context);

/// What generated code may ask for: `ct_host`.
#[repr(C)]
pub(crate) struct Host {
    pub(crate) parallel: unsafe extern "C" fn(*mut c_void, i64, Task, *mut c_void, *mut Context),
    pub(crate) product: ProductFn,
    /// A [`Surroundings`].
    pub(crate) surroundings: *const Surroundings,
    pub(crate) threads: i64,
    pub(crate) l2_bytes: i64,
    pub(crate) tell: TellFn,
}

/// `ctx, saying, every, text, kind, rank, sizes, data`.
pub(crate) type TellFn = unsafe extern "C" fn(
    *mut Context,
    i64,
    i64,
    *const c_char,
    i64,
    i64,
    *const i64,
    *const c_void,
);

/// `m, n, k, a, a_rs, a_cs, b, b_rs, b_cs, c, c_rs, c_cs, add, ctx`.
pub(crate) type ProductFn = unsafe extern "C" fn(
    i64,
    i64,
    i64,
    *const c_void,
    i64,
    i64,
    *const c_void,
    i64,
    i64,
    *mut c_void,
    i64,
    i64,
    i32,
    *mut Context,
);

/// What the functions of a host need besides.
pub(crate) struct Surroundings {
    /// The most threads that work on one call, the caller included.
    pub(crate) threads: usize,
    /// The bytes that a thread may use.
    pub(crate) memory: usize,
    /// What tasks see: everything on one thread.
    pub(crate) inside: Option<Box<Host>>,
}

/// `ct_entry_<k>`.
pub(crate) type Entry = unsafe extern "C" fn(*mut Context, *const Slot, *mut Slot) -> i64;
