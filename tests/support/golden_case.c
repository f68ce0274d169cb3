#include "support/golden_case.h"

#include <stdlib.h>

GoldenCase *golden_begin(const Golden *golden, const char *form) {
    GoldenCase *c = check_alloc(sizeof *c);
    *c = (GoldenCase){
        .golden = golden, .form = form, .atol = 1e-5, .rtol = 1e-4, .tape = tape_new()};
    return c;
}

void golden_fail(const GoldenCase *c, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("%s (%s): %s\n", c->golden->file, c->form, text);
    _fail(__FILE__, __LINE__);
    abort(); /* cmocka has jumped */
}

/* The file's tensor as a header, for its shape and its text. */
static Tensor header_of(const GoldenTensor *t) {
    Tensor header = {.ndim = t->ndim, .name = t->name};
    memcpy(header.dim, t->dim, sizeof t->dim);
    return header;
}

static const GoldenTensor *find(const GoldenCase *c, const char *prefix, const char *name) {
    char full[2 * GOLDEN_NAME];
    snprintf(full, sizeof full, "%s.%s", prefix, name);
    return golden_find(c->golden, full);
}

static const GoldenTensor *need(GoldenCase *c, const char *prefix, const char *name) {
    const GoldenTensor *t = find(c, prefix, name);
    if (t == NULL) {
        golden_fail(c, "the file has no tensor %s.%s", prefix, name);
    }
    c->used[t - c->golden->tensors] = true;
    return t;
}

const GoldenTensor *golden_need(GoldenCase *c, const char *name) {
    return need(c, "in", name);
}

/* Stops unless both have the same shape. */
static void match_shapes(const GoldenCase *c, const GoldenTensor *a, const GoldenTensor *b) {
    Tensor text_a = header_of(a), text_b = header_of(b);
    if (!tensor_same_shape(&text_a, &text_b)) {
        golden_fail(c, "%s and %s differ in shape", tensor_text(&text_a).text,
                    tensor_text(&text_b).text);
    }
}

bool golden_has(const GoldenCase *c, const char *name) {
    return find(c, "in", name) != NULL;
}

Tensor *golden_input(GoldenCase *c, const char *name) {
    const GoldenTensor *t = need(c, "in", name), *grad = need(c, "grad", name);
    match_shapes(c, grad, t);
    Tensor *x = tape_variable(&c->tape, t->name, NULL, t->ndim, t->dim);
    for (size_t i = 0; i < t->size; i++) {
        x->data[i] = (float)t->values[i];
    }
    CHECK(c->in_count < GOLDEN_MAX_INPUTS, "golden: more than %d inputs", GOLDEN_MAX_INPUTS);
    c->in[c->in_count] = x;
    c->grad[c->in_count++] = grad;
    return x;
}

Tensor *golden_input_or_null(GoldenCase *c, const char *name) {
    return golden_has(c, name) ? golden_input(c, name) : NULL;
}

int *golden_integers(GoldenCase *c, const char *name) {
    const GoldenTensor *t = need(c, "in", name);
    int *numbers = arena_alloc(&c->tape.arena, t->size * sizeof *numbers);
    for (size_t i = 0; i < t->size; i++) {
        if (fabs(t->values[i]) > 1e9 || t->values[i] != floor(t->values[i])) {
            golden_fail(c, "%s [%zu] is %.9g, which is no whole number", t->name, i, t->values[i]);
        }
        numbers[i] = (int)t->values[i];
    }
    return numbers;
}

const char *golden_text(const GoldenCase *c, const char *key) {
    const char *value = golden_attr(c->golden, key);
    if (value == NULL) {
        golden_fail(c, "the file has no attr %s", key);
    }
    return value;
}

double golden_number(const GoldenCase *c, const char *key) {
    const char *value = golden_text(c, key);
    char *end;
    double number = strtod(value, &end);
    if (*end != '\0' || !isfinite(number)) {
        golden_fail(c, "attr %s is '%s', which is no number", key, value);
    }
    return number;
}

static void compare(GoldenCase *c, const GoldenTensor *expected, const double *values) {
    c->used[expected - c->golden->tensors] = true;
    for (size_t i = 0; i < expected->size; i++) {
        double b = expected->values[i];
        if (!is_close(values[i], b, c->atol, c->rtol)) {
            golden_fail(c, "%s [%zu] is %.9g, expected %.9g (difference %.3g, allowed %.3g)",
                        expected->name, i, values[i], b, fabs(values[i] - b),
                        c->atol + c->rtol * fabs(b));
        }
    }
}

static void compare_floats(GoldenCase *c, const GoldenTensor *expected, const float *values) {
    double *wide = arena_alloc(&c->tape.arena, expected->size * sizeof *wide);
    for (size_t i = 0; i < expected->size; i++) {
        wide[i] = (double)values[i];
    }
    compare(c, expected, wide);
}

void golden_output(GoldenCase *c, const char *name, Tensor *result) {
    const GoldenTensor *out = need(c, "out", name), *cot = find(c, "cot", name);
    Tensor header = header_of(out);
    if (!tensor_same_shape(result, &header)) {
        golden_fail(c, "the result is %s, the file's %s", tensor_text(result).text,
                    tensor_text(&header).text);
    }
    compare_floats(c, out, result->data);
    if (cot == NULL) {
        return;
    }
    match_shapes(c, cot, out);
    c->used[cot - c->golden->tensors] = true;
    for (size_t i = 0; i < cot->size && result->grad != NULL; i++) {
        result->grad[i] += (float)cot->values[i];
    }
    c->back_from = result->grad != NULL ? result : c->back_from;
}

void golden_numbers(GoldenCase *c, const char *name, const double *values, size_t n) {
    const GoldenTensor *out = need(c, "out", name);
    if (out->size != n) {
        golden_fail(c, "%s has %zu values, the result %zu", out->name, out->size, n);
    }
    compare(c, out, values);
}

void golden_end(GoldenCase *c) {
    if (c->back_from != NULL) {
        tape_backward_from(&c->tape, c->back_from);
    } else if (c->in_count > 0) {
        golden_fail(c, "there are gradients, but no result has a weight (cot) in the loss");
    }
    for (int i = 0; i < c->in_count; i++) {
        compare_floats(c, c->grad[i], c->in[i]->grad);
    }
    for (int i = 0; i < c->golden->tensor_count; i++) {
        if (!c->used[i]) {
            golden_fail(c, "%s is not used by this kind", c->golden->tensors[i].name);
        }
    }
    tape_free(&c->tape);
    free(c);
}
