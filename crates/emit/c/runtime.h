//@ runtime:
// What generated code and its host agree on, and the little that all of it needs.
#include <stddef.h>

typedef union { double d; float f; int64_t i; void *p; } ct_slot;

struct ct_ctx;
typedef void ct_task(void *env, int64_t i, struct ct_ctx *ctx);

typedef struct ct_host {
  void (*parallel)(void *self, int64_t tasks, ct_task *task, void *env, struct ct_ctx *caller);
  void (*product)(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_rs, int64_t a_cs,
                  const void *b, int64_t b_rs, int64_t b_cs, void *c, int64_t c_rs, int64_t c_cs,
                  int add, struct ct_ctx *ctx);
  void *self;
  int64_t threads, l2_bytes;
  void (*tell)(struct ct_ctx *ctx, int64_t saying, int64_t every, const char *text, int64_t kind,
               int64_t rank, const int64_t *sizes, const void *data);
} ct_host;

typedef struct ct_ctx {
  char *top, *end;
  char *stack_low;
  const volatile int *stop;
  const ct_host *host;
  void *escape;
  int64_t code;
  int64_t values[16];
  int64_t n_values;
  int64_t steps;
  const void *telling;
} ct_ctx;

enum { CT_MEMORY = 1, CT_RECURSION = 2, CT_STOPPED = 3, CT_LONG = 4, CT_SITE = 1000 };

#define CT_RARE(x) __builtin_expect(!!(x), 0)
#define CT_UNUSED __attribute__((unused))

// With a sanitizer, what is between arrays of the arena must not be touched; nor what is given back,
// once it is somebody else's.
#ifdef __SANITIZE_ADDRESS__
void __asan_poison_memory_region(const volatile void *, size_t);
void __asan_unpoison_memory_region(const volatile void *, size_t);
// The frames that a failure leaves for good are anybody's again. The runtime of the sanitizer does not see
// to that by itself: it does not know the stack that we run on.
#define CT_LEFT(from, to) __asan_unpoison_memory_region(from, (size_t)((char *)(to) - (char *)(from)))
#define CT_FORBIDDEN 64
#define CT_ALLOWED(start, bytes, end)                                                           \
  (__asan_unpoison_memory_region(start, bytes),                                                \
   __asan_poison_memory_region((start) + (bytes), (size_t)((end) - (start) - (bytes))))
#else
#define CT_LEFT(from, to) ((void)0)
#define CT_FORBIDDEN 0
#define CT_ALLOWED(start, bytes, end) ((void)0)
#endif

CT_COLD __attribute__((noreturn)) void ct_fail(ct_ctx *ctx, int64_t code, int64_t count,
                                               const int64_t *values) {
  ctx->code = code;
  ctx->n_values = count < 16 ? count : 16;
  for (int64_t i = 0; i < ctx->n_values; i++) ctx->values[i] = values[i];
  CT_LEFT(__builtin_frame_address(0), ctx->escape);
  __builtin_longjmp(ctx->escape, 1);
}

CT_COLD __attribute__((noreturn)) void ct_no_memory(ct_ctx *ctx, int64_t count, int64_t size) {
  double bytes = (double)count * (double)size;
  ct_fail(ctx, CT_MEMORY, 1, (int64_t[]){bytes < 9e18 ? count * size : INT64_MAX});
}

// `count` elements of `size` bytes, aligned to a cache line if they take two or more, or are vectors, whose loads
// need it (more than 16 bytes each). What is smaller stands close together: a recursion that keeps a box and a
// few numbers for every call had four times the memory, which is not in the cache any more. The gradient of
// minors of seven rows takes 0.56 of the time, that of a tree of 4096 leaves 0.4, and factors of matrices the same.
CT_INLINE void *ct_alloc(ct_ctx *ctx, int64_t count, int64_t size) {
  char *start = ctx->top;
  if (count < 0) count = 0;
  // Never wraps: a count beyond the memory there is fails first.
  if (CT_RARE(count > (ctx->end - start - 63 - CT_FORBIDDEN) / size)) ct_no_memory(ctx, count, size);
  int64_t bytes = count * size;
  if (bytes >= 128 || size > 16) start = (char *)(((uintptr_t)start + 63) & ~(uintptr_t)63);
  ctx->top = start + ((bytes + 15) & ~(int64_t)15) + CT_FORBIDDEN;
  CT_ALLOWED(start, (size_t)bytes, ctx->top);
  return start;
}

// A draft is worth so many steps. They are counted and not timed, so that it does not depend on the
// machine's other work who computes a result. A draft runs on one thread.
#ifdef CT_DRAFT
CT_INLINE void ct_spend(ct_ctx *ctx, int64_t steps) {
  if (CT_RARE((ctx->steps += steps) > CT_DRAFT)) ct_fail(ctx, CT_LONG, 0, NULL);
}
// Those of a loop in whose steps nothing takes long, before the first of them.
CT_INLINE void ct_spend_loop(ct_ctx *ctx, int64_t count) {
  if (count > 0) ct_spend(ctx, count < CT_DRAFT ? count : CT_DRAFT);
}
#else
#define ct_spend(ctx, steps) ((void)0)
#endif

