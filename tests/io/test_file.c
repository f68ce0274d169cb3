#include "assert_close.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/file.h"
#include "support/scratch.h"
#include "support/picture.h"

/* One line that names the file and says what is wrong. */
static void assert_error(const Error *error, const char *path, const char *what) {
    assert_non_null(strstr(error->text, path));
    assert_non_null(strstr(error->text, what));
    assert_null(strchr(error->text, '\n'));
}

static void assert_unreadable(const char *path, size_t limit, const char *what) {
    Error error;
    char *bytes = (char *)1;
    size_t size = 1;
    assert_false(file_read(path, limit, &bytes, &size, &error));
    assert_error(&error, path, what);
    assert_null(bytes);
    assert_int_equal(size, 0);
}

static void test_written_bytes_come_back(void **state) {
    (void)state;
    Error error;
    char *bytes;
    size_t size;
    static const char data[] = "l'\xC3\xA9l\xC3\xA8ve\0\xFF\n";
    const char *path = scratch_path("data");
    assert_true(file_write(path, data, sizeof data, &error));
    assert_true(file_read(path, sizeof data, &bytes, &size, &error));
    assert_int_equal(size, sizeof data);
    assert_memory_equal(bytes, data, sizeof data);
    assert_int_equal(bytes[size], 0);
    free(bytes);
    assert_int_equal(folder_count(scratch_folder()), 1);
}

static void test_large_file_comes_back(void **state) {
    (void)state;
    enum { SIZE = 300001 };
    Error error;
    char *bytes, *data = malloc(SIZE);
    size_t size;
    assert_non_null(data);
    for (int i = 0; i < SIZE; i++) {
        data[i] = (char)(i * 7 + i / 251);
    }
    assert_true(file_write(scratch_path("large"), data, SIZE, &error));
    assert_true(file_read(scratch_path("large"), SIZE, &bytes, &size, &error));
    assert_int_equal(size, SIZE);
    assert_memory_equal(bytes, data, SIZE);
    free(bytes);
    free(data);
}

static void test_missing_file(void **state) {
    (void)state;
    assert_unreadable(scratch_path("nowhere.tsv"), 100, "there is no such file");
}

/* faults.md 31: a folder given as a data file. */
static void test_folder_given_as_file(void **state) {
    (void)state;
    assert_unreadable(scratch_folder(), 100, "a folder");
}

static void test_empty_file(void **state) {
    (void)state;
    Error error;
    assert_true(file_write(scratch_path("empty"), "", 0, &error));
    assert_unreadable(scratch_path("empty"), 100, "empty");
}

static void test_limit_is_exact(void **state) {
    (void)state;
    Error error;
    char *bytes;
    size_t size;
    const char *path = scratch_path("ten");
    assert_true(file_write(path, "0123456789", 10, &error));
    assert_true(file_read(path, 10, &bytes, &size, &error));
    free(bytes);
    assert_unreadable(path, 9, "limit of 9 bytes");
}

/* It claims to have no bytes at all. */
static void test_a_size_that_is_not_true(void **state) {
    (void)state;
    char *bytes;
    size_t size;
    assert_unreadable("/proc/self/status", 10, "larger than the limit of 10 bytes");
    assert_true(file_read("/proc/self/status", 1000000, &bytes, &size, NULL));
    assert_true(size > 100);
    free(bytes);
}

