#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/safetensors_set.h"
#include "io/utf8.h"

enum { LENGTH_BYTES = 8, SHOWN = 60, MOST = 1 << 24 /* arrays */ };

typedef struct DtypeBits {
    const char *name;
    int bits;
} DtypeBits;

int safetensors_bits(const char *name, const char **dtype) {
    static const DtypeBits known[] = {
        {"F32", 32}, {"F64", 64},    {"U8", 8},      {"F16", 16},    {"BF16", 16},
        {"BOOL", 8}, {"I8", 8},      {"I16", 16},    {"U16", 16},    {"I32", 32},
        {"U32", 32}, {"I64", 64},    {"U64", 64},    {"C64", 64},    {"F8_E4M3", 8},
        {"F4", 4},   {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, name) == 0) {
            *dtype = known[i].name;
            return known[i].bits;
        }
    }
    return 0;
}

/* What is being read, and where in the file the arrays lie. */
typedef struct Reader {
    Json json;
    Error *error;
    SafeTensors *set;
    const char *data;
    size_t data_size;
    bool metadata; /* has been read */
} Reader;

/* A name as it can be shown: names come from the file and may be of any length. */
typedef struct Shown {
    char text[4 * SHOWN + 1];
} Shown;

static Shown shown(const char *name) {
    Shown result;
    utf8_shorten(result.text, sizeof result.text, name, SHOWN, true);
    return result;
}

/* ---- one array ---- */

static bool read_shape(Reader *reader, SafeArray *array) {
    Json *json = &reader->json;
    array->ndim = 0;
    if (!json_expect(json, '[')) {
        return false;
    }
    if (json_next(json, ']')) {
        return true;
    }
    do {
        if (array->ndim == SAFETENSORS_DIMS) {
            return error_set(reader->error, "%s: more than %d dimensions", shown(array->name).text,
                             SAFETENSORS_DIMS);
        }
        if (!json_whole(json, &array->dim[array->ndim++])) {
            return false;
        }
    } while (json_next(json, ','));
    return json_expect(json, ']');
}

static bool read_dtype(Reader *reader, SafeArray *array) {
    char *name = json_string(&reader->json);
    bool known = name != NULL && safetensors_bits(name, &array->dtype) > 0;
    if (name != NULL && !known) {
        error_set(reader->error, "%s: unknown dtype \"%s\"", shown(array->name).text,
                  shown(name).text);
    }
    free(name);
    return known;
}

static bool read_offsets(Reader *reader, uint64_t offsets[2]) {
    Json *json = &reader->json;
    return json_expect(json, '[') && json_whole(json, &offsets[0]) && json_expect(json, ',') &&
           json_whole(json, &offsets[1]) && json_expect(json, ']');
}

/* Bytes that its shape asks for; false when that is no whole number of them, or more than there can
 * be. */
static bool shape_bytes(const SafeArray *array, uint64_t *bytes) {
    const char *dtype;
    uint64_t count = 1, bits = (uint64_t)safetensors_bits(array->dtype, &dtype);
    for (int i = 0; i < array->ndim; i++) {
        if (array->dim[i] == 0) {
            *bytes = 0;
            return true;
        }
    }
    for (int i = 0; i < array->ndim; i++) {
        if (count > (uint64_t)INT64_MAX / bits / array->dim[i]) {
            return false;
        }
        count *= array->dim[i];
    }
    *bytes = count * bits / 8;
    return count * bits % 8 == 0;
}

