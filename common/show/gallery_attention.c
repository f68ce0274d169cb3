#include "show/gallery_attention.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/tsv.h"
#include "show/escape.h"

enum { COLUMNS = 8, UNNAMED = COLUMNS - 1 /* of files without names */ };

/* One line of the file. */
typedef struct Entry {
    int layer, head, query, key;
    char *query_token, *key_token, *name;
    double weight;
} Entry;

/* Where the reading is. */
typedef struct Reader {
    Attention *attention;
    long room;        /* for weights */
    AttentionMap map; /* that is being read */
    double kept[ATTENTION_SIDE * ATTENTION_SIDE];
    int query, key; /* of its last line */
    bool begun;     /* there is such a map */
    bool first_row; /* of which the number of keys is not known yet */
} Reader;

static bool whole_read(const char *text, int *value) {
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    *value = (int)number;
    return errno == 0 && end != text && *end == '\0' && number >= 0 && number < 1000000;
}

static bool entry_read(Entry *entry, char **cells, int columns) {
    static char unnamed[] = "";
    char *end;
    if (!whole_read(cells[0], &entry->layer) || !whole_read(cells[1], &entry->head) ||
        !whole_read(cells[2], &entry->query) || !whole_read(cells[3], &entry->key)) {
        return false;
    }
    entry->query_token = cells[4];
    entry->key_token = cells[5];
    entry->name = columns == COLUMNS ? cells[UNNAMED] : unnamed;
    entry->weight = strtod(cells[6], &end);
    return end != cells[6] && *end == '\0';
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static bool same_tokens(char *const *a, char *const *b, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(a[i], b[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* The group of a map: that of an earlier one with the same tokens, or a new one. */
static int text_of(const Attention *attention, const AttentionMap *map) {
    for (int i = 0; i < attention->count; i++) {
        const AttentionMap *other = &attention->maps[i];
        if (strcmp(other->name, map->name) == 0 && other->queries == map->queries &&
            other->keys == map->keys && same_tokens(other->query, map->query, map->kept_queries) &&
            same_tokens(other->key, map->key, map->kept_keys)) {
            return other->text;
        }
    }
    return attention->texts;
}

/* Copies the weights of the map out of the reader's square; false when there is no memory. */
static bool weights_keep(AttentionMap *map, const double *kept) {
    size_t row = (size_t)map->kept_keys;
    map->weights = malloc(row * (size_t)map->kept_queries * sizeof *map->weights);
    for (int q = 0; map->weights != NULL && q < map->kept_queries; q++) {
        memcpy(map->weights + (size_t)q * row, kept + q * ATTENTION_SIDE, row * sizeof *kept);
    }
    return map->weights != NULL;
}

/* Ends the map, if there is one: a last row that is not whole goes; where there is no room, all. */
static void map_end(Reader *reader) {
    Attention *attention = reader->attention;
    AttentionMap *map = &reader->map;
    if (!reader->begun) {
        return;
    }
    reader->begun = false;
    map->keys = reader->first_row ? reader->key + 1 : map->keys;
    map->queries = reader->query + (reader->key + 1 == map->keys);
    map->kept_keys = smaller(map->keys, ATTENTION_SIDE);
    map->kept_queries = smaller(map->queries, ATTENTION_SIDE);
    long size = (long)map->kept_keys * map->kept_queries;
    if (attention->count == ATTENTION_MAPS || attention->weights + size > reader->room ||
        !weights_keep(map, reader->kept)) {
        attention->maps_left_out++;
        return;
    }
    map->text = text_of(attention, map);
    attention->texts += map->text == attention->texts;
    attention->weights += size;
    attention->maps[attention->count++] = *map;
}

/* Does the line belong where we are? Begins a new map or a new row when it must. */
static bool entry_follows(Reader *reader, const Entry *entry) {
    AttentionMap *map = &reader->map;
    if (entry->query == 0 && entry->key == 0) {
        map_end(reader);
        *map = (AttentionMap){.layer = entry->layer, .head = entry->head, .name = entry->name};
        reader->begun = reader->first_row = true;
        return true;
    }
    if (!reader->begun || entry->layer != map->layer || entry->head != map->head) {
        return false;
    }
    if (entry->query == reader->query && entry->key == reader->key + 1) {
        return reader->first_row || entry->key < map->keys;
    }
    if (entry->query != reader->query + 1 || entry->key != 0) {
        return false;
    }
    map->keys = reader->first_row ? reader->key + 1 : map->keys;
    reader->first_row = false;
    return reader->key + 1 == map->keys;
}

static void entry_take(Reader *reader, const Entry *entry) {
    AttentionMap *map = &reader->map;
    if (!entry_follows(reader, entry)) {
        reader->attention->bad_lines++;
        return;
    }
    reader->query = entry->query;
    reader->key = entry->key;
    if (entry->query < ATTENTION_SIDE && entry->key == 0) {
        map->query[entry->query] = entry->query_token;
    }
    if (entry->key < ATTENTION_SIDE && entry->query == 0) {
        map->key[entry->key] = entry->key_token;
    }
    if (entry->query < ATTENTION_SIDE && entry->key < ATTENTION_SIDE) {
        reader->kept[entry->query * ATTENTION_SIDE + entry->key] = entry->weight;
    }
}

/* How many columns the first line announces; 0 when it is no attention.tsv's. */
static int header_read(char **text) {
    static const char *const names[COLUMNS] = {"layer",       "head",      "query",  "key",
                                               "query_token", "key_token", "weight", "map"};
    char *cells[COLUMNS + 1];
    int count = tsv_next(text, cells, COLUMNS + 1);
    bool known = count == COLUMNS || count == UNNAMED;
    for (int i = 0; known && i < count; i++) {
        known = strcmp(cells[i], names[i]) == 0;
    }
    return known ? count : 0;
}

bool attention_read(Attention *attention, const char *path, long room, Error *error) {
    size_t size;
    *attention = (Attention){0};
    if (!file_read(path, ATTENTION_FILE, &attention->bytes, &size, error)) {
        return false;
    }
    bool whole = strlen(attention->bytes) == size;
    char *text = attention->bytes, *cells[COLUMNS + 1];
    int columns = whole ? header_read(&text) : 0;
    if (columns == 0) {
        attention_free(attention);
        return error_set(error, "%s: %s", path,
                         whole ? "its first line is not that of an attention.tsv"
                               : "this is no table: it has a zero byte in it");
    }
    attention->maps = malloc(ATTENTION_MAPS * sizeof *attention->maps);
    Reader *reader = malloc(sizeof *reader);
    if (attention->maps == NULL || reader == NULL) {
        free(reader);
        attention_free(attention);
        return error_set(error, "%s: not enough memory to read it", path);
    }
    *reader = (Reader){.attention = attention, .room = smaller(ATTENTION_WEIGHTS, (int)room)};
    for (int count; (count = tsv_next(&text, cells, COLUMNS + 1)) >= 0;) {
        Entry entry;
        if (count == columns && entry_read(&entry, cells, columns)) {
            entry_take(reader, &entry);
        } else {
            attention->bad_lines += count > 0;
        }
    }
    map_end(reader);
    free(reader);
    return true;
}

void attention_free(Attention *attention) {
    for (int i = 0; i < attention->count; i++) {
        free(attention->maps[i].weights);
    }
    free(attention->maps);
    free(attention->bytes);
    *attention = (Attention){0};
}

/* ---- for the page ---- */

static void tokens_put(FILE *out, const char *name, char *const *tokens, int count) {
    fprintf(out, "\"%s\":[", name);
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", out);
        json_put(out, tokens[i]);
    }
    fputs("],", out);
}

static void weight_put(FILE *out, double weight) {
    double parts = weight * ATTENTION_PLACES;
    if (isnan(weight)) {
        putc('n', out);
    } else if (fabs(parts) > ATTENTION_MOST) {
        fprintf(out, "%d", parts > 0 ? ATTENTION_MOST : -ATTENTION_MOST);
    } else if (lround(parts) != 0) {
        fprintf(out, "%ld", lround(parts));
    }
}

static void map_put(FILE *out, const AttentionMap *map) {
    fprintf(out, "{\"l\":%d,\"h\":%d,\"w\":\"", map->layer, map->head);
    for (int i = 0; i < map->kept_queries * map->kept_keys; i++) {
        fputs(i > 0 ? "," : "", out);
        weight_put(out, map->weights[i]);
    }
    fputs("\"}", out);
}

void attention_json(FILE *out, const Attention *attention) {
    fputs("{\"texts\":[", out);
    for (int text = 0; text < attention->texts; text++) {
        bool first = true;
        for (int i = 0; i < attention->count; i++) {
            const AttentionMap *map = &attention->maps[i];
            if (map->text == text && first) {
                fputs(text > 0 ? ",\n{\"n\":" : "\n{\"n\":", out);
                json_put(out, map->name);
                putc(',', out);
                tokens_put(out, "q", map->query, map->kept_queries);
                tokens_put(out, "k", map->key, map->kept_keys);
                fprintf(out, "\"full\":[%d,%d],\"maps\":[", map->queries, map->keys);
            }
            if (map->text == text) {
                fputs(first ? "\n" : ",\n", out);
                map_put(out, map);
                first = false;
            }
        }
        fputs("]}", out);
    }
    fputs("]}", out);
}
