#include "grade/inputs.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8 };

typedef struct Drawing {
    Items *inputs;
    Rng *rng;
    int trial;
    const char *at, *spec;
    Error *error;
} Drawing;

static bool wrong(const Drawing *d) {
    return error_set(d->error, "cannot read the inputs \"%s\" at \"%.20s\"", d->spec, d->at);
}

static bool take(Drawing *d, const char *text) {
    size_t n = strlen(text);
    bool there = strncmp(d->at, text, n) == 0;
    d->at += there ? n : 0;
    return there;
}

static bool name_taken(Drawing *d, char name[ITEM_NAME]) {
    size_t n = 0;
    while (isalnum((unsigned char)d->at[n]) || d->at[n] == '_') {
        n++;
    }
    if (n == 0 || n >= ITEM_NAME) {
        return false;
    }
    memcpy(name, d->at, n);
    name[n] = '\0';
    d->at += n;
    return true;
}

/* A number, or the name of one that has been drawn. */
static bool read_term(Drawing *d, int *value) {
    char name[ITEM_NAME];
    if (isdigit((unsigned char)d->at[0]) || d->at[0] == '-') {
        char *end;
        *value = (int)strtol(d->at, &end, 10);
        d->at = end;
        return true;
    }
    if (!name_taken(d, name)) {
        return false;
    }
    const Item *item = items_find(d->inputs, name);
    *value = item != NULL && item->kind == ITEM_INTS ? item->ints[0] : 0;
    return item != NULL;
}

/* Terms joined by + - *, from left to right. */
static bool read_expression(Drawing *d, int *value) {
    int next;
    if (!read_term(d, value)) {
        return false;
    }
    while (d->at[0] == '+' || d->at[0] == '*' || (d->at[0] == '-' && d->at[1] != '-')) {
        char sign = *d->at++;
        if (!read_term(d, &next)) {
            return false;
        }
        *value = sign == '+' ? *value + next : sign == '*' ? *value * next : *value - next;
    }
    return true;
}

static int draw_between(Drawing *d, int low, int high) {
    return high <= low ? low : low + (int)rng_below(d->rng, (uint32_t)(high - low + 1));
}

static float round_to_cents(double x) {
    return (float)(round(100.0 * x) / 100.0);
}

static bool add(Drawing *d, const char *name, ItemKind kind, int ndim, const int *dim,
                void *numbers) {
    if (numbers == NULL || !items_add(d->inputs, name, kind, ndim, dim, numbers)) {
        free(numbers);
        return error_set(d->error, "too many inputs: \"%s\"", d->spec);
    }
    return true;
}

static bool draw_number(Drawing *d, const char *name) {
    char *end;
    double low = strtod(d->at, &end), high;
    float *number = malloc(sizeof *number);
    d->at = end;
    if (number == NULL || !take(d, ":")) {
        free(number);
        return wrong(d);
    }
    high = strtod(d->at, &end);
    d->at = end;
    *number = round_to_cents(low + (high - low) * (double)rng_uniform(d->rng));
    return add(d, name, ITEM_FLOATS, 0, NULL, number);
}

/* 0|1|2: the trial says which. */
static bool choose_in_turn(Drawing *d, int first, int *chosen) {
    int list[16] = {first}, n = 1;
    while (take(d, "|")) {
        if (n == 16 || !read_expression(d, &list[n++])) {
            return false;
        }
    }
    *chosen = list[d->trial % n];
    return true;
}

static bool draw_size(Drawing *d, const char *name) {
    int low, high, *number = malloc(sizeof *number);
    bool fine = number != NULL && read_expression(d, &low);
    high = fine ? low : 0;
    if (fine && d->at[0] == '|') {
        fine = choose_in_turn(d, low, number);
        return fine ? add(d, name, ITEM_INTS, 0, NULL, number) : (free(number), wrong(d));
    }
    if (fine && take(d, "..")) {
        fine = read_expression(d, &high);
    }
    if (!fine) {
        free(number);
        return wrong(d);
    }
    *number = d->trial == 0 && low > 0 ? low : draw_between(d, low, high);
    return add(d, name, ITEM_INTS, 0, NULL, number);
}

