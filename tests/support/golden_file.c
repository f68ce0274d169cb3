#include "support/golden_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of the text one by one, with the line each stands on. */
typedef struct Reader {
    const char *file;
    char *text, *at;
    size_t size;
    char *word; /* the current one; NULL at the end */
    int line;   /* of the current word */
    char cut;   /* the character behind it, for which a NUL stands now */
    GoldenError *error;
} Reader;

__attribute__((format(printf, 2, 3))) static bool reject(Reader *r, const char *format, ...) {
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(r->error->text, sizeof r->error->text, "%s: line %d: %s", r->file, r->line, what);
    return false;
}

static void next_word(Reader *r) {
    if (r->cut) { /* what ended the word before this one */
        r->line += r->cut == '\n';
        r->cut = '\0';
        r->at++;
    }
    for (; isspace((unsigned char)*r->at); r->at++) {
        r->line += *r->at == '\n';
    }
    r->word = *r->at != '\0' ? r->at : NULL;
    while (*r->at != '\0' && !isspace((unsigned char)*r->at)) {
        r->at++;
    }
    r->cut = *r->at;
    *r->at = '\0';
}

static bool is_word(const Reader *r, const char *word) {
    return r->word != NULL && strcmp(r->word, word) == 0;
}

/* Moves on to the next word, which is a name, and copies it. */
static bool read_name(Reader *r, const char *what, char *name) {
    next_word(r);
    if (r->word == NULL) {
        return reject(r, "the file ends where a %s should be", what);
    }
    if (strlen(r->word) >= GOLDEN_NAME) {
        return reject(r, "a %s of %zu characters; the most is %d", what, strlen(r->word),
                      GOLDEN_NAME - 1);
    }
    strcpy(name, r->word);
    return true;
}

static bool read_whole(Reader *r, const char *tensor, const char *what, long most, int *number) {
    char *end;
    next_word(r);
    long value = r->word != NULL ? strtol(r->word, &end, 10) : 0;
    if (r->word == NULL || *end != '\0' || value < 1 || value > most) {
        return reject(r, "tensor %s: the %s is '%s'; allowed are 1 to %ld", tensor, what,
                      r->word != NULL ? r->word : "", most);
    }
    *number = (int)value;
    return true;
}

static bool read_values(Reader *r, GoldenTensor *t) {
    if (t->size > r->size) { /* every number takes two characters at least */
        return reject(r, "tensor %s: %zu values are more than the file holds", t->name, t->size);
    }
    t->values = malloc(t->size * sizeof *t->values);
    if (t->values == NULL) {
        return reject(r, "tensor %s: no memory for %zu values", t->name, t->size);
    }
    for (size_t i = 0; i < t->size; i++) {
        char *end = NULL;
        next_word(r);
        if (r->word == NULL || is_word(r, "tensor")) {
            return reject(r, "tensor %s: %zu values, but the shape needs %zu", t->name, i, t->size);
        }
        t->values[i] = strtod(r->word, &end);
        if (*end != '\0' || !isfinite(t->values[i])) {
            return reject(r, "tensor %s: value %zu is '%.40s', which is no finite number", t->name,
                          i, r->word);
        }
    }
    return true;
}

