#include "grade/tree.h"

#include "grade/folders.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Taking {
    Tree *tree;
    const char *student, *own, *to; /* own and to: NULL when only looking */
    Error *error;
} Taking;

static const char *const rooms[] = {"common", "lessons"};

static bool harmless(const char *path) {
    size_t n = strlen(path);
    if (n < 3 || n >= TREE_PATH || (strcmp(path + n - 2, ".c") && strcmp(path + n - 2, ".h"))) {
        return false;
    }
    for (const char *c = path; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && strchr("_-./", *c) == NULL) {
            return false;
        }
    }
    return strstr(path, "..") == NULL;
}

/* FNV-1a: tells a changed submission, and need not withstand anybody who wants it to be mistaken.
 */
static void mix(Tree *tree, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        tree->fingerprint = (tree->fingerprint ^ (unsigned char)bytes[i]) * 1099511628211ull;
    }
}

static void note_open_places(Tree *tree, const char *path, const char *text) {
    static const char call[] = "exercise_missing(\"";
    const int room = (int)(sizeof tree->open / sizeof *tree->open);
    int line = 1;
    const char *at = text;
    for (const char *found; (found = strstr(at, call)) != NULL && tree->opens < room;) {
        for (; at < found; at++) {
            line += *at == '\n';
        }
        at += strlen(call);
        OpenPlace *place = &tree->open[tree->opens];
        size_t n = strspn(at, "0123456789.");
        if (n > 0 && n < sizeof place->number && at[n] == '"') {
            *place = (OpenPlace){.line = line};
            memcpy(place->number, at, n);
            strcpy(place->path, path);
            tree->opens++;
        }
    }
}

static bool same_as(const char *folder, const char *path, const char *bytes, size_t size) {
    char *full = path_join(folder, path), *own = NULL;
    size_t own_size;
    Error ignored;
    bool same = file_read(full, TREE_FILE, &own, &own_size, &ignored) && own_size == size &&
                memcmp(own, bytes, size) == 0;
    free(own);
    free(full);
    return same;
}

static Source *find(Tree *tree, const char *path) {
    for (int i = 0; i < tree->sources; i++) {
        if (strcmp(tree->source[i].path, path) == 0) {
            return &tree->source[i];
        }
    }
    return NULL;
}

static Source *source_add(Tree *tree, const char *path) {
    if (tree->sources == TREE_MOST) {
        return NULL;
    }
    Source *source = &tree->source[tree->sources++];
    *source = (Source){.state = SOURCE_BROKEN};
    strcpy(source->path, path);
    snprintf(source->error, sizeof source->error, "%s is missing", path);
    return source;
}

/* The instructor's files: what has to be there. */
static bool expect(void *context, const char *path) {
    Taking *t = context;
    bool is_source = harmless(path) && path[strlen(path) - 1] == 'c';
    return !is_source || source_add(t->tree, path) != NULL ||
           error_set(t->error, "more than %d sources", TREE_MOST);
}

static bool sort_in(Taking *t, const char *path, const char *bytes, size_t size) {
    bool same = same_as(t->own, path, bytes, size);
    if (path[strlen(path) - 1] == 'h') {
        t->tree->same_headers = t->tree->same_headers && same;
    } else {
        Source *source = find(t->tree, path);
        source = source != NULL ? source : source_add(t->tree, path);
        if (source == NULL) {
            return error_set(t->error, "more than %d sources", TREE_MOST);
        }
        source->state = same ? SOURCE_SAME : SOURCE_CHANGED;
        note_open_places(t->tree, path, bytes);
    }
    char *copy = path_join(t->to, path);
    bool fine = folder_of_file_make(copy, t->error) && file_write(copy, bytes, size, t->error);
    free(copy);
    return fine;
}

static bool take_one(void *context, const char *path) {
    Taking *t = context;
    char *from, *bytes = NULL;
    size_t size;
    Error why;
    if (!harmless(path)) {
        return true;
    }
    from = path_join(t->student, path);
    bool read = file_read(from, TREE_FILE, &bytes, &size, &why), fine = true;
    free(from);
    mix(t->tree, path, strlen(path) + 1);
    if (read) {
        mix(t->tree, bytes, size);
        t->tree->bytes += size;
        fine = t->tree->bytes <= TREE_ALL ||
               error_set(t->error, "more than %d MB of sources", TREE_ALL >> 20);
        fine = fine && (t->to == NULL || sort_in(t, path, bytes, size));
    }
    free(bytes);
    return fine; /* a file that is empty or too large is as good as missing */
}

/* A header of ours that the student does not have (any more). */
static bool expect_header(void *context, const char *path) {
    Taking *t = context;
    char *own, *bytes = NULL;
    size_t size;
    if (!harmless(path) || path[strlen(path) - 1] != 'h') {
        return true;
    }
    own = path_join(t->own, path);
    bool read = file_read(own, TREE_FILE, &bytes, &size, t->error);
    t->tree->same_headers = t->tree->same_headers && read && same_as(t->to, path, bytes, size);
    free(bytes);
    free(own);
    return read;
}

static bool walk_rooms(const char *root, FolderVisit visit, Taking *t) {
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        char *room = path_join(root, rooms[i]);
        bool there = access(room, F_OK) == 0;
        free(room);
        if (!there) {
            return error_set(t->error, "there is no folder %s/%s: this is no submission", root,
                             rooms[i]);
        }
        if (!folder_walk(root, rooms[i], true, visit, t, t->error)) {
            return false;
        }
    }
    return true;
}

bool tree_take(Tree *tree, const char *student, const char *own, const char *to, Error *error) {
    *tree = (Tree){.same_headers = true, .fingerprint = 14695981039346656037ull};
    Taking t = {tree, student, own, to, error};
    return walk_rooms(own, expect, &t) && walk_rooms(student, take_one, &t) &&
           walk_rooms(own, expect_header, &t);
}

bool tree_look(Tree *tree, const char *student, Error *error) {
    *tree = (Tree){.fingerprint = 14695981039346656037ull};
    Taking t = {tree, student, NULL, NULL, error};
    return walk_rooms(student, take_one, &t);
}

const OpenPlace *tree_open_place(const Tree *tree, const char *number) {
    for (int i = 0; i < tree->opens; i++) {
        if (strcmp(tree->open[i].number, number) == 0) {
            return &tree->open[i];
        }
    }
    return NULL;
}