CT_INLINE void ct_poll(ct_ctx *ctx) {
  ct_spend(ctx, 1);
  if (CT_RARE(ctx->stop && *ctx->stop)) ct_fail(ctx, CT_STOPPED, 0, NULL);
}

// Before the steps from `at` on: up to which of them there is no other look at whether to stop.
CT_INLINE int64_t ct_pause(ct_ctx *ctx, int64_t at, int64_t count) {
  ct_poll(ctx);
  return count - at > 16384 ? at + 16384 : count;
}

// Whether there is enough stack for the frame of this function and for those of all that it calls
// before somebody looks again. Who has none says its number.
CT_INLINE void ct_check_stack(ct_ctx *ctx, int64_t function) {
  ct_spend(ctx, 1);
  if (CT_RARE((uintptr_t)__builtin_frame_address(0) < (uintptr_t)ctx->stack_low + CT_STACK_BYTES))
    ct_fail(ctx, CT_RECURSION, 1, (int64_t[]){function});
}

// Runs an entry point; what fails inside comes back here.
typedef void ct_entry(ct_ctx *ctx, const ct_slot *args, ct_slot *results);
static __attribute__((noinline, unused)) int64_t ct_enter(ct_ctx *ctx, ct_entry *entry,
                                                          const ct_slot *args, ct_slot *results) {
  void *outer = ctx->escape;
  void *here[5];
  ctx->code = 0;
  ctx->steps = 0;
  if (__builtin_setjmp(here) == 0) {
    ctx->escape = here;
    entry(ctx, args, results);
  }
  ctx->escape = outer;
  return ctx->code;
}

//@ tell: runtime
// What a program says: to its host, or on standard error where there is none. There, reports are counted
// by their places, for as long as the process runs.
#include <stdio.h>
enum { CT_REALS = 0, CT_FLOATS = 1, CT_INTS = 2, CT_BOOLS = 3 };

static CT_UNUSED void ct_show(int64_t kind, int64_t rank, const int64_t *sizes, const void *data,
                              int64_t at, int is_long) {
  if (rank == 0) {
    if (kind == CT_REALS) fprintf(stderr, "%.*g", (int)(sizeof(real) == 8 ? 17 : 9), (double)((const real *)data)[at]);
    else if (kind == CT_INTS) fprintf(stderr, "%lld", (long long)((const int64_t *)data)[at]);
    else fputs(((const uint8_t *)data)[at] ? "true" : "false", stderr);
    return;
  }
  int64_t size = sizes[0], stride = 1;
  for (int64_t i = 1; i < rank; i++) stride *= sizes[i];
  fputs("[", stderr);
  for (int64_t i = 0; i < size; i++) {
    if (is_long && size > 6 && i >= 3 && i < size - 3) {
      if (i == 3) fputs(", ...", stderr);
      continue;
    }
    if (i > 0) fputs(", ", stderr);
    ct_show(kind, rank - 1, sizes + 1, data, at + i * stride, is_long);
  }
  fputs("]", stderr);
}

static CT_UNUSED void ct_tell(ct_ctx *ctx, int64_t *count, int64_t saying, int64_t every,
                              const char *text, int64_t kind, int64_t rank, const int64_t *sizes,
                              const void *data) {
  if (ctx->host && ctx->host->tell) {
    if (kind == CT_REALS && sizeof(real) == 4) kind = CT_FLOATS;
    ctx->host->tell(ctx, saying, every, text, kind, rank, sizes, data);
    return;
  }
  static const char *const before[] = {"", "tangent of ", "cotangent of ", ""};
  int64_t told = __atomic_add_fetch(count, 1, __ATOMIC_RELAXED), all = 1;
  for (int64_t i = 0; i < rank; i++) all *= sizes[i];
  if (saying == 3) {
    if (told % (every > 1 ? every : 1) != 0) return;
    fprintf(stderr, "[%lld] ", (long long)told);
  }
  fprintf(stderr, "%s%s = ", before[saying & 3], text);
  ct_show(kind, rank, sizes, data, 0, all > 100);
  fputs("\n", stderr);
}

//@ fill: runtime
// By vectors: at -O2 the compiler makes none of its own.
CT_INLINE void ct_fill_real(real *p, int64_t len, real value) {
  int64_t i = 0;
  for (; len - i >= CT_W; i += CT_W) ct_store(p + i, ct_set(value));
  for (int64_t k = 0; k < CT_W && k < len - i; k++) p[i + k] = value;
}
CT_INLINE void ct_fill_int(int64_t *p, int64_t len, int64_t value) {
  int64_t i = 0;
  for (; len - i >= CT_W; i += CT_W) ct_int_store(p + i, ct_set_n(value));
  for (int64_t k = 0; k < CT_W && k < len - i; k++) p[i + k] = value;
}
CT_INLINE void ct_fill_box(ct_slot **p, int64_t len, ct_slot *value) {
  for (int64_t i = 0; i < len; i++) p[i] = value;
}
CT_INLINE void ct_fill_bool(uint8_t *p, int64_t len, _Bool value) {
  if (len > 0) memset(p, value, (size_t)len);
}

