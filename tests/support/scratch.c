#include "support/scratch.h"

#include "io/file.h"
#include "support/lesson_run.h"
#include "support/picture.h"

static char folder[LESSON_PATH];

int scratch_begin(void **state) {
    (void)state;
    folder_new(folder);
    return 0;
}

int scratch_end(void **state) {
    (void)state;
    folder_remove(folder);
    return 0;
}

const char *scratch_folder(void) {
    return folder;
}

const char *scratch_path(const char *name) {
    return path_in(folder, name);
}

const char *scratch_bytes(const char *name, const void *bytes, size_t size) {
    const char *path = path_in(folder, name);
    char parent[1024];
    Error error = {""};
    snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (!folder_make(parent, &error) || !file_write(path, bytes, size, &error)) {
        fail_msg("%s", error.text);
    }
    return path;
}

const char *scratch_text(const char *name, const char *text) {
    return scratch_bytes(name, text, strlen(text));
}
