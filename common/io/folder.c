#define _XOPEN_SOURCE 700 /* nftw */
#define _DEFAULT_SOURCE

#include "io/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NAMES = 100000, OPEN_FOLDERS = 16 };

/* Compares the numbers that both texts begin with; `*a` and `*b` move behind them. */
static int number_order(const char **a, const char **b) {
    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    size_t digits_a = strspn(*a, "0123456789"), digits_b = strspn(*b, "0123456789");
    int order = digits_a != digits_b ? (digits_a < digits_b ? -1 : 1) : strncmp(*a, *b, digits_a);
    *a += digits_a;
    *b += digits_b;
    return order;
}

int name_order(const char *a, const char *b) {
    const char *start_a = a, *start_b = b;
    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            int order = number_order(&a, &b);
            if (order != 0) {
                return order;
            }
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a != '\0' ? 1 : *b != '\0' ? -1 : strcmp(start_a, start_b);
}

static int by_order(const void *a, const void *b) {
    return name_order(*(char *const *)a, *(char *const *)b);
}

bool path_is(const char *path, EntryKind kind) {
    struct stat about;
    bool found = stat(path, &about) == 0;
    return found && (kind == ENTRY_FOLDER ? S_ISDIR(about.st_mode) : S_ISREG(about.st_mode));
}

/* Appends a copy of the name; false when memory runs out. */
static bool names_add(Names *names, int *room, const char *name) {
    if (names->count == *room) {
        int more = 2 * *room + 32;
        char **larger = realloc(names->name, (size_t)more * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        names->name = larger;
        *room = more;
    }
    char *copy = strdup(name);
    if (copy != NULL) {
        names->name[names->count++] = copy;
    }
    return copy != NULL;
}

/* All names of that kind, as the system gives them. */
static bool names_gather(DIR *stream, const char *folder, EntryKind kind, Names *names) {
    int room = 0;
    bool ok = true;
    struct dirent *entry;
    while (ok && (entry = readdir(stream)) != NULL) { // cppcheck-suppress readdirCalled
        char *path = entry->d_name[0] != '.' ? path_join(folder, entry->d_name) : NULL;
        if (path != NULL && path_is(path, kind)) {
            if (names->count < MOST_NAMES) {
                ok = names_add(names, &room, entry->d_name);
            } else {
                names->left_out++;
            }
        }
        free(path);
    }
    return ok;
}

bool names_read(const char *folder, EntryKind kind, int most, Names *names, Error *error) {
    *names = (Names){0};
    if (path_is(folder, ENTRY_FILE)) {
        return error_set(error, "%s: this is a file, and a folder is needed", folder);
    }
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        return error_set(error, "%s: %s", folder,
                         errno == ENOENT ? "there is no such folder" : strerror(errno));
    }
    bool ok = names_gather(stream, folder, kind, names);
    closedir(stream);
    if (!ok) {
        names_free(names);
        return error_set(error, "%s: not enough memory to list it", folder);
    }
    if (names->count > 0) {
        qsort(names->name, (size_t)names->count, sizeof *names->name, by_order);
    }
    for (; names->count > most; names->left_out++) {
        free(names->name[--names->count]);
    }
    return true;
}

void names_free(Names *names) {
    for (int i = 0; i < names->count; i++) {
        free(names->name[i]);
    }
    free(names->name);
    *names = (Names){0};
}

bool names_has(const Names *names, const char *name) {
    for (int i = 0; i < names->count; i++) {
        if (strcmp(names->name[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static int entry_remove(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    remove(path);
    return 0; /* what cannot be removed stays, and what lies beside it goes */
}

void folder_discard(const char *path) {
    nftw(path, entry_remove, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