//@ copy: runtime
CT_INLINE void ct_copy(void *into, const void *from, int64_t len, int64_t size) {
  if (len > 0) memmove(into, from, (size_t)(len * size));
}

//@ chunks: runtime
// How `0..total` is cut: chunks of `chunk` elements, `per_task` of them one after the other in each
// of `tasks` tasks. It depends on the machine and on what is to be done, never on the threads there
// are: so results are the same for any number of them.
typedef struct { int64_t total, chunk, per_task, tasks; } ct_plan;
static CT_UNUSED ct_plan ct_plan_chunks(ct_ctx *ctx, int64_t total, int64_t bytes, int64_t work,
                                        int64_t accumulated) {
  const int64_t step = 8 * CT_W, most = 32;
  int64_t cache = ctx->host && ctx->host->l2_bytes > 0 ? ctx->host->l2_bytes : 1 << 20;
  ct_plan plan = {total, 0, 0, 0};
  if (total <= 0) return plan;
  // What comes of all below; small calls are many.
  if (total <= step) {
    plan.chunk = step, plan.per_task = 1, plan.tasks = 1;
    return plan;
  }
  int64_t chunk = cache / 2 / (bytes > 0 ? bytes : 1);
  chunk = chunk < step ? step : chunk > 65536 ? 65536 : chunk / step * step;
  // A task has at least about 20 microseconds of work. Each but the first has `accumulated` elements
  // for itself, and ten times the work that it takes to clear them and add them up.
  double all = (double)total * (double)work, wanted = all / 20000.0;
  double copies = 1 + all / (10.0 * ((double)accumulated + 1));
  if (copies < wanted) wanted = copies;
  int64_t tasks = wanted < 1 ? 1 : wanted > (double)most ? most : (int64_t)wanted;
  // A few are a power of two, so that two or four threads have the same to do.
  if (tasks < 8) tasks = tasks < 2 ? 1 : tasks < 4 ? 2 : 4;
  int64_t share = ((total - 1) / tasks + step) / step * step;
  if (chunk > share) chunk = share;
  int64_t chunks = (total - 1) / chunk + 1;
  plan.chunk = chunk;
  plan.per_task = (chunks - 1) / tasks + 1;
  plan.tasks = (chunks - 1) / plan.per_task + 1;
  return plan;
}

// into += from, element by element.
CT_INLINE void ct_add_all(real *into, const real *from, int64_t len) {
  int64_t i = 0;
  for (; i + CT_W <= len; i += CT_W) ct_store(into + i, ct_load(into + i) + ct_load(from + i));
  for (; i < len; i++) into[i] += from[i];
}

typedef struct { ct_task *task; void *env; } ct_guarded;
static CT_UNUSED void ct_guard(void *env, int64_t i, ct_ctx *ctx) {
  ct_guarded *it = env;
  void *outer = ctx->escape;
  char *top = ctx->top;
  void *here[5];
  if (__builtin_setjmp(here) == 0) {
    ctx->escape = here;
    it->task(it->env, i, ctx);
  }
  ctx->escape = outer;
  ctx->top = top;
}

static CT_UNUSED void ct_run(ct_ctx *ctx, int64_t tasks, ct_task *task, void *env) {
  if (tasks > 1 && ctx->host && ctx->host->parallel && ctx->host->threads > 1) {
    ct_guarded guarded = {task, env};
    ctx->host->parallel(ctx->host->self, tasks, ct_guard, &guarded, ctx);
    if (CT_RARE(ctx->code != 0)) __builtin_longjmp(ctx->escape, 1);
  } else {
    for (int64_t i = 0; i < tasks; i++) task(env, i, ctx);
  }
}