/* A pipe into which nobody writes is refused at once, and so is what has no end. */
static void test_what_is_no_file(void **state) {
    (void)state;
    const char *fifo = scratch_path("fifo"), *socket_path = scratch_path("socket");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_int_equal(mkfifo(fifo, 0600), 0);
    alarm(20); /* else this would wait for ever */
    assert_unreadable(fifo, 100, "a pipe or a device, where a file is needed");
    alarm(0);
    assert_unreadable("/dev/zero", 100, "a pipe or a device");
    assert_unreadable("/dev/null", 100, "a pipe or a device");
    int handle = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(handle >= 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", socket_path);
    assert_int_equal(bind(handle, (struct sockaddr *)&address, sizeof address), 0);
    assert_unreadable(address.sun_path, 100, "a pipe or a device");
    close(handle);
}

/* Rights mean nothing to root, so these tests give them up for a while. */
static void rights_drop(void) {
    assert_int_equal(chmod(scratch_folder(), 0755), 0);
    if (geteuid() == 0) {
        assert_int_equal(seteuid(65534), 0);
    }
}

static void rights_restore(void) {
    if (getuid() == 0) {
        assert_int_equal(seteuid(0), 0);
    }
}

static void test_file_without_rights(void **state) {
    (void)state;
    Error error;
    const char *path = scratch_path("secret");
    assert_true(file_write(path, "x", 1, &error));
    assert_int_equal(chmod(path, 0), 0);
    rights_drop();
    char *bytes = NULL;
    size_t size;
    bool read = file_read(path, 100, &bytes, &size, &error);
    rights_restore();
    assert_false(read);
    assert_error(&error, "secret", "Permission denied");
}

/* faults.md 26: the folder cannot be written to. */
static void test_folder_without_rights(void **state) {
    (void)state;
    Error written = {""}, made = {""}, below = {""};
    const char *locked = scratch_path("locked");
    assert_int_equal(mkdir(locked, 0555), 0);
    rights_drop();
    bool write = file_write(path_in(locked, "a.tsv"), "x", 1, &written);
    bool make = folder_make(locked, &made);
    bool make_below = folder_make(path_in(locked, "b/c"), &below);
    rights_restore();
    assert_false(write);
    assert_error(&written, "a.tsv", "Permission denied");
    assert_false(make);
    assert_error(&made, "locked", "cannot be written to");
    assert_false(make_below);
    assert_error(&below, "locked/b", "cannot be made: Permission denied");
    assert_int_equal(folder_count(locked), 0);
}

static void test_write_into_missing_folder(void **state) {
    (void)state;
    Error error;
    assert_false(file_write(scratch_path("no/file"), "x", 1, &error));
    assert_error(&error, "no/file", "folder does not exist");
    assert_int_equal(folder_count(scratch_folder()), 0);
}

static void test_write_over_folder(void **state) {
    (void)state;
    Error error;
    assert_int_equal(mkdir(scratch_path("taken"), 0777), 0);
    assert_false(file_write(scratch_path("taken"), "x", 1, &error));
    assert_error(&error, "taken", "folder of that name");
    assert_int_equal(folder_count(scratch_folder()), 1);
}

/* A disk that is full after `bytes`: writing further fails (EFBIG instead of ENOSPC). */
static struct rlimit disk_fill(rlim_t bytes) {
    struct rlimit before, full;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = before;
    full.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    return before;
}

static void disk_empty(struct rlimit before) {
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
}

static void assert_old_file_kept(size_t new_size) {
    Error error;
    static char data[200000];
    const char *path = scratch_path("kept");
    assert_true(file_write(path, "old", 3, &error));
    struct rlimit before = disk_fill(2);
    bool written = file_write(path, data, new_size, &error);
    disk_empty(before);
    assert_false(written);
    assert_error(&error, "kept", "cannot be written");
    char *bytes = text_read(path, NULL);
    assert_string_equal(bytes, "old");
    free(bytes);
    assert_int_equal(folder_count(scratch_folder()), 1);
}

/* faults.md 26: the disk is full. Small files fail when they are closed, large ones while written.
 */
static void test_full_disk_keeps_old_file(void **state) {
    (void)state;
    assert_old_file_kept(10);
    assert_old_file_kept(200000);
}

static void test_error_of_early_write_is_kept(void **state) {
    (void)state;
    Error error;
    AtomicFile file;
    FILE *stream = atomic_open(&file, scratch_path("stream"), &error);
    assert_non_null(stream);
    setvbuf(stream, NULL, _IONBF, 0);
    struct rlimit before = disk_fill(4);
    fwrite("12345678", 1, 8, stream); /* fails; nobody looks */
    disk_empty(before);
    fflush(stream);
    assert_false(atomic_commit(&file, &error));
    assert_error(&error, "stream", "cannot be written");
    assert_int_equal(folder_count(scratch_folder()), 0);
}

static void test_file_appears_only_when_whole(void **state) {
    (void)state;
    Error error;
    AtomicFile file;
    const char *path = scratch_path("whole");
    FILE *stream = atomic_open(&file, path, &error);
    assert_non_null(stream);
    fputs("half", stream);
    fflush(stream);
    assert_int_not_equal(access(path, F_OK), 0);
    fputs(" and half", stream);
    assert_true(atomic_commit(&file, &error));
    char *bytes = text_read(path, NULL);
    assert_string_equal(bytes, "half and half");
    free(bytes);
    atomic_discard(&file); /* harmless afterwards */
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(folder_count(scratch_folder()), 1);
}

static void test_discarded_file_leaves_nothing(void **state) {
    (void)state;
    Error error;
    AtomicFile file;
    FILE *stream = atomic_open(&file, scratch_path("given_up"), &error);
    assert_non_null(stream);
    fputs("text", stream);
    atomic_discard(&file);
    assert_int_equal(folder_count(scratch_folder()), 0);
    assert_false(atomic_commit(&file, &error));
}

static void test_two_writers_of_one_file(void **state) {
    (void)state;
    Error error;
    AtomicFile first, second;
    const char *path = scratch_path("shared");
    assert_non_null(atomic_open(&first, path, &error));
    assert_non_null(atomic_open(&second, path, &error));
    assert_string_not_equal(first.temp, second.temp);
    fputs("first", first.stream);
    fputs("second", second.stream);
    assert_true(atomic_commit(&second, &error));
    assert_true(atomic_commit(&first, &error));
    char *bytes = text_read(path, NULL);
    assert_string_equal(bytes, "first");
    free(bytes);
    assert_int_equal(folder_count(scratch_folder()), 1);
}

static void test_file_rights_follow_umask(void **state) {
    (void)state;
    Error error;
    struct stat about;
    mode_t before = umask(027);
    bool written = file_write(scratch_path("rights"), "x", 1, &error);
    umask(before);
    assert_true(written);
    assert_int_equal(stat(scratch_path("rights"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
}

static void test_folders_are_made(void **state) {
    (void)state;
    Error error;
    struct stat about;
    assert_true(folder_make(scratch_path("a/b//c/"), &error));
    assert_int_equal(stat(scratch_path("a/b/c"), &about), 0);
    assert_true(S_ISDIR(about.st_mode));
    assert_true(folder_make(scratch_path("a/b/c"), &error));
    assert_true(folder_make(".", &error));
    assert_true(folder_make(scratch_folder(), &error));
}

static void test_file_in_the_way_of_folder(void **state) {
    (void)state;
    Error error;
    assert_true(file_write(scratch_path("file"), "x", 1, &error));
    assert_false(folder_make(scratch_path("file"), &error));
    assert_error(&error, "file", "in the way");
    assert_false(folder_make(scratch_path("file/below"), &error));
    assert_error(&error, "file", "in the way");
    assert_false(folder_make("/dev/full", &error));
    assert_error(&error, "/dev/full", "in the way");
    assert_false(folder_make("", &error));
}

static void test_error_is_one_short_line(void **state) {
    (void)state;
    Error error;
    char name[1500];
    assert_false(error_set(&error, "a\nb\tc\x7f%d", 5));
    assert_string_equal(error.text, "a b c 5");
    for (size_t i = 0; i + 2 < sizeof name; i += 2) { /* two bytes for each e with an accent */
        memcpy(name + i, "\xC3\xA9", 3);
    }
    error_set(&error, "x%s", name);
    assert_int_equal(strlen(error.text), 511); /* 1 + 2 * 255 fit exactly */
    error_set(&error, "%s", name);
    assert_int_equal(strlen(error.text), 510); /* the 256th accent would be cut in two */
    assert_false(error_set(NULL, "nobody asks"));
}

static void test_path_join(void **state) {
    (void)state;
    static const char *const cases[][3] = {{"plots", "a.png", "plots/a.png"},
                                           {"plots/", "a.png", "plots/a.png"},
                                           {"", "a.png", "a.png"},
                                           {NULL, "a.png", "a.png"},
                                           {"/", "a", "/a"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *path = path_join(cases[i][0], cases[i][1]);
        assert_string_equal(path, cases[i][2]);
        free(path);
    }
}

/* The published values of FNV-1a for these texts. */
static void test_checksums(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "cbf29ce484222325"}, {"a", "af63dc4c8601ec8c"}, {"foobar", "85944171f73967e8"}};
    Error error = {""};
    char sum[17];
    const char *path = scratch_path("sum");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(file_write(path, cases[i][0], strlen(cases[i][0]), &error));
        assert_true(file_checksum(path, sum, &error));
        assert_string_equal(sum, cases[i][1]);
    }
    assert_false(file_checksum(scratch_folder(), sum, &error));
    assert_error(&error, scratch_folder(), "a folder");
    assert_false(file_checksum("/dev/zero", sum, &error)); /* has no end */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(test_checksums),
        SCRATCH_TEST(test_written_bytes_come_back),
        SCRATCH_TEST(test_large_file_comes_back),
        SCRATCH_TEST(test_missing_file),
        SCRATCH_TEST(test_folder_given_as_file),
        SCRATCH_TEST(test_empty_file),
        SCRATCH_TEST(test_limit_is_exact),
        SCRATCH_TEST(test_a_size_that_is_not_true),
        SCRATCH_TEST(test_what_is_no_file),
        SCRATCH_TEST(test_file_without_rights),
        SCRATCH_TEST(test_folder_without_rights),
        SCRATCH_TEST(test_write_into_missing_folder),
        SCRATCH_TEST(test_write_over_folder),
        SCRATCH_TEST(test_full_disk_keeps_old_file),
        SCRATCH_TEST(test_error_of_early_write_is_kept),
        SCRATCH_TEST(test_file_appears_only_when_whole),
        SCRATCH_TEST(test_discarded_file_leaves_nothing),
        SCRATCH_TEST(test_two_writers_of_one_file),
        SCRATCH_TEST(test_file_rights_follow_umask),
        SCRATCH_TEST(test_folders_are_made),
        SCRATCH_TEST(test_file_in_the_way_of_folder),
        cmocka_unit_test(test_error_is_one_short_line),
        cmocka_unit_test(test_path_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
