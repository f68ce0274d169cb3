#include "lesson/record_read.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"

enum { LIMIT = 1 << 20 };

/* \t, \n, \r and \\ in place. */
static void unescape(char *text) {
    char *out = text;
    for (const char *at = text; *at; at++) {
        const char *known = *at == '\\' && at[1] ? strchr("tnr\\", at[1]) : NULL;
        if (known != NULL) {
            *out++ = "\t\n\r\\"[known - "tnr\\"];
            at++;
        } else {
            *out++ = *at;
        }
    }
    *out = '\0';
}

static bool split_lines(Record *record) {
    char *rest = record->text, *line;
    int room = 1;
    for (const char *at = rest; *at; at++) {
        room += *at == '\n';
    }
    record->line = check_alloc((size_t)room * sizeof *record->line);
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *tab = strchr(line, '\t');
        if (*line == '\0') {
            continue;
        }
        if (tab == NULL) {
            return false;
        }
        *tab = '\0';
        unescape(tab + 1);
        record->line[record->count++] = (RecordLine){line, tab + 1};
    }
    return record->count > 0;
}

bool record_read(const char *folder, Record *record, Error *error) {
    Error problem = {""};
    size_t size = 0;
    *record = (Record){0};
    char *path = path_join(folder, "run.tsv");
    CHECK(path != NULL, "out of memory");
    bool ok = file_read(path, LIMIT, &record->text, &size, &problem);
    if (!ok) {
        error_set(error, "%s: no folder of a run: %s", folder, problem.text);
    } else if (strlen(record->text) != size || !split_lines(record)) {
        ok = error_set(error,
                       "%s: no folder of a run: its run.tsv has other lines than key, tab, "
                       "value",
                       folder);
        record_free(record);
    }
    free(path);
    return ok;
}

void record_free(Record *record) {
    free(record->text);
    free(record->line);
    *record = (Record){0};
}

const char *record_value(const Record *record, const char *key) {
    for (int i = 0; i < record->count; i++) {
        if (strcmp(record->line[i].key, key) == 0) {
            return record->line[i].value;
        }
    }
    return NULL;
}

/* The next word of *flags, copied to `word`; false at the end, or (*flags becomes NULL) where a
 * quote does not end. */
static bool next_word(const char **flags, char *word) {
    const char *at = *flags + strspn(*flags, " ");
    bool quoted = false, any = false;
    for (; *at && (quoted || *at != ' '); at++) {
        any = true;
        if (*at == '\'') {
            quoted = !quoted;
        } else if (*at == '\\' && !quoted && at[1]) {
            *word++ = *++at;
        } else {
            *word++ = *at;
        }
    }
    *word = '\0';
    *flags = quoted ? NULL : at;
    return any && !quoted;
}

char **record_words(const char *flags, int *count) {
    size_t length = strlen(flags);
    char **words = check_alloc((length + 2) * sizeof *words), *word = check_alloc(length + 1);
    *count = 0;
    const char *at = strcmp(flags, "-") == 0 ? "" : flags;
    while (next_word(&at, word)) {
        words[*count] = strdup(word);
        CHECK(words[*count] != NULL, "out of memory");
        ++*count;
    }
    free(word);
    if (at == NULL) {
        while (*count > 0) {
            free(words[--*count]);
        }
        free(words);
        return NULL;
    }
    return words;
}
