#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/utf8.h"

bool error_set(Error *error, const char *format, ...) {
    if (!error) {
        return false;
    }
    char text[2 * sizeof error->text]; /* twice the room, so that the cut can look back */
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (written < 0) {
        snprintf(text, sizeof text, "an error that could not be put into words");
    }
    size_t size = utf8_truncate(text, sizeof error->text - 1);
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        error->text[i] = byte < 0x20 || byte == 0x7f ? ' ' : text[i];
    }
    error->text[size] = '\0';
    return false;
}

/* Reads from `stream` until its end or one byte past the limit, which proves it too large. The size
 * a file claims is not trusted: files in /proc claim 0, and others may grow. */
static bool stream_read(FILE *stream, const char *path, size_t limit, char **bytes, size_t *size,
                        Error *error) {
    size_t room = 0, used = 0;
    char *buffer = NULL;
    do {
        room = room == 0 ? 65536 : 2 * room;
        char *larger = realloc(buffer, room);
        if (!larger) {
            free(buffer);
            return error_set(error, "%s: not enough memory to read it", path);
        }
        buffer = larger;
        used += fread(buffer + used, 1, room - 1 - used, stream);
    } while (used == room - 1 && used <= limit);

    bool ok = true;
    if (ferror(stream)) {
        ok = error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    } else if (used > limit) {
        ok = error_set(error, "%s: larger than the limit of %zu bytes", path, limit);
    } else if (used == 0) {
        ok = error_set(error, "%s: the file is empty", path);
    }
    if (!ok) {
        free(buffer);
        return false;
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *size = used;
    return true;
}

/* O_NONBLOCK: opening a pipe would wait for somebody who writes into it, perhaps for ever; regular
 * files take no notice of the flag. */
FILE *file_open(const char *path, Error *error) {
    struct stat about = {0};
    FILE *stream = NULL;
    int handle = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int reason = errno;
    bool known = handle >= 0 && fstat(handle, &about) == 0;
    if (handle < 0 && reason != ENXIO) { /* which stands for a socket */
        error_set(error, "%s: %s", path,
                  reason == ENOENT ? "there is no such file" : strerror(reason));
    } else if (known && S_ISDIR(about.st_mode)) {
        error_set(error, "%s: a folder, where a file is needed", path);
    } else if (!known || !S_ISREG(about.st_mode)) {
        error_set(error, "%s: a pipe or a device, where a file is needed", path);
    } else if ((stream = fdopen(handle, "rb")) == NULL) {
        error_set(error, "%s: %s", path, strerror(errno));
    }
    if (handle >= 0 && stream == NULL) {
        close(handle);
    }
    return stream;
}

bool file_read(const char *path, size_t limit, char **bytes, size_t *size, Error *error) {
    *bytes = NULL;
    *size = 0;
    FILE *stream = file_open(path, error);
    bool ok = stream != NULL && stream_read(stream, path, limit, bytes, size, error);
    if (stream != NULL) {
        fclose(stream);
    }
    return ok;
}

bool file_checksum(const char *path, char text[17], Error *error) {
    FILE *stream = file_open(path, error);
    if (stream == NULL) {
        return false;
    }
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    unsigned char bytes[65536];
    size_t size;
    while ((size = fread(bytes, 1, sizeof bytes, stream)) > 0) {
        for (size_t i = 0; i < size; i++) {
            sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
        }
    }
    bool ok = !ferror(stream) || error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    fclose(stream);
    snprintf(text, 17, "%016llx", (unsigned long long)sum);
    return ok;
}

char *path_join(const char *folder, const char *name) {
    size_t length = folder ? strlen(folder) : 0;
    size_t size = length + strlen(name) + 2;
    char *path = malloc(size);
    if (path) {
        bool slash = length > 0 && folder[length - 1] != '/';
        snprintf(path, size, "%s%s%s", length > 0 ? folder : "", slash ? "/" : "", name);
    }
    return path;
}

/* The folder part of a path with its last slash; "" for a bare name. */
static char *path_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    return strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
}

