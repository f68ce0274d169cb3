/* Files, and the errors a user can cause.
 *
 * What the user got wrong (a missing file, a folder without write permission, a full disk) is a
 * value, not an abort: a function returns false and fills an Error with one line that names the
 * file and says what is wrong. Files are written under a temporary name and renamed when they are
 * whole, so that a reader never meets half a file. */
#ifndef IO_FILE_H
#define IO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One line for the user, without a newline at its end. */
typedef struct Error {
    char text[512];
} Error;

/* Writes a printf-style message. Control characters become spaces, so it stays one line whatever a
 * file is called; what does not fit is cut between characters. `error` may be NULL. Always returns
 * false, so that `return error_set(error, ...)` reads naturally. */
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens a file for reading, or NULL. Errors: missing, a folder, a pipe or a device, not readable.
 */
FILE *file_open(const char *path, Error *error);

/* Reads a whole file of at most `limit` bytes into memory of its own. `*bytes` is followed by a NUL
 * that `*size` does not count; release it with free(). Errors: missing, a folder, a pipe or a
 * device (which may have no end, or wait for ever), not readable, empty, larger than the limit;
 * then `*bytes` is NULL and `*size` 0. */
bool file_read(const char *path, size_t limit, char **bytes, size_t *size, Error *error);

/* A checksum of all bytes of a file: 16 hexadecimal digits (FNV-1a, 64 bits; Fowler, Noll and Vo,
 * 1991). It tells files that happen to differ, not those that somebody made to look alike. Errors:
 * those of file_read(), but that an empty file and one of any size are fine. */
bool file_checksum(const char *path, char text[17], Error *error);

/* Writes a whole file: all of it or, on an error (folder missing or not writable, disk full),
 * nothing; a file that was there before is replaced only on success. */
bool file_write(const char *path, const void *bytes, size_t size, Error *error);

/* A file being written under a temporary name in the folder of the final one. */
typedef struct AtomicFile {
    FILE *stream;
    char *path; /* the final name */
    char *temp; /* the name until it is whole */
} AtomicFile;

/* Starts a file and returns its stream for writing, or NULL with an error. Write to the stream
 * without checking; atomic_commit notices every failed write. */
FILE *atomic_open(AtomicFile *file, const char *path, Error *error);

/* Ends the file: flushes, closes and renames it. When any write failed the temporary file is
 * removed, a former file of that name stays as it was, and the result is false. */
bool atomic_commit(AtomicFile *file, Error *error);

/* Gives the file up and removes its temporary. Harmless after a commit or a failed open. */
void atomic_discard(AtomicFile *file);

/* Makes a folder and those above it (like mkdir -p); one that exists is fine when it can be written
 * to. Errors: a file in the way, no permission, a read-only disk. */
bool folder_make(const char *path, Error *error);

/* "folder/name" in memory of its own, released with free(); `name` alone when the folder is NULL or
 * empty. NULL only when memory runs out. */
char *path_join(const char *folder, const char *name);

#endif
