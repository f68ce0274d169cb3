#include "lesson/experiments/head_removal.h"

#include "core/check.h"

#include <stdlib.h>
#include <string.h>

static void check_head(const MultiHead *layer, int head) {
    CHECK(head >= 0 && head < layer->heads, "head %d of a layer of %d heads", head, layer->heads);
}

/* Copies the columns of out.w that belong to the head to `kept`, or back from there. */
static void columns_copy(const MultiHead *layer, int head, float *kept, bool back) {
    int d = layer->d_model, D = d / layer->heads;
    for (int i = 0; i < d; i++) {
        float *columns = layer->out.w->data + (long)i * d + (long)head * D;
        float *place = kept + (long)i * D;
        memcpy(back ? columns : place, back ? place : columns, (size_t)D * sizeof(float));
        if (!back) {
            memset(columns, 0, (size_t)D * sizeof(float));
        }
    }
}

double head_rise(const MultiHead *layer, int head, double (*loss)(void *model), void *model,
                 double whole) {
    check_head(layer, head);
    size_t d = (size_t)layer->d_model, D = d / (size_t)layer->heads;
    float *kept = check_alloc(d * D * sizeof(float));
    columns_copy(layer, head, kept, false);
    double without = loss(model);
    columns_copy(layer, head, kept, true);
    free(kept);
    return without - whole;
}

double heads_rise(const MultiHead *const *layers, int count, double (*loss)(void *model),
                  void *model, double whole) {
    float **kept = check_alloc((size_t)count * sizeof *kept);
    for (int i = 0; i < count; i++) {
        size_t bytes = tensor_size(layers[i]->out.w) * sizeof(float);
        kept[i] = memcpy(check_alloc(bytes), layers[i]->out.w->data, bytes);
        memset(layers[i]->out.w->data, 0, bytes);
    }
    double without = loss(model);
    for (int i = 0; i < count; i++) {
        memcpy(layers[i]->out.w->data, kept[i], tensor_size(layers[i]->out.w) * sizeof(float));
        free(kept[i]);
    }
    free(kept);
    return without - whole;
}

void head_kill(const MultiHead *layer, int head) {
    check_head(layer, head);
    int d = layer->d_model, D = d / layer->heads;
    const Linear *values = layer->packed ? &layer->qkv : &layer->v;
    long row = (layer->packed ? 2L * d : 0L) + (long)head * D;
    memset(values->w->data + row * d, 0, (size_t)D * (size_t)d * sizeof(float));
    if (values->bias != NULL) {
        memset(values->bias->data + row, 0, (size_t)D * sizeof(float));
    }
}