//@ sort: runtime
// Merge sort, stable. NaN comes after every number, the two zeros are equal.
#define CT_AFTER_REAL(x, y) ((x) > (y) || ((x) != (x) && (y) == (y)))
#define CT_AFTER_INT(x, y) ((x) > (y))
#define CT_SORT(name, type, key_type, KEY, AFTER)                                              \
  static CT_UNUSED void name(type *p, type *other, int64_t len, const key_type *keys) {        \
    (void)keys;                                                                                \
    for (int64_t lo = 0; lo < len; lo += 16) {                                                 \
      int64_t hi = lo + 16 < len ? lo + 16 : len;                                              \
      for (int64_t i = lo + 1; i < hi; i++) {                                                  \
        type x = p[i];                                                                         \
        int64_t j = i;                                                                         \
        for (; j > lo && AFTER(KEY(p[j - 1]), KEY(x)); j--) p[j] = p[j - 1];                   \
        p[j] = x;                                                                              \
      }                                                                                        \
    }                                                                                          \
    type *from = p, *into = other;                                                             \
    for (int64_t run = 16; run < len; run *= 2) {                                              \
      for (int64_t lo = 0; lo < len; lo += 2 * run) {                                          \
        int64_t mid = lo + run < len ? lo + run : len;                                         \
        int64_t hi = mid + run < len ? mid + run : len;                                        \
        int64_t i = lo, j = mid, k = lo;                                                       \
        while (i < mid && j < hi)                                                              \
          if (AFTER(KEY(from[i]), KEY(from[j]))) into[k++] = from[j++];                        \
          else into[k++] = from[i++];                                                          \
        while (i < mid) into[k++] = from[i++];                                                 \
        while (j < hi) into[k++] = from[j++];                                                  \
      }                                                                                        \
      type *swap = from;                                                                       \
      from = into;                                                                             \
      into = swap;                                                                             \
    }                                                                                          \
    if (from != p && len > 0) memcpy(p, from, (size_t)len * sizeof *p);                        \
  }
#define CT_SELF(x) (x)
#define CT_KEY(x) (keys[x])
CT_SORT(ct_sort_real_with, real, real, CT_SELF, CT_AFTER_REAL)
CT_SORT(ct_sort_int_with, int64_t, int64_t, CT_SELF, CT_AFTER_INT)
CT_SORT(ct_argsort_real_with, int64_t, real, CT_KEY, CT_AFTER_REAL)
CT_SORT(ct_argsort_int_with, int64_t, int64_t, CT_KEY, CT_AFTER_INT)
#define CT_SORTS(type, name)                                                                   \
  static CT_UNUSED void ct_sort_##name(ct_ctx *ctx, const type *from, type *into, int64_t len) { \
    char *top = ctx->top;                                                                      \
    if (len > 0 && into != from) memmove(into, from, (size_t)len * sizeof *into);              \
    ct_sort_##name##_with(into, ct_alloc(ctx, len, sizeof *into), len, from);                  \
    ctx->top = top;                                                                            \
  }                                                                                            \
  static CT_UNUSED void ct_argsort_##name(ct_ctx *ctx, const type *from, int64_t *into,        \
                                          int64_t len) {                                       \
    char *top = ctx->top;                                                                      \
    for (int64_t i = 0; i < len; i++) into[i] = i;                                             \
    ct_argsort_##name##_with(into, ct_alloc(ctx, len, sizeof *into), len, from);               \
    ctx->top = top;                                                                            \
  }
CT_SORTS(real, real)
CT_SORTS(int64_t, int)

