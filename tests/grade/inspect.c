#define _GNU_SOURCE /* strcasestr */
#include "grade/inspect.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPENDS_FILE = 1 << 20, ASSEMBLER_FILE = 48 << 20 };

/* One line of somebody else's text: printable, and no longer than there is room. */
static void show_line(const char *text, char *out, size_t size) {
    size_t n = 0;
    for (; text[n] != '\0' && text[n] != '\n' && n + 1 < size; n++) {
        unsigned char c = (unsigned char)text[n];
        out[n] = (char)(isprint(c) ? c : '?');
    }
    out[n] = '\0';
}

void inspect_first_error(const char *said, const char *ended, char *why, size_t size) {
    if (ended != NULL) {
        snprintf(why, size, "the compiler was stopped: %s", ended);
        return;
    }
    const char *at = strstr(said, "error: ");
    at = at != NULL ? at : strstr(said, "Error: ");
    at = at != NULL ? at : said;
    while (at > said && at[-1] != '\n') {
        at--;
    }
    show_line(at, why, size);
    if (why[0] == '\0') {
        snprintf(why, size, "the compiler failed and said nothing");
    }
}

static bool below(const char *path, const char *folder) {
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

static bool may_be_read(const char *name, const InspectFolders *folders) {
    char full[4096], resolved[4096], tree[1024];
    snprintf(tree, sizeof tree, "%.900s/tree", folders->tree);
    snprintf(full, sizeof full, "%s%s%s", name[0] == '/' ? "" : tree, name[0] == '/' ? "" : "/",
             name);
    if (realpath(full, resolved) == NULL) {
        return false;
    }
    char *real_tree = realpath(tree, NULL);
    bool may = real_tree != NULL && below(resolved, real_tree);
    free(real_tree);
    for (int i = 0; i < folders->systems; i++) {
        may = may || below(resolved, folders->system[i]);
    }
    return may;
}

bool inspect_depends(const char *path, const InspectFolders *folders, const char *source, char *why,
                     size_t size) {
    char *text = NULL, *at;
    size_t bytes;
    Error error;
    if (!file_read(path, DEPENDS_FILE, &text, &bytes, &error)) {
        snprintf(why, size, "%s: nobody knows what it includes", source);
        return false;
    }
    at = strchr(text, ':'); /* behind "object:" */
    at = at != NULL ? at + 1 : text;
    bool fine = true;
    for (char *word; fine && (word = strsep(&at, " \n")) != NULL;) {
        fine = word[0] == '\0' || strcmp(word, "\\") == 0 || may_be_read(word, folders);
        if (!fine) {
            char name[200];
            show_line(word, name, sizeof name);
            snprintf(why, size, "%s: error: it includes %s, which is not part of the project",
                     source, name);
        }
    }
    free(text);
    return fine;
}

bool inspect_assembler(const char *path, const char *source, char *why, size_t size) {
    static const char *const forbidden[] = {".incbin",  ".include",       ".macro",     ".irp",
                                            ".rept",    ".altmacro",      ".mri",       ".gnu.lto",
                                            ".deplibs", "llvm_dependent", "llvm_linker"};
    char *text = NULL;
    size_t bytes;
    Error error;
    if (!file_read(path, ASSEMBLER_FILE, &text, &bytes, &error)) {
        snprintf(why, size, "%s: error: too large, or nothing came out of it", source);
        return false;
    }
    bool fine = strlen(text) == bytes; /* a zero byte would hide what comes behind */
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden && fine; i++) {
        fine = strcasestr(text, forbidden[i]) == NULL;
    }
    if (!fine) {
        snprintf(why, size, "%s: error: assembler that includes files or defines macros", source);
    }
    free(text);
    return fine;
}

bool inspect_assembled(const char *path, const char *assembler, const char *source, char *why,
                       size_t size) {
    char *text = NULL;
    const char *slash = strrchr(source, '/'), *named = slash != NULL ? slash + 1 : source;
    size_t bytes;
    Error error;
    bool fine = file_read(path, DEPENDS_FILE, &text, &bytes, &error);
    char *at = fine ? strchr(text, ':') : NULL; /* behind "object:" */
    fine = at != NULL;
    at = fine ? at + 1 : NULL;
    for (char *word; fine && (word = strsep(&at, " \n")) != NULL;) {
        fine = word[0] == '\0' || strcmp(word, "\\") == 0 || strcmp(word, assembler) == 0 ||
               strcmp(word, named) == 0 || strcmp(word, source) == 0;
    }
    if (!fine) {
        snprintf(why, size, "%s: error: assembler that includes files", source);
    }
    free(text);
    return fine;
}

/* Does the file define the function, as far as one can see: its name at the left edge's level? */
static bool seems_to_define(const char *scratch, const Source *source, const char *name) {
    char path[1024], call[200], *text = NULL;
    size_t bytes;
    Error error;
    snprintf(path, sizeof path, "%.600s/tree/%s", scratch, source->path);
    snprintf(call, sizeof call, "%.190s(", name);
    bool found = false;
    if (file_read(path, TREE_FILE, &text, &bytes, &error)) {
        for (const char *at = text; !found && (at = strstr(at, call)) != NULL; at++) {
            const char *line = at;
            while (line > text && line[-1] != '\n') {
                line--;
            }
            found = line[0] != ' ' && line[0] != '\t';
        }
    }
    free(text);
    return found;
}

/* `name' of "undefined reference to `name'". */
static bool quoted_name(const char *at, char name[160]) {
    size_t n = strcspn(at, "'\n");
    if (n == 0 || n >= 160) {
        return false;
    }
    show_line(at, name, n + 1);
    return true;
}

void inspect_link_error(const char *said, const char *scratch, const Tree *tree, char *why,
                        size_t size) {
    static const char missing[] = "undefined reference to `", twice[] = "multiple definition of `";
    const char *at = strstr(said, missing), *second = strstr(said, twice);
    char name[160] = "";
    if (second != NULL && quoted_name(second + strlen(twice), name)) {
        snprintf(why, size, "%s() is defined twice", name);
        return;
    }
    if (at != NULL && quoted_name(at + strlen(missing), name)) {
        snprintf(why, size, "%s() is nowhere to be found", name);
    } else {
        inspect_first_error(said, NULL, why, size);
    }
    bool lesson = strstr(said, "obj/lessons+") != NULL; /* the file itself is not there */
    for (int i = 0; i < tree->sources; i++) {
        const Source *source = &tree->source[i];
        if (source->state == SOURCE_BROKEN &&
            (seems_to_define(scratch, source, name) ||
             (lesson && at == NULL && strncmp(source->path, "lessons/", 8) == 0))) {
            snprintf(why, size, "%s", source->error);
            return;
        }
    }
    for (int i = 0; i < tree->sources && at != NULL; i++) { /* removed altogether, perhaps */
        if (tree->source[i].state == SOURCE_BROKEN && strstr(tree->source[i].error, "missing")) {
            snprintf(why, size, "%s (%s)", tree->source[i].error, name);
            return;
        }
    }
}
