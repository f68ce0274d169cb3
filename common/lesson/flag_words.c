#include "lesson/flag_words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"

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

char **flag_words(const char *flags, int *count) {
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