//@ lanes: runtime
// Memory for the first n lanes: all of them but for the last step of a loop.
CT_INLINE vr ct_get(const real *p, int64_t n) {
  return n == CT_W ? ct_load(p) : ct_load_n(p, n, ct_set(0));
}
CT_INLINE void ct_put(real *p, int64_t n, vr x) {
  if (n == CT_W) ct_store(p, x);
  else ct_store_n(p, n, x);
}
CT_INLINE vr ct_get_step(const real *p, int64_t step, int64_t n) {
  return n == CT_W ? ct_load_step(p, step) : ct_load_step_n(p, step, n, ct_set(0));
}
CT_INLINE void ct_put_step(real *p, int64_t step, int64_t n, vr x) {
  if (n == CT_W) ct_store_step(p, step, x);
  else ct_store_step_n(p, step, n, x);
}
// The first n of these vectors are the first columns of rows.
CT_INLINE void ct_put_rows4(real *p, int64_t step, int64_t live, int n, vr x0, vr x1, vr x2, vr x3) {
#if CT_X86 == 64 && !defined(CT_F32)
  if (live == CT_W) {
    ct_store_rows4_d(p, step, n, x0, x1, x2, x3);
    return;
  }
#endif
  ct_put_step(p, step, live, x0);
  if (n > 1) ct_put_step(p + 1, step, live, x1);
  if (n > 2) ct_put_step(p + 2, step, live, x2);
  if (n > 3) ct_put_step(p + 3, step, live, x3);
}
CT_INLINE void ct_put_rows8(real *p, int64_t step, int64_t live, int n, vr x0, vr x1, vr x2, vr x3,
                            vr x4, vr x5, vr x6, vr x7) {
#if CT_X86 == 64 && !defined(CT_F32)
  if (live == CT_W) {
    ct_store_rows8_d(p, step, n, x0, x1, x2, x3, x4, x5, x6, x7);
    return;
  }
#endif
  ct_put_rows4(p, step, live, 4, x0, x1, x2, x3);
  ct_put_rows4(p + 4, step, live, n - 4, x4, x5, x6, x7);
}
CT_INLINE vr ct_get_at(const real *p, vn index, int64_t n) {
  return n == CT_W ? ct_gather(p, index) : ct_gather_n(p, index, n, ct_set(0));
}
CT_INLINE vn ct_int_get(const int64_t *p, int64_t n) {
  return n == CT_W ? ct_int_load(p) : ct_int_load_n(p, n, ct_set_n(0));
}
CT_INLINE void ct_int_put(int64_t *p, int64_t n, vn x) {
  if (n == CT_W) ct_int_store(p, x);
  else ct_int_store_n(p, n, x);
}
CT_INLINE vn ct_int_get_step(const int64_t *p, int64_t step, int64_t n) {
  return n == CT_W ? ct_int_load_step(p, step) : ct_int_load_step_n(p, step, n, ct_set_n(0));
}
CT_INLINE vn ct_int_get_at(const int64_t *p, vn index, int64_t n) {
  return n == CT_W ? ct_int_gather(p, index) : ct_int_gather_n(p, index, n, ct_set_n(0));
}
// Truth values are bytes in memory and masks in registers.
typedef uint8_t ct_bytes __attribute__((vector_size(CT_W)));
CT_INLINE vb ct_mask(_Bool x) { return -(int)x - (vb){0}; }
CT_INLINE vb ct_bool_load(const uint8_t *p) {
  ct_bytes x;
  memcpy(&x, p, CT_W);
  return -__builtin_convertvector(x, vb);
}
CT_INLINE vb ct_bool_get(const uint8_t *p, int64_t n) {
  if (n == CT_W) return ct_bool_load(p);
  vb x = {0};
  for (int i = 0; i < CT_W; i++)
    if (i < n) x[i] = -(int)p[i];
  return x;
}
CT_INLINE void ct_bool_put(uint8_t *p, int64_t n, vb x) {
  if (n == CT_W) {
    ct_bytes y = __builtin_convertvector(x, ct_bytes) & 1;
    memcpy(p, &y, CT_W);
  } else {
    for (int i = 0; i < CT_W; i++)
      if (i < n) p[i] = x[i] & 1;
  }
}
CT_INLINE vb ct_bool_get_step(const uint8_t *p, int64_t step, int64_t n) {
  vb x = {0};
  for (int i = 0; i < CT_W; i++)
    if (i < n) x[i] = -(int)p[i * step];
  return x;
}
CT_INLINE vb ct_bool_get_at(const uint8_t *p, vn index, int64_t n) {
  vb x = {0};
  for (int i = 0; i < CT_W; i++)
    if (i < n) x[i] = -(int)p[index[i]];
  return x;
}
// From arrays that have an element for each lane at every place: at another place in each lane.
typedef real ct_any_real __attribute__((may_alias));
typedef int64_t ct_any_int __attribute__((may_alias));
#ifdef CT_F32
typedef int32_t ct_any_mask __attribute__((may_alias));
#else
typedef int64_t ct_any_mask __attribute__((may_alias));
#endif
CT_INLINE vr ct_own(const vr *p, vn index, int64_t n) {
  vr x = ct_set(0);
  for (int i = 0; i < CT_W; i++)
    if (i < n) x[i] = ((const ct_any_real *)p)[index[i] * CT_W + i];
  return x;
}
CT_INLINE vn ct_int_own(const vn *p, vn index, int64_t n) {
  vn x = ct_set_n(0);
  for (int i = 0; i < CT_W; i++)
    if (i < n) x[i] = ((const ct_any_int *)p)[index[i] * CT_W + i];
  return x;
}
CT_INLINE vb ct_bool_own(const vb *p, vn index, int64_t n) {
  vb x = {0};
  for (int i = 0; i < CT_W; i++)
    if (i < n) x[i] = ((const ct_any_mask *)p)[index[i] * CT_W + i];
  return x;
}
// x, x + step, x + 2 step, ...
CT_INLINE vn ct_count(int64_t x, int64_t step) { return x + ct_iota() * step; }
CT_INLINE vb ct_first(int64_t n) { return ct_int_lt(ct_iota(), ct_set_n(n)); }
// What does not count in the lanes from n on.
CT_INLINE vr ct_alive(vr x, int64_t n, real neutral) {
  return n == CT_W ? x : ct_select(ct_first(n), x, ct_set(neutral));
}
CT_INLINE vn ct_int_alive(vn x, int64_t n, int64_t neutral) {
  return n == CT_W ? x : ct_int_select(ct_first(n), x, ct_set_n(neutral));
}
CT_INLINE vb ct_bool_alive(vb x, int64_t n, _Bool neutral) {
  if (n == CT_W) return x;
  vb m = ct_first(n);
  return (m & x) | (~m & ct_mask(neutral));
}
CT_INLINE vb ct_bool_select(vb m, vb x, vb y) { return (m & x) | (~m & y); }
CT_INLINE int ct_all_live(vb x, int64_t n) {
  return n == CT_W ? ct_all(x) : ct_all(x | ~ct_first(n));
}
static CT_UNUSED int ct_first_not(vb x) {
  int i = 0;
  while (i < CT_W - 1 && x[i]) i++;
  return i;
}
// All lanes: the upper half onto the lower one, again and again, without leaving registers.
#if CT_W == 16
#define CT_FOLD(COMBINE)                                                                       \
  q = __builtin_shufflevector(p, p, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);     \
  p = COMBINE;                                                                                 \
  q = __builtin_shufflevector(p, p, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);     \
  p = COMBINE;                                                                                 \
  q = __builtin_shufflevector(p, p, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);     \
  p = COMBINE;                                                                                 \
  q = __builtin_shufflevector(p, p, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);     \
  p = COMBINE;
