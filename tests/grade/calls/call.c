#include "grade/calls/call.h"

#include "grade/items.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWERS = 3 /* the file descriptor */, INPUT_MOST = 1 << 24 };

struct Call {
    Tape tape;
    Items in, out;
};

static _Noreturn void give_up(const char *what, const char *name) {
    fprintf(stderr, "worker: %s %s\n", what, name);
    _exit(99);
}

static const Item *input(Call *call, const char *name, ItemKind kind) {
    const Item *item = items_find(&call->in, name);
    if (item == NULL || item->kind != (uint32_t)kind) {
        give_up("there is no input", name);
    }
    return item;
}

Tape *call_tape(Call *call) {
    return &call->tape;
}

int call_int(Call *call, const char *name) {
    return input(call, name, ITEM_INTS)->ints[0];
}

float call_float(Call *call, const char *name) {
    return input(call, name, ITEM_FLOATS)->floats[0];
}

const int *call_ints(Call *call, const char *name) {
    return (const int *)input(call, name, ITEM_INTS)->ints;
}

const float *call_floats(Call *call, const char *name) {
    return input(call, name, ITEM_FLOATS)->floats;
}

Tensor *call_tensor(Call *call, const char *name) {
    const Item *item = input(call, name, ITEM_FLOATS);
    int dim[ITEM_DIMS] = {1};
    for (uint32_t i = 0; i < item->ndim; i++) {
        dim[i] = (int)item->dim[i];
    }
    return tape_variable(&call->tape, item->name, item->floats,
                         item->ndim > 0 ? (int)item->ndim : 1, dim);
}

void answer_floats(Call *call, const char *name, const float *values, int ndim, const int *dim) {
    size_t n = 1;
    for (int i = 0; i < ndim; i++) {
        n *= (size_t)dim[i];
    }
    float *copy = arena_alloc(&call->tape.arena, n * sizeof *copy);
    memcpy(copy, values, n * sizeof *copy);
    if (!items_add(&call->out, name, ITEM_FLOATS, ndim, dim, copy)) {
        give_up("too many answers:", name);
    }
}

void answer_tensor(Call *call, const char *name, const Tensor *tensor) {
    answer_floats(call, name, tensor->data, tensor->ndim, tensor->dim);
}

void answer_number(Call *call, const char *name, double value) {
    float number = (float)value;
    answer_floats(call, name, &number, 0, NULL);
}

void answer_gradient(Call *call, const char *name, const Tensor *tensor) {
    answer_floats(call, name, tensor->grad, tensor->ndim, tensor->dim);
}

void call_backward(Call *call, Tensor *y) {
    for (size_t i = 0; i < tensor_size(y); i++) {
        y->grad[i] = sinf(1.0f + 2.0f * (float)i);
    }
    tape_backward_from(&call->tape, y);
}

static void write_answers(const Items *out) {
    size_t bytes = items_bytes(out), done = 0;
    unsigned char *message = malloc(bytes);
    if (message == NULL) {
        give_up("out of", "memory");
    }
    items_write(out, message);
    while (done < bytes) {
        ssize_t wrote = write(ANSWERS, message + done, bytes - done);
        if (wrote <= 0) {
            _exit(98);
        }
        done += (size_t)wrote;
    }
    free(message);
}

static int check_named(const char *name) {
    int i = 0;
    while (worker_checks[i].name != NULL && strcmp(worker_checks[i].name, name) != 0) {
        i++;
    }
    if (worker_checks[i].name == NULL) {
        give_up("there is no check", name);
    }
    return i;
}

int main(int argc, char **argv) {
    int check = check_named(argc > 1 ? argv[1] : "");
    unsigned char *bytes = malloc(INPUT_MOST);
    size_t size = 0, at = 0;
    ssize_t got;
    while (bytes != NULL && size < INPUT_MOST &&
           (got = read(STDIN_FILENO, bytes + size, INPUT_MOST - size)) > 0) {
        size += (size_t)got;
    }
    while (bytes != NULL && at < size) {
        Call call = {.tape = tape_new()};
        size_t length = items_read(&call.in, bytes + at, size - at);
        if (length == 0) {
            give_up("the input is", "cut off");
        }
        worker_checks[check].check(&call);
        write_answers(&call.out);
        tape_free(&call.tape);
        at += length;
    }
    return 0;
}