/* Opens a new file beside `path` whose name nobody uses and stores the name. O_EXCL makes the
 * kernel pick the winner when two programs write into one folder. */
static int temp_open(const char *path, char **temp) {
    char *folder = path_folder(path);
    int handle = -1;
    *temp = NULL;
    for (int attempt = 0; folder && attempt < 1000; attempt++) {
        char name[64];
        snprintf(name, sizeof name, ".part-%ld-%d", (long)getpid(), attempt);
        free(*temp);
        *temp = path_join(folder, name);
        if (!*temp) {
            break;
        }
        handle = open(*temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (handle >= 0 || errno != EEXIST) {
            break;
        }
    }
    int reason = errno;
    free(folder);
    errno = reason;
    return handle;
}

FILE *atomic_open(AtomicFile *file, const char *path, Error *error) {
    *file = (AtomicFile){0};
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        error_set(error, "%s: cannot be written: a folder of that name is in the way", path);
        return NULL;
    }
    int handle = temp_open(path, &file->temp);
    if (handle >= 0) {
        file->path = strdup(path);
        file->stream = file->path ? fdopen(handle, "wb") : NULL;
    }
    if (!file->stream) {
        const char *reason = errno == ENOENT ? "its folder does not exist" : strerror(errno);
        error_set(error, "%s: cannot be written: %s", path, reason);
        if (handle >= 0) {
            close(handle);
            unlink(file->temp);
        }
        atomic_discard(file);
    }
    return file->stream;
}

bool atomic_commit(AtomicFile *file, Error *error) {
    if (!file->stream) {
        return error_set(error, "a file that was never opened cannot be finished");
    }
    errno = 0;
    bool ok = fflush(file->stream) == 0 && !ferror(file->stream);
    int reason = errno;
    if (fclose(file->stream) != 0) { /* some file systems report a full disk only here */
        ok = false;
        reason = reason ? reason : errno;
    }
    file->stream = NULL;
    if (ok && rename(file->temp, file->path) != 0) {
        ok = false;
        reason = errno;
    }
    if (!ok) {
        error_set(error, "%s: cannot be written: %s", file->path,
                  reason ? strerror(reason) : "not all of it could be stored (is the disk full?)");
        unlink(file->temp);
    }
    free(file->temp);
    free(file->path);
    *file = (AtomicFile){0};
    return ok;
}

void atomic_discard(AtomicFile *file) {
    if (file->stream) {
        fclose(file->stream);
        unlink(file->temp);
    }
    free(file->temp);
    free(file->path);
    *file = (AtomicFile){0};
}

bool file_write(const char *path, const void *bytes, size_t size, Error *error) {
    AtomicFile file;
    FILE *stream = atomic_open(&file, path, error);
    if (!stream) {
        return false;
    }
    if (size > 0) {
        fwrite(bytes, 1, size, stream); /* a short write leaves ferror set for atomic_commit */
    }
    return atomic_commit(&file, error);
}

/* Makes one folder, or accepts one that is there. */
static bool folder_make_one(const char *path, Error *error) {
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    int reason = errno; /* not always EEXIST for a folder that exists: EROFS and EACCES win */
    struct stat about;
    if (stat(path, &about) != 0) {
        return error_set(error, "%s: the folder cannot be made: %s", path, strerror(reason));
    }
    if (!S_ISDIR(about.st_mode)) {
        return error_set(error, "%s: a file is in the way of the folder", path);
    }
    return true;
}

bool folder_make(const char *path, Error *error) {
    if (!*path) {
        return error_set(error, "an empty name is no folder");
    }
    char *part = strdup(path);
    if (!part) {
        return error_set(error, "%s: not enough memory", path);
    }
    bool ok = true;
    for (char *end = part + 1; ok && *end; end++) {
        if (*end == '/' && end[-1] != '/') {
            *end = '\0';
            ok = folder_make_one(part, error);
            *end = '/';
        }
    }
    ok = ok && folder_make_one(part, error);
    free(part);
    if (ok && faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0) {
        ok = error_set(error, "%s: the folder cannot be written to: %s", path, strerror(errno));
    }
    return ok;
}