#elif CT_W == 8
#define CT_FOLD(COMBINE)                                                                       \
  q = __builtin_shufflevector(p, p, 4, 5, 6, 7, 0, 1, 2, 3);                                   \
  p = COMBINE;                                                                                 \
  q = __builtin_shufflevector(p, p, 2, 3, 0, 1, 6, 7, 4, 5);                                   \
  p = COMBINE;                                                                                 \
  q = __builtin_shufflevector(p, p, 1, 0, 3, 2, 5, 4, 7, 6);                                   \
  p = COMBINE;
#elif CT_W == 4
#define CT_FOLD(COMBINE)                                                                       \
  q = __builtin_shufflevector(p, p, 2, 3, 0, 1);                                               \
  p = COMBINE;                                                                                 \
  q = __builtin_shufflevector(p, p, 1, 0, 3, 2);                                               \
  p = COMBINE;
#else
#define CT_FOLD(COMBINE)                                                                       \
  q = __builtin_shufflevector(p, p, 1, 0);                                                     \
  p = COMBINE;
#endif
#define CT_REDUCE(name, vector, scalar, COMBINE) \
  CT_INLINE scalar name(vector p) {              \
    vector q;                                    \
    CT_FOLD(COMBINE)                             \
    return p[0];                                 \
  }
CT_REDUCE(ct_lanes_sum, vr, real, p + q)
CT_REDUCE(ct_lanes_product, vr, real, p * q)
CT_REDUCE(ct_lanes_max, vr, real, ct_select((vb)((p >= q) | (p != p)), p, q))
CT_REDUCE(ct_lanes_min, vr, real, ct_select((vb)((p <= q) | (p != p)), p, q))
CT_REDUCE(ct_int_lanes_sum, vn, int64_t, ct_int_add(p, q))
CT_REDUCE(ct_int_lanes_product, vn, int64_t, ct_int_mul(p, q))
CT_REDUCE(ct_int_lanes_max, vn, int64_t, ct_int_max(p, q))
CT_REDUCE(ct_int_lanes_min, vn, int64_t, ct_int_min(p, q))
CT_INLINE _Bool ct_bool_lanes_sum(vb x) { return ct_any(x); }
CT_INLINE _Bool ct_bool_lanes_product(vb x) { return ct_all(x); }
CT_INLINE _Bool ct_bool_lanes_max(vb x) { return ct_any(x); }
CT_INLINE _Bool ct_bool_lanes_min(vb x) { return ct_all(x); }

//@ matrix: runtime lanes scale1
typedef struct { real *p; int64_t rows, columns; } ct_matrix;
#define CT_LARGE 32768.0

#define CT_EACH(i, n) _Pragma("GCC unroll 8") for (int i = 0; i < n; i++)

// Some rows and vectors of c, of which n columns count: b and c are contiguous along rows, sums stay
// in registers.
#define CT_TILE(name, ROWS, VECTORS)                                                           \
  CT_INLINE void name##_of(int64_t n, int64_t k, ct_matrix a, ct_matrix b, ct_matrix c, int add, \
                           int full) {                                                         \
    vr sum[ROWS][VECTORS];                                                                     \
    int64_t live[VECTORS];                                                                     \
    CT_EACH(v, VECTORS) live[v] =                                                              \
        full || n - v * CT_W > CT_W ? CT_W : n - v * CT_W < 0 ? 0 : n - v * CT_W;              \
    CT_EACH(i, ROWS) CT_EACH(v, VECTORS) sum[i][v] =                                           \
        add ? ct_get(c.p + i * c.rows + v * CT_W, live[v]) : ct_set(0);                        \
    for (int64_t l = 0; l < k; l++) {                                                          \
      vr y[VECTORS];                                                                           \
      CT_EACH(v, VECTORS) y[v] = ct_get(b.p + l * b.rows + v * CT_W, live[v]);                 \
      CT_EACH(i, ROWS) {                                                                       \
        vr x = ct_set(a.p[i * a.rows + l * a.columns]);                                        \
        CT_EACH(v, VECTORS) sum[i][v] = ct_fma(x, y[v], sum[i][v]);                            \
      }                                                                                        \
    }                                                                                          \
    CT_EACH(i, ROWS) CT_EACH(v, VECTORS) ct_put(c.p + i * c.rows + v * CT_W, live[v], sum[i][v]); \
  }                                                                                            \
  static __attribute__((noinline, unused)) void name(                                          \
      int64_t n, int64_t k, ct_matrix a, ct_matrix b, ct_matrix c, int add) {                  \
    if (n >= VECTORS * CT_W) name##_of(n, k, a, b, c, add, 1);                                 \
    else name##_of(n, k, a, b, c, add, 0);                                                     \
  }
