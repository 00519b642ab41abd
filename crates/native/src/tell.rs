//! What compiled code says while it runs: `host->tell`.

use std::ffi::{CStr, c_char, c_void};

use base::Saying;
use base::shown::{Elements, Shown};

use crate::abi::Context;

/// `host->tell`.
///
/// # Safety
/// `context` is one of ours and its call is running, `text` ends with a zero, and there are `rank` sizes and
/// as many elements of the kind as they say.
pub(crate) unsafe extern "C" fn tell(
    context: *mut Context,
    saying: i64,
    every: i64,
    text: *const c_char,
    kind: i64,
    rank: i64,
    sizes: *const i64,
    data: *const c_void,
) {
    let Some(saying) = usize::try_from(saying).ok().and_then(|it| Saying::ALL.get(it)) else {
        return;
    };
    // SAFETY: whoever calls the function keeps the line to itself until it returns.
    let Some(telling) = (unsafe { (*context).telling.as_ref() }) else { return };
    // SAFETY: as promised above.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let sizes: Vec<usize> = match usize::try_from(rank) {
        Ok(rank) if rank > 0 => {
            // SAFETY: as promised above.
            let sizes = unsafe { std::slice::from_raw_parts(sizes, rank) };
            sizes.iter().map(|it| usize::try_from(*it).unwrap_or(0)).collect()
        }
        Ok(_) | Err(_) => Vec::new(),
    };
    let count = sizes.iter().product();
    let elements = match kind {
        // SAFETY: as promised above, here and below; no elements need no address.
        0 => Elements::Reals(unsafe { elements(data, count) }),
        // SAFETY: as above.
        1 => Elements::Floats(unsafe { elements(data, count) }),
        // SAFETY: as above.
        2 => Elements::Ints(unsafe { elements(data, count) }),
        // SAFETY: as above.
        3 => Elements::Bools(unsafe { elements(data, count) }),
        _ => return,
    };
    telling.say(*saying, every, &text, &Shown { sizes: &sizes, elements });
}

/// # Safety
/// There are so many elements of that type at the address, unless there are none.
unsafe fn elements<'a, T>(data: *const c_void, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: as promised above.
    unsafe { std::slice::from_raw_parts(data.cast(), count) }
}
