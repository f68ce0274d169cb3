/* Files of named arrays in the safetensors format
 * (https://github.com/huggingface/safetensors): 8 bytes with the length of the header,
 * little-endian; the header, JSON in UTF-8, which may end in blanks:
 *
 *     {"__metadata__":{"lesson":"02_bahdanau"},
 *      "encoder.w":{"dtype":"F32","shape":[64,32],"data_offsets":[0,8192]}}
 *
 * and the data, row-major and little-endian; offsets count from where it begins. Every byte of it
 * belongs to exactly one array: no overlaps, no gaps. Numbers are not looked at: they may be NaN.
 *
 * A file is not trusted. All that its header says is checked against what is there before it is
 * used, and memory is taken for what is there alone, never for what a header claims. */
#ifndef IO_SAFETENSORS_H
#define IO_SAFETENSORS_H

#include "io/file.h"

#include <stdint.h>

enum { SAFETENSORS_DIMS = 8 }; /* more are refused */

#define SAFETENSORS_HEADER_LIMIT 100000000u /* bytes, as published */
#define SAFETENSORS_FILE_LIMIT ((size_t)1 << 30)

typedef struct SafeArray {
    char *name;
    const char *dtype; /* "F32" */
    int ndim;          /* 0: a single number */
    uint64_t dim[SAFETENSORS_DIMS];
    const unsigned char *bytes; /* (size), little-endian, at any address */
    size_t size;
    unsigned char *own; /* the same when it was put here, NULL when it lies in the file's bytes */
} SafeArray;

typedef struct SafeText {
    char *key, *value;
} SafeText;

typedef struct SafeTensors {
    SafeArray *array;
    int count, room;
    SafeText *text; /* the metadata */
    int text_count, text_room;
    char *file;  /* the bytes of the file that was read, or NULL */
    bool sorted; /* by name */
} SafeTensors;

/* ---- reading ---- */

/* Reads a file of at most SAFETENSORS_FILE_LIMIT bytes; release it with safetensors_free() when the
 * result is true. Errors, in one line that names the file: those of file_read(); a header longer
 * than the file or the limit; what is no JSON, or not of the form above; a name twice; an unknown
 * dtype; a shape that does not fit its bytes or overflows; arrays beyond the end of the file, that
 * overlap, or with a gap between them or behind them. */
bool safetensors_read(const char *path, SafeTensors *set, Error *error);

/* The same from memory. `bytes` comes from malloc() and is the set's from now on, error or not;
 * `path` is for the messages. */
bool safetensors_parse(const char *path, char *bytes, size_t size, SafeTensors *set, Error *error);

/* The array of that name, or NULL. */
const SafeArray *safetensors_find(const SafeTensors *set, const char *name);

/* What the metadata has under that key, or NULL. */
const char *safetensors_text(const SafeTensors *set, const char *key);

/* The numbers of an array of dtype F32 or F64, as many as its shape says. False for another dtype.
 */
bool safearray_floats(const SafeArray *array, float *values);
bool safearray_doubles(const SafeArray *array, double *values);

/* How many numbers there are in it. */
size_t safearray_count(const SafeArray *array);

/* "(64, 32)"; "()" for a single number. */
typedef struct ShapeText {
    char text[SAFETENSORS_DIMS * 24];
} ShapeText;
ShapeText safearray_shape(const SafeArray *array);

/* ---- writing ---- */

/* Put a copy of the numbers, or bytes, under that name, which must be new. False only when there is
 * such a name already or memory runs out. An empty set is (SafeTensors){0}. */
bool safetensors_put_floats(SafeTensors *set, const char *name, int ndim, const int *dim,
                            const float *values);
bool safetensors_put_doubles(SafeTensors *set, const char *name, int count, const double *values);
bool safetensors_put_bytes(SafeTensors *set, const char *name, size_t size, const void *bytes);

/* Metadata; a key that is there already gets the new value. */
bool safetensors_put_text(SafeTensors *set, const char *key, const char *value);

/* Writes all of it, whole or not at all. The header is padded so that numbers lie at multiples of
 * their size. */
bool safetensors_write(const SafeTensors *set, const char *path, Error *error);

void safetensors_free(SafeTensors *set);

#endif
