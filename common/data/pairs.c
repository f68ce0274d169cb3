#include "data/pairs.h"

#include "core/check.h"
#include "data/text.h"
#include "io/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PairsOptions pairs_defaults(void) {
    return (PairsOptions){
        .max_words = 12, .max_vocab = 4000, .min_count = 2, .held_out = 0.1, .seed = 1};
}

/* ---- the report ---- */

static void append(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t room, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, room - used, format, arguments);
    va_end(arguments);
}

/* "3 without a tab (first: line 17), 1 not UTF-8 (line 40)" */
static void append_reasons(char *text, size_t room, const PairsReport *report) {
    static const char *const reason[PAIRS_SKIP_REASONS] = {
        [PAIRS_NO_TAB] = "without a tab",
        [PAIRS_EMPTY_SIDE] = "with an empty side",
        [PAIRS_NOT_UTF8] = "not UTF-8",
        [PAIRS_FIELD_LONG] = "with a field over 4000 bytes",
        [PAIRS_MANY_WORDS] = "with too many words",
        [PAIRS_DUPLICATE] = "repeated",
        [PAIRS_OVER_LIMIT] = "beyond the number of pairs asked for",
    };
    const char *separator = "";
    for (int i = 0; i < PAIRS_SKIP_REASONS; i++) {
        if (report->skip[i] > 0) {
            append(text, room, "%s%ld %s (%sline %ld)", separator, report->skip[i], reason[i],
                   report->skip[i] > 1 ? "first: " : "", report->first[i]);
            separator = ", ";
        }
    }
}

static long skipped(const PairsReport *report) {
    long sum = 0;
    for (int i = 0; i < PAIRS_SKIP_REASONS; i++) {
        sum += report->skip[i];
    }
    return sum;
}

static const char *plural(long count) {
    return count == 1 ? "" : "s";
}

char *pairs_report_text(const char *path, const PairsReport *report) {
    size_t room = strlen(path) + 1024;
    char *text = check_alloc(room);
    append(text, room, "%s: %ld line%s, %ld pair%s", path, report->lines, plural(report->lines),
           report->pairs, plural(report->pairs));
    if (report->empty > 0) {
        append(text, room, ", %ld empty line%s", report->empty, plural(report->empty));
    }
    if (skipped(report) > 0) {
        append(text, room, "; skipped %ld: ", skipped(report));
        append_reasons(text, room, report);
    }
    return text;
}

/* ---- reading ---- */

/* A stretch of the file. */
typedef struct Field {
    const char *bytes;
    size_t size;
} Field;

typedef struct Reader {
    const PairsOptions *options;
    PairList *list;
    int room;
    PairsReport *report;
    TokenCounts *seen; /* "source<TAB>target" of every pair so far */
} Reader;

static void skip_line(Reader *reader, PairsSkip reason) {
    if (reader->report->skip[reason]++ == 0) {
        reader->report->first[reason] = reader->report->lines;
    }
}

static bool is_blank(Field field) {
    for (size_t i = 0; i < field.size; i++) {
        if ((unsigned char)field.bytes[i] > ' ') {
            return false;
        }
    }
    return true;
}

static char *tokenise_field(Field field) {
    char *copy = check_alloc(field.size + 1);
    memcpy(copy, field.bytes, field.size);
    char *tokens = text_tokenise(copy);
    free(copy);
    return tokens;
}

static bool has_too_many_words(const Reader *reader, const char *tokens) {
    return reader->options->max_words > 0 &&
           vocab_count(VOCAB_WORDS, tokens) > reader->options->max_words;
}

/* Has this very pair been seen? If not, it has been from now on. */
static bool was_seen(Reader *reader, const char *source, const char *target) {
    size_t size = strlen(source) + strlen(target) + 2;
    char *key = check_alloc(size);
    snprintf(key, size, "%s\t%s", source, target);
    bool seen = token_counts_of(reader->seen, key) > 0;
    token_counts_add(reader->seen, key, size - 1, 1);
    free(key);
    return seen;
}

static void keep_pair(Reader *reader, char *source, char *target) {
    PairList *list = reader->list;
    if (list->count == reader->room) {
        int room = reader->room > 0 ? 2 * reader->room : 256;
        Pair *pair = check_alloc((size_t)room * sizeof *pair);
        if (list->count > 0) {
            memcpy(pair, list->pair, (size_t)list->count * sizeof *pair);
        }
        free(list->pair);
        list->pair = pair;
        reader->room = room;
    }
    list->pair[list->count++] = (Pair){source, target, reader->report->lines};
    reader->report->pairs++;
}