// As many such rows as there are.
#define CT_TILES(tile, ROWS, VECTORS)                                                          \
  for (; i + ROWS <= m; i += ROWS)                                                             \
    for (int64_t j = 0; j < n; j += VECTORS * CT_W)                                            \
      tile(n - j, k, (ct_matrix){a.p + i * a.rows, a.rows, a.columns},                         \
           (ct_matrix){b.p + j, b.rows, 1}, (ct_matrix){c.p + i * c.rows + j, c.rows, 1}, add);
#if CT_BYTES == 64
CT_TILE(ct_tile_many, 8, 2)
#define CT_MANY 8
#else
CT_TILE(ct_tile_many, 4, 2)
#define CT_MANY 4
#endif
CT_TILE(ct_tile_two, 2, 4)
CT_TILE(ct_tile_one, 1, 4)
static CT_UNUSED void ct_matrix_rows(int64_t m, int64_t n, int64_t k, ct_matrix a, ct_matrix b,
                                     ct_matrix c, int add) {
  int64_t i = 0;
  CT_TILES(ct_tile_many, CT_MANY, 2)
  CT_TILES(ct_tile_two, 2, 4)
  CT_TILES(ct_tile_one, 1, 4)
}

// Rows of a by columns of b, both contiguous: some scalar products of rows with four columns at once.
// Those that are not there are the last one again.
#if CT_BYTES == 64
#define CT_DOTS 4
#else
#define CT_DOTS 2
#endif
static __attribute__((noinline, unused)) void ct_dots(int64_t m, int64_t n, int64_t k, ct_matrix a,
                                                      ct_matrix b, ct_matrix c, int add) {
  const real *x[CT_DOTS], *y[4];
  vr sum[CT_DOTS][4];
  CT_EACH(i, CT_DOTS) x[i] = a.p + (i < m ? i : m - 1) * a.rows;
  CT_EACH(j, 4) y[j] = b.p + (j < n ? j : n - 1) * b.columns;
  CT_EACH(i, CT_DOTS) CT_EACH(j, 4) sum[i][j] = ct_set(0);
  int64_t l = 0;
  for (; l + CT_W <= k; l += CT_W) {
    vr z[4];
    CT_EACH(j, 4) z[j] = ct_load(y[j] + l);
    CT_EACH(i, CT_DOTS) {
      vr w = ct_load(x[i] + l);
      CT_EACH(j, 4) sum[i][j] = ct_fma(w, z[j], sum[i][j]);
    }
  }
  if (l < k) CT_EACH(i, CT_DOTS) {
    vr w = ct_get(x[i] + l, k - l);
    CT_EACH(j, 4) sum[i][j] = ct_fma(w, ct_get(y[j] + l, k - l), sum[i][j]);
  }
  CT_EACH(i, CT_DOTS) CT_EACH(j, 4) if (i < m && j < n) {
    real *to = c.p + i * c.rows + j * c.columns;
    *to = (add ? *to : 0) + ct_lanes_sum(sum[i][j]);
  }
}
static CT_UNUSED void ct_matrix_dots(int64_t m, int64_t n, int64_t k, ct_matrix a, ct_matrix b,
                                     ct_matrix c, int add) {
  for (int64_t i = 0; i < m; i += CT_DOTS)
    for (int64_t j = 0; j < n; j += 4)
      ct_dots(m - i, n - j, k, (ct_matrix){a.p + i * a.rows, a.rows, 1},
              (ct_matrix){b.p + j * b.columns, 1, b.columns},
              (ct_matrix){c.p + i * c.rows + j * c.columns, c.rows, c.columns}, add);
}