static float draw_float(Drawing *d, char kind) {
    return kind == 'n'   ? rng_normal(d->rng)
           : kind == 's' ? (rng_below(d->rng, 2) == 0 ? 0.0f : rng_normal(d->rng))
           : kind == 'u' ? rng_range(d->rng, -1.0f, 1.0f)
                         : rng_range(d->rng, 0.05f, 1.0f);
}

static bool fill_array(Drawing *d, const char *name, char kind, int ndim, const int *dim,
                       size_t n) {
    int low = 0, high = 0, factor = 1;
    bool ints = kind == 'i';
    if (ints &&
        !(take(d, ";") && read_expression(d, &low) && take(d, "..") && read_expression(d, &high))) {
        return wrong(d);
    }
    if (!take(d, ")") || (take(d, "*") && !read_term(d, &factor))) {
        return wrong(d);
    }
    void *numbers = malloc(n * 4);
    for (size_t i = 0; i < n && numbers != NULL; i++) {
        if (ints) {
            ((int *)numbers)[i] = draw_between(d, low, high);
        } else {
            ((float *)numbers)[i] = round_to_cents((double)factor * (double)draw_float(d, kind));
        }
    }
    return add(d, name, ints ? ITEM_INTS : ITEM_FLOATS, ndim, dim, numbers);
}

static bool draw_array(Drawing *d, const char *name) {
    char kind = d->at[0];
    int ndim = 0, dim[ITEM_DIMS];
    size_t n = 1;
    d->at += 2;
    do {
        if (ndim == ITEM_DIMS || !read_expression(d, &dim[ndim]) || dim[ndim] < 1) {
            return wrong(d);
        }
        n *= (size_t)dim[ndim++];
    } while (take(d, ","));
    return n <= 1 << 20 ? fill_array(d, name, kind, ndim, dim, n) : wrong(d);
}

/* Is it a number with a colon behind it, 0.1:0.6? */
static bool is_real_range(const char *at) {
    return at[strspn(at, "-.0123456789")] == ':';
}

bool inputs_draw(Items *inputs, const char *spec, Rng *rng, int trial, Error *error) {
    Drawing d = {inputs, rng, trial, spec, spec, error};
    inputs->count = 0;
    while (d.at[0] != '\0') {
        char name[ITEM_NAME];
        if (!name_taken(&d, name) || !take(&d, "=") || items_find(inputs, name) != NULL) {
            return wrong(&d);
        }
        bool array = d.at[0] != '\0' && strchr("nsupi", d.at[0]) != NULL && d.at[1] == '(';
        if (!(array                 ? draw_array(&d, name)
              : is_real_range(d.at) ? draw_number(&d, name)
                                    : draw_size(&d, name))) {
            return false;
        }
        if (d.at[0] != '\0' && !take(&d, " ")) {
            return wrong(&d);
        }
    }
    return true;
}

void inputs_free(Items *inputs) {
    for (int i = 0; i < inputs->count; i++) {
        free((void *)inputs->item[i].numbers);
    }
    inputs->count = 0;
}

static void say_one(FILE *out, const Item *item) {
    size_t n = item_size(item);
    fprintf(out, "%s", item->name);
    for (uint32_t i = 0; i < item->ndim; i++) {
        fprintf(out, i == 0 ? " (%u" : ", %u", item->dim[i]);
    }
    fprintf(out, item->ndim > 0 ? ") = [" : " = ");
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        fputs(i > 0 ? ", " : "", out);
        if (item->kind == ITEM_INTS) {
            fprintf(out, "%d", item->ints[i]);
        } else {
            fprintf(out, "%g", (double)item->floats[i]);
        }
    }
    fprintf(out, "%s%s", n > SHOWN ? ", .." : "", item->ndim > 0 ? "]" : "");
}

void inputs_say(const Items *inputs, char *text, size_t most) {
    char *all = NULL;
    size_t size;
    FILE *out = open_memstream(&all, &size);
    text[0] = '\0';
    if (out == NULL) {
        return;
    }
    for (int i = 0; i < inputs->count; i++) {
        fputs(i > 0 ? ", " : "", out);
        say_one(out, &inputs->item[i]);
    }
    fclose(out);
    snprintf(text, most, "%s", all);
    if (size >= most && most > 4) {
        strcpy(text + most - 4, "...");
    }
    free(all);
}
