// What a reference program and the harness know of each other.
//
// A reference program is one file with `setup`, `value` and `gradient`. It is compiled twice, with
// REAL as double and as float, and linked with `harness.c` into an executable of its own, so that
// nothing it does to the floating point unit reaches anybody else.
#ifndef HARNESS_H
#define HARNESS_H

#include <stddef.h>
#include <stdint.h>
#include <tgmath.h>

#ifndef REAL
#define REAL double
#endif
typedef REAL real;

// Reads inputs and makes room for results; called once.
void setup(void);
// Computes the results of `value`.
void value(void);
// Computes the results of `gradient`.
void gradient(void);

// The input of this name; ends the program if there is none, or not of this type.
const real *reals(const char *name);
const int64_t *ints(const char *name);
// The size of a dimension of an input, 0 being the outermost.
size_t size(const char *name, int dimension);

// Room for the next result of `value` or `gradient`.
real *value_result(size_t count);
real *gradient_result(size_t count);
// Room for anything else.
real *scratch(size_t count);

#endif
