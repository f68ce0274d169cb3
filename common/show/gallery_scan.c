#include "show/gallery_scan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int gallery_order(const char *a, const char *b) {
    const char *start_a = a, *start_b = b;
    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0");
            b += strspn(b, "0");
            size_t digits_a = strspn(a, "0123456789"), digits_b = strspn(b, "0123456789");
            int order =
                digits_a != digits_b ? (digits_a < digits_b ? -1 : 1) : strncmp(a, b, digits_a);
            if (order != 0) {
                return order;
            }
            a += digits_a;
            b += digits_b;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a != '\0' ? 1 : *b != '\0' ? -1 : strcmp(start_a, start_b);
}

static int by_name(const void *a, const void *b) {
    return gallery_order(*(char *const *)a, *(char *const *)b);
}

typedef struct Names {
    char **list;
    int count, left_out;
} Names;

static void names_free(Names *names) {
    for (int i = 0; i < names->count; i++) {
        free(names->list[i]);
    }
    free(names->list);
    *names = (Names){0};
}

static bool is_kind(const char *folder, const char *name, bool want_folder) {
    struct stat about;
    char *path = path_join(folder, name);
    bool found = path != NULL && stat(path, &about) == 0;
    free(path);
    return found && (want_folder ? S_ISDIR(about.st_mode) : S_ISREG(about.st_mode));
}

/* The first `most` names of the folders (or regular files) in a folder, sorted. */
static bool names_read(const char *folder, bool folders, int most, Names *names) {
    *names = (Names){0};
    DIR *stream = opendir(folder);
    int room = 0;
    if (stream == NULL) {
        return false;
    }
    struct dirent *entry;
    while ((entry = readdir(stream)) != NULL) { // cppcheck-suppress readdirCalled
        if (entry->d_name[0] == '.' || !is_kind(folder, entry->d_name, folders)) {
            continue;
        }
        if (names->count == room) {
            room = 2 * room + 32;
            char **larger = realloc(names->list, (size_t)room * sizeof *larger);
            if (larger == NULL) {
                break;
            }
            names->list = larger;
        }
        names->list[names->count] = strdup(entry->d_name);
        names->count += names->list[names->count] != NULL;
    }
    closedir(stream);
    if (names->count > 0) {
        qsort(names->list, (size_t)names->count, sizeof *names->list, by_name);
    }
    for (; names->count > most; names->left_out++) {
        free(names->list[--names->count]);
    }
    return true;
}

/* A run, when the folder is one: takes `path` over, or frees it. */
static void run_add(GalleryRuns *runs, const char *folder, char *path) {
    char *full = path != NULL ? path_join(folder, path) : NULL;
    Names files = {0};
    if (full != NULL && is_kind(full, "run.tsv", false)) {
        if (runs->count == GALLERY_MOST_RUNS) {
            runs->left_out++;
        } else if (names_read(full, false, GALLERY_MOST_FILES, &files)) {
            runs->runs[runs->count++] = (GalleryRun){.path = path,
                                                     .files = files.list,
                                                     .file_count = files.count,
                                                     .files_left_out = files.left_out};
            path = NULL;
        }
    }
    free(full);
    free(path);
}

bool gallery_scan(const char *folder, GalleryRuns *runs, Error *error) {
    enum { MOST_FOLDERS = 10000 };
    Names outer, inner;
    *runs = (GalleryRuns){.runs = calloc(GALLERY_MOST_RUNS, sizeof(GalleryRun))};
    if (runs->runs == NULL || !names_read(folder, true, MOST_FOLDERS, &outer)) {
        error_set(error, "%s: the folder cannot be read: %s", folder, strerror(errno));
        gallery_runs_free(runs);
        return false;
    }
    for (int i = 0; i < outer.count; i++) {
        char *path = path_join(folder, outer.list[i]);
        run_add(runs, folder, strdup(outer.list[i]));
        if (path != NULL && names_read(path, true, MOST_FOLDERS, &inner)) {
            for (int j = 0; j < inner.count; j++) {
                run_add(runs, folder, path_join(outer.list[i], inner.list[j]));
            }
            names_free(&inner);
        }
        free(path);
    }
    names_free(&outer);
    return true;
}

void gallery_runs_free(GalleryRuns *runs) {
    for (int i = 0; i < runs->count; i++) {
        Names files = {runs->runs[i].files, runs->runs[i].file_count, 0};
        names_free(&files);
        free(runs->runs[i].path);
    }
    free(runs->runs);
    *runs = (GalleryRuns){0};
}

bool gallery_has(const GalleryRun *run, const char *file) {
    for (int i = 0; i < run->file_count; i++) {
        if (strcmp(run->files[i], file) == 0) {
            return true;
        }
    }
    return false;
}