/* Do its three fields agree with each other and with the file? */
static bool check_array(const Reader *reader, SafeArray *array, const uint64_t offsets[2]) {
    Shown name = shown(array->name);
    uint64_t bytes;
    if (offsets[0] > offsets[1]) {
        return error_set(reader->error, "%s: it ends before it begins", name.text);
    }
    if (offsets[1] > reader->data_size) {
        return error_set(reader->error,
                         "%s: it ends at byte %llu of the data, of which there are %zu; the file "
                         "is cut off or damaged",
                         name.text, (unsigned long long)offsets[1], reader->data_size);
    }
    if (!shape_bytes(array, &bytes)) {
        return error_set(reader->error, "%s: no array can have the shape %s in %s", name.text,
                         safearray_shape(array).text, array->dtype);
    }
    if (bytes != offsets[1] - offsets[0]) {
        return error_set(reader->error, "%s: the shape %s in %s takes %llu bytes, not %llu",
                         name.text, safearray_shape(array).text, array->dtype,
                         (unsigned long long)bytes, (unsigned long long)(offsets[1] - offsets[0]));
    }
    array->bytes = (const unsigned char *)reader->data + offsets[0];
    array->size = (size_t)bytes;
    return true;
}

enum { DTYPE, SHAPE, OFFSETS, FIELDS };

static bool read_field(Reader *reader, SafeArray *array, int field, uint64_t offsets[2]) {
    return field == DTYPE   ? read_dtype(reader, array)
           : field == SHAPE ? read_shape(reader, array)
                            : read_offsets(reader, offsets);
}

/* Behind its name: {"dtype":..,"shape":..,"data_offsets":..} in any order. */
static bool read_array(Reader *reader, SafeArray *array) {
    static const char *const names[] = {"dtype", "shape", "data_offsets"};
    bool seen[FIELDS] = {false}, ok = json_expect(&reader->json, '{');
    uint64_t offsets[2] = {0, 0};
    while (ok && !(seen[DTYPE] && seen[SHAPE] && seen[OFFSETS])) {
        char *key = json_string(&reader->json);
        int field = 0;
        while (key != NULL && field < FIELDS && strcmp(key, names[field]) != 0) {
            field++;
        }
        ok = key != NULL && json_expect(&reader->json, ':');
        if (ok && (field == FIELDS || seen[field])) {
            ok = error_set(reader->error, "%s: \"%s\" %s", shown(array->name).text, shown(key).text,
                           field == FIELDS ? "is no part of the format" : "stands there twice");
        }
        free(key);
        ok = ok && read_field(reader, array, field, offsets);
        if (ok) {
            seen[field] = true;
            ok = (seen[DTYPE] && seen[SHAPE] && seen[OFFSETS]) || json_expect(&reader->json, ',');
        }
    }
    return ok && json_expect(&reader->json, '}') && check_array(reader, array, offsets);
}

/* ---- the header ---- */

static bool no_memory(const Reader *reader) {
    return error_set(reader->error, "not enough memory to read it");
}

static bool read_metadata(Reader *reader) {
    Json *json = &reader->json;
    SafeTensors *set = reader->set;
    if (reader->metadata) {
        return error_set(reader->error, "\"__metadata__\" stands there twice");
    }
    reader->metadata = true;
    bool ok = json_expect(json, '{');
    if (!ok || json_next(json, '}')) {
        return ok;
    }
    do {
        char *key = json_string(json);
        ok = key != NULL && json_expect(json, ':');
        char *value = ok ? json_string(json) : NULL;
        SafeText *larger = value != NULL ? safetensors_grow(set->text, set->text_count,
                                                            &set->text_room, sizeof *larger)
                                         : NULL;
        ok = larger != NULL || (value != NULL && no_memory(reader));
        if (ok) {
            set->text = larger;
            set->text[set->text_count++] = (SafeText){key, value};
        } else {
            free(key);
            free(value);
        }
    } while (ok && json_next(json, ','));
    return ok && json_expect(json, '}');
}

static bool read_entry(Reader *reader) {
    char *name = json_string(&reader->json);
    SafeArray array = {.name = name};
    bool ok = name != NULL && json_expect(&reader->json, ':');
    if (ok && strcmp(name, "__metadata__") == 0) {
        free(name);
        return read_metadata(reader);
    }
    ok = ok && read_array(reader, &array);
    ok = ok && (reader->set->count < MOST || error_set(reader->error, "too many arrays"));
    if (ok && !safetensors_add(reader->set, array)) {
        ok = no_memory(reader);
    }
    if (!ok) {
        free(name);
    }
    return ok;
}