// c = a b, or c += a b; a is m by k, b is k by n.
static CT_UNUSED void ct_matrix_small(ct_ctx *ctx, int64_t m, int64_t n, int64_t k, ct_matrix a,
                                      ct_matrix b, ct_matrix c, int add) {
  char *top = ctx->top;
  // Where there is one only, the distance to the next is as we like.
  if (m == 1) a.rows = c.rows = 1;
  if (n == 1) b.columns = c.columns = 1;
  if (k == 1) a.columns = b.rows = 1;
  // Adding up lanes costs more than bringing b into order, unless they are many.
  if (a.columns == 1 && b.rows == 1 && k >= CT_W && (b.columns != 1 || n < CT_W) &&
      (m < 4 || n < 4 || k >= 8 * CT_W))
    return ct_matrix_dots(m, n, k, a, b, c, add);
  if (c.rows == 1 && (c.columns != 1 || (a.rows == 1 && n < m))) {
    // The transposed product has contiguous rows.
    ct_matrix x = {b.p, b.columns, b.rows}, y = {a.p, a.columns, a.rows};
    int64_t old = m;
    a = x, b = y, m = n, n = old;
    c = (ct_matrix){c.p, c.columns, c.rows};
  }
  ct_matrix to = c;
  if (b.columns != 1) {
    real *p = ct_alloc(ctx, k * n, sizeof(real));
    for (int64_t l = 0; l < k; l++)
      for (int64_t j = 0; j < n; j++) p[l * n + j] = b.p[l * b.rows + j * b.columns];
    b = (ct_matrix){p, n, 1};
  }
  if (c.columns != 1) to = (ct_matrix){ct_alloc(ctx, m * n, sizeof(real)), n, 1};
  if (c.columns != 1 && add)
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) to.p[i * n + j] = c.p[i * c.rows + j * c.columns];
  ct_matrix_rows(m, n, k, a, b, to, add);
  if (c.columns != 1)
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) c.p[i * c.rows + j * c.columns] = to.p[i * n + j];
  ctx->top = top;
}

static CT_UNUSED void ct_matrix_product(ct_ctx *ctx, int64_t m, int64_t n, int64_t k, ct_matrix a,
                                        ct_matrix b, ct_matrix c, int add) {
  if (m <= 0 || n <= 0) return;
  // A product of matrices that is large; one by a vector is bound by memory in any way.
  int large = m > 1 && n > 1 && k > 1 && (double)m * (double)n * (double)k > CT_LARGE;
  // Scalar products of a few long rows are done as they are.
  if (m <= 16 && n <= 16 && a.columns == 1 && b.rows == 1) large = 0;
  if (large && ctx->host && ctx->host->product)
    ctx->host->product(m, n, k, a.p, a.rows, a.columns, b.p, b.rows, b.columns, c.p, c.rows,
                       c.columns, add, ctx);
  else
    ct_matrix_small(ctx, m, n, k, a, b, c, add);
}

// Whether all elements are numbers, or with `finite` no infinities either; it may say no where there
// are infinities of both signs.
static CT_UNUSED int ct_matrix_sound(int64_t m, int64_t n, ct_matrix a, int finite) {
  if (a.rows == 1 && a.columns != 1) {
    int64_t old = m;
    m = n, n = old, a.rows = a.columns, a.columns = 1;
  }
  if (a.columns == 1 && a.rows == n) n = m * n, m = 1;
  for (int64_t i = 0; i < m; i++) {
    const real *p = a.p + i * a.rows;
    // A sum shows what is not a number; x - x is 0, or not a number.
    vr sum[4];
    CT_EACH(v, 4) sum[v] = ct_set(0);
    real rest = 0;
    int64_t j = 0;
    if (a.columns == 1)
      for (; j + 4 * CT_W <= n; j += 4 * CT_W) CT_EACH(v, 4) {
        vr x = ct_load(p + j + v * CT_W);
        sum[v] = sum[v] + (finite ? x - x : x);
      }
    for (; j < n; j++) {
      real x = p[j * a.columns];
      rest += finite ? x - x : x;
    }
    rest += ct_lanes_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
    if (rest != rest) return 0;
  }
  return 1;
}

// Products that are 0 if a factor is 0. Only where the usual ones are not numbers do they differ:
// those results are computed again that way. What is added to has to be kept for that.
static CT_UNUSED void ct_matrix_scaled(ct_ctx *ctx, int64_t m, int64_t n, int64_t k, ct_matrix a,
                                        ct_matrix b, ct_matrix c, int add) {
  // Of finite factors there is nothing to compute again: whatever is less to look at.
  int first = add || m * n > (m + n) * k;
  if (first && ct_matrix_sound(m, k, a, 1) && ct_matrix_sound(k, n, b, 1))
    return ct_matrix_product(ctx, m, n, k, a, b, c, add);
  char *top = ctx->top;
  real *old = NULL;
  if (add) {
    old = ct_alloc(ctx, m * n, sizeof *old);
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) old[i * n + j] = c.p[i * c.rows + j * c.columns];
  }
  ct_matrix_product(ctx, m, n, k, a, b, c, add);
  if (!first && ct_matrix_sound(m, n, c, 0)) return;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      real *x = c.p + i * c.rows + j * c.columns;
      if (CT_RARE(*x != *x)) {
        real sum = add ? old[i * n + j] : 0;
        for (int64_t l = 0; l < k; l++)
          sum += ct_scale1(a.p[i * a.rows + l * a.columns], b.p[l * b.rows + j * b.columns]);
        *x = sum;
      }
    }
  ctx->top = top;
}
