/* A set of arrays in memory: finding, taking out, putting in. Reading and writing of files stand in
 * safetensors_read.c and safetensors_write.c. */
#include "io/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "io/safetensors_set.h"

static int by_name(const void *a, const void *b) {
    return strcmp(((const SafeArray *)a)->name, ((const SafeArray *)b)->name);
}

void safetensors_sort(SafeTensors *set) {
    if (set->count > 0) {
        qsort(set->array, (size_t)set->count, sizeof *set->array, by_name);
    }
    set->sorted = true;
}

const SafeArray *safetensors_find(const SafeTensors *set, const char *name) {
    if (set->sorted && set->count > 0) {
        SafeArray key = {.name = (char *)name};
        return bsearch(&key, set->array, (size_t)set->count, sizeof key, by_name);
    }
    for (int i = 0; i < set->count; i++) {
        if (strcmp(set->array[i].name, name) == 0) {
            return &set->array[i];
        }
    }
    return NULL;
}

const char *safetensors_text(const SafeTensors *set, const char *key) {
    for (int i = 0; i < set->text_count; i++) {
        if (strcmp(set->text[i].key, key) == 0) {
            return set->text[i].value;
        }
    }
    return NULL;
}

/* ---- numbers ---- */

size_t safearray_count(const SafeArray *array) {
    size_t count = 1;
    for (int i = 0; i < array->ndim; i++) {
        count *= (size_t)array->dim[i]; /* cannot overflow: it has been checked, or was an int */
    }
    return count;
}

static uint64_t read_little(const unsigned char *bytes, int size) {
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; i--) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static void write_little(unsigned char *bytes, uint64_t value, int size) {
    for (int i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

bool safearray_floats(const SafeArray *array, float *values) {
    size_t count = safearray_count(array);
    for (size_t i = 0; i < count && strcmp(array->dtype, "F32") == 0; i++) {
        uint32_t bits = (uint32_t)read_little(array->bytes + 4 * i, 4);
        memcpy(&values[i], &bits, sizeof bits);
    }
    return strcmp(array->dtype, "F32") == 0;
}

bool safearray_doubles(const SafeArray *array, double *values) {
    size_t count = safearray_count(array);
    for (size_t i = 0; i < count && strcmp(array->dtype, "F64") == 0; i++) {
        uint64_t bits = read_little(array->bytes + 8 * i, 8);
        memcpy(&values[i], &bits, sizeof bits);
    }
    return strcmp(array->dtype, "F64") == 0;
}

ShapeText safearray_shape(const SafeArray *array) {
    ShapeText shape = {"("};
    for (int i = 0; i < array->ndim; i++) {
        size_t used = strlen(shape.text);
        snprintf(shape.text + used, sizeof shape.text - used, "%s%llu", i > 0 ? ", " : "",
                 (unsigned long long)array->dim[i]);
    }
    strcat(shape.text, ")"); /* a number of 64 bits has at most 20 digits */
    return shape;
}

/* ---- putting in ---- */

void *safetensors_grow(void *list, int count, int *room, size_t size) {
    if (count < *room) {
        return list;
    }
    int more = 2 * *room + 16;
    void *larger = realloc(list, (size_t)more * size);
    if (larger != NULL) {
        *room = more;
    }
    return larger;
}

bool safetensors_add(SafeTensors *set, SafeArray array) {
    SafeArray *larger = safetensors_grow(set->array, set->count, &set->room, sizeof *larger);
    if (larger == NULL) {
        return false;
    }
    set->array = larger;
    set->array[set->count++] = array;
    set->sorted = false;
    return true;
}

/* Takes `own` over, or frees it. */
static bool put(SafeTensors *set, SafeArray array, const char *name, unsigned char *own) {
    array.name = own != NULL && safetensors_find(set, name) == NULL ? strdup(name) : NULL;
    array.own = own;
    array.bytes = own;
    if (array.name == NULL || !safetensors_add(set, array)) {
        free(array.name);
        free(own);
        return false;
    }
    return true;
}

bool safetensors_put_floats(SafeTensors *set, const char *name, int ndim, const int *dim,
                            const float *values) {
    SafeArray array = {.dtype = "F32", .ndim = ndim};
    for (int i = 0; i < ndim; i++) {
        array.dim[i] = (uint64_t)dim[i];
    }
    size_t count = safearray_count(&array);
    array.size = 4 * count;
    unsigned char *own = malloc(array.size + 1);
    for (size_t i = 0; own != NULL && i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        write_little(own + 4 * i, bits, 4);
    }
    return put(set, array, name, own);
}

bool safetensors_put_doubles(SafeTensors *set, const char *name, int count, const double *values) {
    SafeArray array = {
        .dtype = "F64", .ndim = 1, .dim = {(uint64_t)count}, .size = 8 * (size_t)count};
    unsigned char *own = malloc(array.size + 1);
    for (int i = 0; own != NULL && i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        write_little(own + 8 * i, bits, 8);
    }
    return put(set, array, name, own);
}

bool safetensors_put_bytes(SafeTensors *set, const char *name, size_t size, const void *bytes) {
    SafeArray array = {.dtype = "U8", .ndim = 1, .dim = {size}, .size = size};
    unsigned char *own = malloc(size + 1);
    if (own != NULL && size > 0) {
        memcpy(own, bytes, size);
    }
    return put(set, array, name, own);
}

bool safetensors_put_text(SafeTensors *set, const char *key, const char *value) {
    char *copy = strdup(value);
    for (int i = 0; copy != NULL && i < set->text_count; i++) {
        if (strcmp(set->text[i].key, key) == 0) {
            free(set->text[i].value);
            set->text[i].value = copy;
            return true;
        }
    }
    char *name = copy != NULL ? strdup(key) : NULL;
    SafeText *larger =
        name != NULL ? safetensors_grow(set->text, set->text_count, &set->text_room, sizeof *larger)
                     : NULL;
    if (larger == NULL) {
        free(name);
        free(copy);
        return false;
    }
    set->text = larger;
    set->text[set->text_count++] = (SafeText){name, copy};
    return true;
}

void safetensors_free(SafeTensors *set) {
    for (int i = 0; i < set->count; i++) {
        free(set->array[i].name);
        free(set->array[i].own);
    }
    for (int i = 0; i < set->text_count; i++) {
        free(set->text[i].key);
        free(set->text[i].value);
    }
    free(set->array);
    free(set->text);
    free(set->file);
    *set = (SafeTensors){0};
}