static bool has_prefix(const char *name) {
    static const char *const prefixes[] = {"in.", "out.", "cot.", "grad."};
    for (int i = 0; i < 4; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_tensor(Reader *r, Golden *golden) {
    if (golden->tensor_count == GOLDEN_MAX_TENSORS) {
        return reject(r, "more than %d tensors", GOLDEN_MAX_TENSORS);
    }
    GoldenTensor *t = &golden->tensors[golden->tensor_count];
    if (!read_name(r, "name of a tensor", t->name)) {
        return false;
    }
    if (!has_prefix(t->name)) {
        return reject(r, "tensor %s: a name begins with in. out. cot. or grad.", t->name);
    }
    if (golden_find(golden, t->name) != NULL) {
        return reject(r, "tensor %s is there twice", t->name);
    }
    golden->tensor_count++;
    if (!read_whole(r, t->name, "number of dimensions", TENSOR_MAX_DIMS, &t->ndim)) {
        return false;
    }
    t->size = 1;
    for (int i = 0; i < t->ndim; i++) {
        if (!read_whole(r, t->name, "dimension", 1000000, &t->dim[i])) {
            return false;
        }
        t->size *= (size_t)t->dim[i];
        if (t->size > r->size) {
            return reject(r, "tensor %s: its values are more than the file holds", t->name);
        }
    }
    return read_values(r, t);
}

static bool read_attr(Reader *r, Golden *golden) {
    if (golden->attr_count == GOLDEN_MAX_ATTRS) {
        return reject(r, "more than %d attrs", GOLDEN_MAX_ATTRS);
    }
    GoldenAttr *attr = &golden->attrs[golden->attr_count++];
    return read_name(r, "key", attr->key) && read_name(r, "value", attr->value);
}

static bool read_all(Reader *r, Golden *golden) {
    char word[GOLDEN_NAME];
    next_word(r);
    if (!is_word(r, "gold")) {
        return reject(r, "the file must begin with 'gold 1'");
    }
    if (!read_name(r, "version", word)) {
        return false;
    }
    if (strcmp(word, "1") != 0) {
        return reject(r, "version '%s'; this program reads version 1", word);
    }
    next_word(r);
    if (!is_word(r, "kind")) {
        return reject(r, "'kind NAME' must follow");
    }
    if (!read_name(r, "kind", golden->kind)) {
        return false;
    }
    for (next_word(r); r->word != NULL; next_word(r)) {
        if (is_word(r, "tensor") ? !read_tensor(r, golden)
            : is_word(r, "attr")
                ? !read_attr(r, golden)
                : !reject(r, "'%.40s' where 'tensor' or 'attr' should be", r->word)) {
            return false;
        }
    }
    return golden->tensor_count > 0 || reject(r, "there is no tensor in it");
}

/* The whole file as text with a NUL behind it, or NULL with `error` filled. */
static char *read_text(const char *path, const char *file, size_t *size, GoldenError *error) {
    enum { LIMIT = 16 << 20 };
    FILE *stream = fopen(path, "rb");
    char *text = malloc(LIMIT);
    const char *wrong = stream == NULL || text == NULL ? strerror(errno) : NULL;
    if (wrong == NULL) {
        *size = fread(text, 1, LIMIT - 1, stream);
        text[*size] = '\0';
        wrong = ferror(stream)                   ? strerror(errno)
                : *size == LIMIT - 1             ? "it is larger than 16 MB"
                : memchr(text, 0, *size) != NULL ? "it holds a zero byte and is no text"
                                                 : NULL;
    }
    if (stream != NULL) {
        fclose(stream);
    }
    if (wrong != NULL) {
        snprintf(error->text, sizeof error->text, "%s: %s", file, wrong);
        free(text);
        return NULL;
    }
    return text;
}

Golden *golden_read(const char *path, GoldenError *error) {
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    Reader r = {.file = file, .line = 1, .error = error};
    r.text = r.at = read_text(path, file, &r.size, error);
    if (r.text == NULL) {
        return NULL;
    }
    Golden *golden = calloc(1, sizeof *golden);
    bool good = golden != NULL ? read_all(&r, golden) : reject(&r, "no memory");
    free(r.text);
    if (!good) {
        golden_free(golden);
        return NULL;
    }
    snprintf(golden->file, sizeof golden->file, "%s", file);
    return golden;
}

void golden_free(Golden *golden) {
    for (int i = 0; golden != NULL && i < golden->tensor_count; i++) {
        free(golden->tensors[i].values);
    }
    free(golden);
}

const GoldenTensor *golden_find(const Golden *golden, const char *name) {
    for (int i = 0; i < golden->tensor_count; i++) {
        if (strcmp(golden->tensors[i].name, name) == 0) {
            return &golden->tensors[i];
        }
    }
    return NULL;
}

const char *golden_attr(const Golden *golden, const char *key) {
    for (int i = 0; i < golden->attr_count; i++) {
        if (strcmp(golden->attrs[i].key, key) == 0) {
            return golden->attrs[i].value;
        }
    }
    return NULL;
}
