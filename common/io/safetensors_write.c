#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/safetensors_set.h"

/* Arrays of large numbers come first: then all of them lie at multiples of their size. */
static const int orders[] = {64, 32, 16, 8};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static bool has_turn(const SafeArray *array, int bits) {
    const char *dtype;
    return safetensors_bits(array->dtype, &dtype) == bits;
}

static void put_metadata(FILE *out, const SafeTensors *set) {
    fputs("\"__metadata__\":{", out);
    for (int i = 0; i < set->text_count; i++) {
        fputs(i > 0 ? "," : "", out);
        json_put_string(out, set->text[i].key);
        putc(':', out);
        json_put_string(out, set->text[i].value);
    }
    putc('}', out);
}

static void put_array(FILE *out, const SafeArray *array, size_t offset) {
    json_put_string(out, array->name);
    fprintf(out, ":{\"dtype\":\"%s\",\"shape\":[", array->dtype);
    for (int i = 0; i < array->ndim; i++) {
        fprintf(out, "%s%llu", i > 0 ? "," : "", (unsigned long long)array->dim[i]);
    }
    fprintf(out, "],\"data_offsets\":[%zu,%zu]}", offset, offset + array->size);
}

/* The header in memory of its own, or NULL. */
static char *header_text(const SafeTensors *set, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (out == NULL) {
        return NULL;
    }
    putc('{', out);
    bool first = set->text_count == 0;
    if (!first) {
        put_metadata(out, set);
    }
    size_t offset = 0;
    for (int k = 0; k < ORDERS; k++) {
        for (int i = 0; i < set->count; i++) {
            if (has_turn(&set->array[i], orders[k])) {
                fputs(first ? "" : ",", out);
                put_array(out, &set->array[i], offset);
                offset += set->array[i].size;
                first = false;
            }
        }
    }
    putc('}', out);
    for (long at = ftell(out); at % 8 != 0; at++) {
        putc(' ', out);
    }
    if (fclose(out) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

bool safetensors_write(const SafeTensors *set, const char *path, Error *error) {
    size_t size = 0;
    char *header = header_text(set, &size);
    if (header == NULL) {
        return error_set(error, "%s: not enough memory to write it", path);
    }
    if (size > SAFETENSORS_HEADER_LIMIT) {
        free(header);
        return error_set(error, "%s: the header would be larger than the format allows", path);
    }
    AtomicFile file;
    FILE *out = atomic_open(&file, path, error);
    if (out != NULL) {
        for (int i = 0; i < 8; i++) {
            putc((int)((uint64_t)size >> (8 * i) & 0xFF), out);
        }
        fwrite(header, 1, size, out);
        for (int k = 0; k < ORDERS; k++) {
            for (int i = 0; i < set->count; i++) {
                if (has_turn(&set->array[i], orders[k]) && set->array[i].size > 0) {
                    fwrite(set->array[i].bytes, 1, set->array[i].size, out);
                }
            }
        }
    }
    free(header);
    return out != NULL && atomic_commit(&file, error);
}
