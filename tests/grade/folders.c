#define _GNU_SOURCE /* nftw */
#include "grade/folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 8, FILES_MOST = 5000 };

typedef struct Walk {
    bool deep;
    FolderVisit visit;
    void *context;
    int files;
    Error *error;
} Walk;

static bool walk_names(Walk *walk, int folder, const char *path, int depth);

/* One entry of a folder: a file to visit, a folder to go into, or nothing of ours. */
static bool walk_entry(Walk *walk, int folder, const char *path, const char *name, int depth) {
    char below[1024];
    struct stat about;
    int length = snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "/" : "", name);
    if (length >= (int)sizeof below) {
        return error_set(walk->error, "%.200s...: the path is too long", below);
    }
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
        return true; /* gone */
    }
    if (S_ISREG(about.st_mode)) {
        if (++walk->files > FILES_MOST) {
            return error_set(walk->error, "more than %d files", FILES_MOST);
        }
        return walk->visit(walk->context, below);
    }
    if (!S_ISDIR(about.st_mode) || !walk->deep || name[0] == '.') {
        return true;
    }
    int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) {
        return error_set(walk->error, "%s: %s", below, strerror(errno));
    }
    return walk_names(walk, inner, below, depth + 1);
}

/* All entries of an open folder, which is closed. */
static bool walk_names(Walk *walk, int folder, const char *path, int depth) {
    struct dirent **names = NULL;
    if (depth > DEEPEST) {
        close(folder);
        return error_set(walk->error, "%s: folders are nested deeper than %d", path, DEEPEST);
    }
    int count = scandirat(folder, ".", &names, NULL, alphasort);
    bool fine = count >= 0 || error_set(walk->error, "%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        if (fine && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            fine = walk_entry(walk, folder, path, name, depth);
        }
        free(names[i]);
    }
    free(names);
    close(folder);
    return fine;
}

bool folder_walk(const char *root, const char *folder, bool deep, FolderVisit visit, void *context,
                 Error *error) {
    Walk walk = {.deep = deep, .visit = visit, .context = context, .error = error};
    int top = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int start = top < 0 ? -1 : openat(top, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int problem = errno;
    if (top >= 0) {
        close(top);
    }
    if (start < 0) {
        return error_set(error, "%s/%s: %s", root, folder, strerror(problem));
    }
    return walk_names(&walk, start, strcmp(folder, ".") == 0 ? "" : folder, 0);
}

bool folder_empty_or_new(const char *path, Error *error) {
    if (!folder_make(path, error)) {
        return false;
    }
    struct dirent **names = NULL;
    int entries = scandir(path, &names, NULL, alphasort);
    if (entries < 0) {
        return error_set(error, "%s: %s", path, strerror(errno));
    }
    for (int i = 0; i < entries; i++) {
        free(names[i]);
    }
    free(names);
    return entries <= 2 || error_set(error, "%s is not empty: give a new folder", path);
}

bool folder_of_file_make(const char *path, Error *error) {
    char folder[2048];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        return true;
    }
    *slash = '\0';
    return folder_make(folder, error);
}

bool mode_copy(const char *from, const char *to, Error *error) {
    struct stat about;
    if (stat(from, &about) != 0 || chmod(to, about.st_mode & 0777) != 0) {
        return error_set(error, "%s: %s", to, strerror(errno));
    }
    return true;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)place;
    (void)(kind == FTW_DP ? rmdir(path) : unlink(path));
    return 0;
}

void folders_remove(const char *path) {
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