static bool read_header(Reader *reader) {
    Json *json = &reader->json;
    bool ok = json->at < json->end && *json->at == '{' && json_expect(json, '{');
    if (!ok) {
        return error_set(reader->error, "the header does not begin with {");
    }
    if (!json_next(json, '}')) {
        do {
            ok = read_entry(reader);
        } while (ok && json_next(json, ','));
        ok = ok && json_expect(json, '}');
    }
    return ok && json_end(json);
}

/* ---- all arrays together ---- */

static int by_place(const void *a, const void *b) {
    const SafeArray *x = a, *y = b;
    if (x->bytes != y->bytes) {
        return x->bytes < y->bytes ? -1 : 1;
    }
    return (x->size > y->size) - (x->size < y->size); /* an empty one before its neighbour */
}

/* Each begins where the one before it ends, and the last ends with the file. */
static bool check_places(Reader *reader) {
    SafeTensors *set = reader->set;
    const unsigned char *at = (const unsigned char *)reader->data;
    const unsigned char *end = at + reader->data_size;
    if (set->count > 0) {
        qsort(set->array, (size_t)set->count, sizeof *set->array, by_place);
    }
    for (int i = 0; i < set->count; i++) {
        const SafeArray *array = &set->array[i];
        if (array->bytes != at) {
            return error_set(reader->error, "%s: %s", shown(array->name).text,
                             array->bytes < at ? "it overlaps with another array"
                                               : "there is a gap before it");
        }
        at += array->size;
    }
    return at == end ||
           error_set(reader->error, "%zu bytes at the end belong to no array", (size_t)(end - at));
}

static bool check_names(Reader *reader) {
    SafeTensors *set = reader->set;
    safetensors_sort(set);
    for (int i = 1; i < set->count; i++) {
        if (strcmp(set->array[i - 1].name, set->array[i].name) == 0) {
            return error_set(reader->error, "%s: two arrays have this name",
                             shown(set->array[i].name).text);
        }
    }
    return true;
}

/* Finds header and data within the bytes. */
static bool find_parts(Reader *reader, size_t size) {
    char *bytes = reader->set->file;
    uint64_t header = 0;
    if (size < LENGTH_BYTES) {
        return error_set(reader->error, "too short for a safetensors file");
    }
    for (int i = LENGTH_BYTES - 1; i >= 0; i--) {
        header = header << 8 | (unsigned char)bytes[i];
    }
    if (header > SAFETENSORS_HEADER_LIMIT) {
        return error_set(reader->error,
                         "no safetensors file: its header would have %llu bytes, the limit is %u",
                         (unsigned long long)header, SAFETENSORS_HEADER_LIMIT);
    }
    if (header > size - LENGTH_BYTES) {
        return error_set(reader->error,
                         "its header has %llu bytes and the file only %zu: it is cut off, or no "
                         "safetensors file",
                         (unsigned long long)header, size);
    }
    reader->json = json_begin(bytes + LENGTH_BYTES, (size_t)header, reader->error);
    reader->data = bytes + LENGTH_BYTES + header;
    reader->data_size = size - LENGTH_BYTES - (size_t)header;
    return true;
}

bool safetensors_parse(const char *path, char *bytes, size_t size, SafeTensors *set, Error *error) {
    *set = (SafeTensors){.file = bytes};
    Error problem = {""};
    Reader reader = {.error = &problem, .set = set};
    bool ok = find_parts(&reader, size) && read_header(&reader) && check_places(&reader) &&
              check_names(&reader);
    if (!ok) {
        safetensors_free(set);
        error_set(error, "%s: %s", path, problem.text);
    }
    return ok;
}

bool safetensors_read(const char *path, SafeTensors *set, Error *error) {
    char *bytes;
    size_t size;
    *set = (SafeTensors){0};
    return file_read(path, SAFETENSORS_FILE_LIMIT, &bytes, &size, error) &&
           safetensors_parse(path, bytes, size, set, error);
}
