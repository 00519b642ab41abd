// Runs a reference program on request: reads `.npy` inputs from the folder that is its argument,
// then obeys the lines of standard input:
//
//   run value FOLDER       runs once, writes the results to FOLDER/value.0.npy, ...
//   time gradient 10       runs ten times, answers with the seconds of the clock and of the process
#include "harness.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ARRAYS = 16, MOST_DIMENSIONS = 4 };

typedef struct {
    char name[32];
    char kind;  // 'f' or 'i'
    size_t rank, shape[MOST_DIMENSIONS], count;
    void *data;
} Array;

typedef struct {
    size_t count;
    real *data;
} Result;

typedef struct {
    size_t n;
    Result items[MOST_ARRAYS];
} Results;

static const char *folder;
static Array inputs[MOST_ARRAYS];
static size_t n_inputs;
static Results values, gradients;

static void fail(const char *what, const char *which) {
    printf("error %s: %s\n", what, which);
    exit(1);
}

static void *room(size_t bytes) {
    // Whole cache lines.
    void *found = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!found) fail("no memory", "");
    memset(found, 0, bytes);
    return found;
}

// Version 1 of the format: ten bytes, then a Python dictionary as text, then the elements.
static void read_header(Array *array, FILE *file) {
    unsigned char start[10];
    char text[4096];
    if (fread(start, 1, 10, file) != 10) fail("no header", array->name);
    size_t length = start[8] + 256u * start[9];
    if (length >= sizeof text || fread(text, 1, length, file) != length)
        fail("no header", array->name);
    text[length] = 0;
    const char *type = strstr(text, "'descr': '"), *shape = strchr(text, '(');
    if (!type || !shape) fail("not understood", array->name);
    array->kind = type[11];
    size_t width = strtoul(type + 12, NULL, 10);
    if (width != (array->kind == 'f' ? sizeof(real) : sizeof(int64_t)))
        fail("wrong type", array->name);
    array->count = 1;
    for (const char *at = shape + 1; *at && *at != ')';) {
        char *end;
        size_t extent = strtoul(at, &end, 10);
        if (end == at) {
            at++;
            continue;
        }
        if (array->rank == MOST_DIMENSIONS) fail("too many dimensions", array->name);
        array->shape[array->rank++] = extent;
        array->count *= extent;
        at = end;
    }
}

static const Array *input(const char *name) {
    for (size_t i = 0; i < n_inputs; i++)
        if (!strcmp(inputs[i].name, name)) return &inputs[i];
    if (n_inputs == MOST_ARRAYS) fail("too many inputs", name);
    Array *array = &inputs[n_inputs++];
    snprintf(array->name, sizeof array->name, "%s", name);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail("no such file", path);
    read_header(array, file);
    size_t width = array->kind == 'f' ? sizeof(real) : sizeof(int64_t);
    array->data = room(array->count * width);
    if (fread(array->data, width, array->count, file) != array->count) fail("too short", path);
    fclose(file);
    return array;
}

const real *reals(const char *name) {
    const Array *array = input(name);
    if (array->kind != 'f') fail("no reals", name);
    return array->data;
}

const int64_t *ints(const char *name) {
    const Array *array = input(name);
    if (array->kind != 'i') fail("no integers", name);
    return array->data;
}

size_t size(const char *name, int dimension) { return input(name)->shape[dimension]; }

static real *result(Results *results, size_t count) {
    if (results->n == MOST_ARRAYS) fail("too many results", "");
    Result *item = &results->items[results->n++];
    item->count = count;
    item->data = scratch(count);
    return item->data;
}

real *value_result(size_t count) { return result(&values, count); }
real *gradient_result(size_t count) { return result(&gradients, count); }
real *scratch(size_t count) { return room(count * sizeof(real)); }

static void write_results(const Results *results, const char *phase, const char *to) {
    for (size_t i = 0; i < results->n; i++) {
        char path[4096], header[118];
        snprintf(path, sizeof path, "%s/%s.%zu.npy", to, phase, i);
        FILE *file = fopen(path, "wb");
        if (!file) fail("cannot write", path);
        int length = snprintf(header, sizeof header,
                              "{'descr': '<f%zu', 'fortran_order': False, 'shape': (%zu,), }",
                              sizeof(real), results->items[i].count);
        memset(header + length, ' ', sizeof header - length);
        header[sizeof header - 1] = '\n';
        fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
        fwrite(header, 1, sizeof header, file);
        fwrite(results->items[i].data, sizeof(real), results->items[i].count, file);
        if (fclose(file)) fail("cannot write", path);
    }
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int n_words, char **words) {
    if (n_words != 2) fail("usage", "PROGRAM FOLDER");
    folder = words[1];
    setup();
    printf("ready\n");
    fflush(stdout);
    char line[4096], verb[16], phase[16], rest[4000];
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%15s %15s %3999[^\n]", verb, phase, rest) != 3)
            fail("not understood", line);
        bool is_value = !strcmp(phase, "value");
        void (*phase_function)(void) = is_value ? value : gradient;
        if (!strcmp(verb, "run")) {
            phase_function();
            write_results(is_value ? &values : &gradients, phase, rest);
            printf("ok\n");
        } else {
            long times = strtol(rest, NULL, 10);
            double clock = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
            for (long i = 0; i < times; i++) phase_function();
            used = now(CLOCK_PROCESS_CPUTIME_ID) - used;
            clock = now(CLOCK_MONOTONIC) - clock;
            printf("ok %.9f %.9f\n", clock, used);
        }
        fflush(stdout);
    }
    return 0;
}