/* Tokenises the two fields and keeps them as a pair or says why not. */
static void read_fields(Reader *reader, Field source_field, Field target_field, bool attributed) {
    char *source = tokenise_field(source_field);
    char *target = tokenise_field(target_field);
    int reason = -1;
    if (source[0] == '\0' || target[0] == '\0') {
        reason = PAIRS_EMPTY_SIDE;
    } else if (has_too_many_words(reader, source) || has_too_many_words(reader, target)) {
        reason = PAIRS_MANY_WORDS;
    } else if (was_seen(reader, source, target)) {
        reason = PAIRS_DUPLICATE;
    }
    if (reason >= 0) {
        skip_line(reader, (PairsSkip)reason);
        free(source);
        free(target);
        return;
    }
    keep_pair(reader, source, target);
    reader->report->attributed += attributed;
}

/* One line without its end. */
static void read_line(Reader *reader, Field line) {
    const char *end = line.bytes + line.size;
    const char *tab = memchr(line.bytes, '\t', line.size);
    reader->report->lines++;
    if (tab == NULL && is_blank(line)) {
        reader->report->empty++;
        return;
    }
    if (reader->options->max_pairs > 0 && reader->list->count >= reader->options->max_pairs) {
        skip_line(reader, PAIRS_OVER_LIMIT);
        return;
    }
    if (!utf8_valid(line.bytes, line.size, NULL) || memchr(line.bytes, '\0', line.size) != NULL) {
        skip_line(reader, PAIRS_NOT_UTF8);
        return;
    }
    if (tab == NULL) {
        skip_line(reader, PAIRS_NO_TAB);
        return;
    }
    Field source = {line.bytes, (size_t)(tab - line.bytes)};
    const char *second = memchr(tab + 1, '\t', (size_t)(end - tab - 1));
    Field target = {tab + 1, (size_t)((second != NULL ? second : end) - tab - 1)};
    if (source.size > PAIRS_FIELD_LIMIT || target.size > PAIRS_FIELD_LIMIT) {
        skip_line(reader, PAIRS_FIELD_LONG);
        return;
    }
    read_fields(reader, source, target, second != NULL);
}

/* Cuts the file into lines that end in LF, CR LF or CR. */
static void read_lines(Reader *reader, const char *bytes, size_t size) {
    size_t at = 0;
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        reader->report->bom = true;
        at = 3;
    }
    while (at < size) {
        size_t end = at;
        while (end < size && bytes[end] != '\n' && bytes[end] != '\r') {
            end++;
        }
        read_line(reader, (Field){bytes + at, end - at});
        if (end + 1 < size && bytes[end] == '\r' && bytes[end + 1] == '\n') {
            reader->report->crlf = true;
            end++;
        }
        at = end + 1;
    }
}

static void set_nothing_usable(Error *error, const char *path, const char *bytes, size_t size,
                               const PairsReport *report) {
    if (size >= 2 && (memcmp(bytes, "\xFF\xFE", 2) == 0 || memcmp(bytes, "\xFE\xFF", 2) == 0)) {
        error_set(error, "%s: line 1: this looks like UTF-16; save the file as UTF-8", path);
        return;
    }
    char reasons[400] = "";
    append_reasons(reasons, sizeof reasons, report);
    error_set(error, "%s: no usable pair on its %ld line%s%s%s; a line reads source<TAB>target",
              path, report->lines, plural(report->lines), reasons[0] != '\0' ? ": " : "", reasons);
}

bool pairs_read(const char *path, const PairsOptions *options, PairList *list, PairsReport *report,
                Error *error) {
    PairsReport own;
    report = report != NULL ? report : &own;
    *report = (PairsReport){0};
    *list = (PairList){0};
    char *bytes;
    size_t size;
    if (!file_read(path, TEXT_LIMIT, &bytes, &size, error)) {
        return false;
    }
    Reader reader = {options, list, 0, report, token_counts_new()};
    read_lines(&reader, bytes, size);
    token_counts_free(reader.seen);
    if (list->count == 0) {
        set_nothing_usable(error, path, bytes, size, report);
    }
    free(bytes);
    return list->count > 0;
}

void pairs_free(PairList *list) {
    for (int i = 0; i < list->count; i++) {
        free(list->pair[i].source);
        free(list->pair[i].target);
    }
    free(list->pair);
    *list = (PairList){0};
}
