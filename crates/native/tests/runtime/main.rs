//! The runtime with C written by hand: cache, failures, threads, stack, memory, products.
//!
//! The facts are closed forms; the C is as short as the agreement in `c/runtime.h` allows.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads and writes files, and a panic is its way to fail"
)]

mod cache;
mod calls;
mod compiler;
mod parallel;

use std::path::PathBuf;
use std::sync::Arc;

use loops::{Scalar, Type};
use native::{Border, Cache, Function, Module, Stop, Toolchain, Width};

/// The part of the agreement that these tests need.
const PRELUDE: &str = "
#include <stdint.h>
#include <string.h>
typedef union { double d; float f; int64_t i; void *p; } ct_slot;
struct ct_ctx;
typedef struct ct_host {
  void (*parallel)(void *, int64_t, void (*)(void *, int64_t, struct ct_ctx *), void *, struct ct_ctx *);
  void (*product)(int64_t, int64_t, int64_t, const void *, int64_t, int64_t, const void *, int64_t,
                  int64_t, void *, int64_t, int64_t, int, struct ct_ctx *);
  void *self;
  int64_t threads, l2_bytes;
} ct_host;
typedef struct ct_ctx {
  char *top, *end, *stack_low;
  const volatile int *stop;
  const ct_host *host;
  void *escape;
  int64_t code, values[16], n_values;
} ct_ctx;
#define ENTRY(k) int64_t ct_entry_##k(ct_ctx *ctx, const ct_slot *args, ct_slot *results)
static void *alloc(ct_ctx *ctx, int64_t bytes) {
  bytes = (bytes + 63) & ~63;
  if (bytes > ctx->end - ctx->top) {
    ctx->code = 1; ctx->values[0] = bytes; ctx->n_values = 1;
    return 0;
  }
  void *res = ctx->top;
  ctx->top += bytes;
  return res;
}
";

const REAL: Type = Type::Scalar(Scalar::Real);
const INT: Type = Type::Scalar(Scalar::Int);
const BOX: Type = Type::Scalar(Scalar::Box);
const REALS: Type = Type::Array(Scalar::Real);
const FLOATS: Type = REALS;

fn border(params: &[Type], results: &[Type]) -> Border {
    let (params, results) = (params.to_vec(), results.to_vec());
    Border { params, results, width: Width::Double }
}

/// A folder of its own for each name, emptied.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("native").join(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

/// A cache that tests share.
fn shared() -> Cache {
    Cache::at(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("native").join("shared"))
}

fn module(text: &str, borders: &[Border]) -> Arc<Module> {
    let text = format!("{PRELUDE}\n{text}");
    let toolchain = Toolchain::find().unwrap();
    Arc::new(Module::build(&toolchain, &shared(), &text, borders.to_vec()).unwrap())
}

/// The one entry point of a text, with these limits.
fn function_with(text: &str, border: Border, threads: usize, memory: usize) -> Function {
    Function::new(module(text, &[border]), 0, threads, memory, Stop::default())
}

fn function(text: &str, border: Border) -> Function {
    function_with(text, border, 1, 1 << 30)
}
