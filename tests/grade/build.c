#define _GNU_SOURCE /* strcasestr */
#include "grade/build.h"

#include "core/check.h"
#include "grade/folders.h"
#include "grade/inspect.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGS_MOST = 900, OBJECT_FILE = 64 << 20 };
/* For one submission: seconds of computing (by the clock a busy machine would count, too), and
 * bytes that come out of it. */
enum { BUILD_SECONDS = 600, OBJECTS_MOST = 64 << 20 };

const SandboxLimits build_limits = {
    .seconds = 240, .cpu = 20, .memory = 1024, .file = 48, .said = 256 << 10, .answer = 0};

/* --- Beginning and end --- */

static double children_seconds(void) {
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* The words of a file in `graded`, which are pointers into `*text`. */
static bool read_words(const Build *b, const char *name, char **text, char **word, int *count,
                       Error *error) {
    char *path = path_join(b->graded, name);
    size_t size;
    bool fine = file_read(path, 1 << 16, text, &size, error);
    free(path);
    char *at = *text;
    for (char *next; fine && (next = strsep(&at, " \n")) != NULL && *count < WORDS_MOST - 1;) {
        if (next[0] != '\0') {
            word[(*count)++] = next;
        }
    }
    return fine && (*count > 0 || error_set(error, "%s/%s is empty", b->graded, name));
}

static bool read_command(Build *b, Error *error) {
    if (!read_words(b, "command", &b->command, b->word, &b->words, error) ||
        !read_words(b, "link", &b->link_flags, b->link_word, &b->link_words, error)) {
        return false;
    }
    while (b->compiler < b->words && b->word[b->compiler][0] != '-') {
        b->compiler++;
    }
    return true;
}

/* The folders of the compiler's own headers, as it tells them itself. */
static bool ask_for_folders(Build *b, Error *error) {
    const char *argv[WORDS_MOST + 6];
    int n = 0;
    for (; n < b->words; n++) {
        argv[n] = b->word[n];
    }
    const char *const more[] = {"-E", "-v", "-x", "c", "/dev/null", NULL};
    memcpy(argv + n, more, sizeof more);
    SandboxRun run;
    if (!sandbox_run(argv, b->own, "", 0, &build_limits, &run, error)) {
        return false;
    }
    char *at = strstr(run.said, "> search starts here:\n");
    at = at != NULL ? strchr(at, '\n') + 1 : run.said + run.said_size;
    for (char *line; (line = strsep(&at, "\n")) != NULL && line[0] == ' ';) {
        char resolved[4096];
        /* "common" and the like are the instructor's here: of those nothing may be read */
        if (line[1] == '/' && b->systems < FOLDERS_MOST && realpath(line + 1, resolved) != NULL &&
            strlen(resolved) < sizeof b->system[0]) {
            strcpy(b->system[b->systems++], resolved);
        }
    }
    sandbox_free(&run);
    return b->systems > 0 || error_set(error, "%s does not say where its headers are", b->word[0]);
}

/* Ctrl-C leaves nothing behind either: what a signal may call is little, but fork and exec are
 * among it. What is being run in the scratch folder ends with us. */
static char to_remove[sizeof((Build *)NULL)->scratch];

static void remove_and_end(int number) {
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/rm", "rm", "-rf", to_remove, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
    signal(number, SIG_DFL);
    raise(number);
}

static void clean_up_on_signals(const Build *b) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    memcpy(to_remove, b->scratch, sizeof to_remove);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        signal(numbers[i], b->scratch[0] != '\0' ? remove_and_end : SIG_DFL);
    }
}

static bool make_scratch(Build *b, Error *error) {
    const char *parent = getenv("TMPDIR");
    char folder[600];
    snprintf(b->scratch, sizeof b->scratch, "%.200s/attend-grade-XXXXXX",
             parent != NULL && parent[0] == '/' ? parent : "/tmp");
    if (mkdtemp(b->scratch) == NULL) {
        return error_set(error, "%s: %s", b->scratch, strerror(errno));
    }
    clean_up_on_signals(b);
    chmod(b->scratch, 0711);
    snprintf(folder, sizeof folder, "%s/tree", b->scratch);
    bool fine = folder_make(folder, error);
    snprintf(folder, sizeof folder, "%s/obj", b->scratch);
    return fine && folder_make(folder, error) && sandbox_give(folder, error);
}

bool build_begin(Build *build, const char *own, const char *graded, Error *error) {
    *build = (Build){.old_mask = umask(022)};
    char absolute[4096];
    if (realpath(own, absolute) == NULL || strlen(absolute) >= sizeof build->own) {
        return error_set(error, "%s: %s", own, strerror(errno));
    }
    strcpy(build->own, absolute);
    if (realpath(graded, absolute) == NULL || strlen(absolute) >= sizeof build->graded) {
        return error_set(error, "%s: %s", graded, strerror(errno));
    }
    strcpy(build->graded, absolute);
    return read_command(build, error) && make_scratch(build, error) &&
           ask_for_folders(build, error);
}

void build_end(Build *build) {
    if (build->scratch[0] != '\0') {
        folders_remove(build->scratch);
        build->scratch[0] = '\0';
        clean_up_on_signals(build);
    }
    free(build->command);
    free(build->link_flags);
    umask(build->old_mask);
    *build = (Build){.words = 0, .old_mask = build->old_mask};
}

/* --- Compiling --- */

static const char *flag_of(const char *path) {
    return strncmp(path, "lessons/", 8) == 0 ? "-Dmain=lesson_main" : "-Icommon";
}

void build_object_path(const char *path, const char *ending, char out[256]) {
    snprintf(out, 256, "../obj/%.*s%s", (int)strlen(path) - 2, path, ending);
    for (char *c = out + 7; *c != '\0'; c++) {
        *c = *c == '/' ? '+' : *c;
    }
}

static double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What a stopped one has computed is lost to us (its own children did it): the clock counts. */
bool build_run(Build *build, const char *const *argv, SandboxRun *run, Error *error) {
    char folder[600];
    snprintf(folder, sizeof folder, "%s/tree", build->scratch);
    double begin = clock_seconds(), computed = children_seconds();
    bool fine = sandbox_run(argv, folder, "", 0, &build_limits, run, error);
    build->used +=
        fine && run->ended != NULL ? clock_seconds() - begin : children_seconds() - computed;
    return fine;
}

bool build_has_time(const Build *build) {
    return build->used <= BUILD_SECONDS;
}

/* Runs the compiler in the student's tree; false with the first line that says why not. */
static bool compiler(Build *b, const char *const *more, char why[300]) {
    const char *argv[WORDS_MOST + 16];
    int n = 0;
    for (; n < b->words; n++) {
        argv[n] = b->word[n];
    }
    for (int i = 0; i < 15 && more[i] != NULL; i++) {
        argv[n++] = more[i];
    }
    argv[n] = NULL;
    SandboxRun run;
    Error error;
    if (!build_run(b, argv, &run, &error)) {
        snprintf(why, 300, "%.290s", error.text);
        return false;
    }
    bool fine = run.ended == NULL && run.status == 0;
    if (!fine) {
        inspect_first_error(run.said, run.ended, why, 300);
    }
    sandbox_free(&run);
    return fine;
}

static void remove_in(const Build *b, const char *path) {
    char full[900];
    snprintf(full, sizeof full, "%s/tree/%s", b->scratch, path);
    unlink(full);
}

/* From text to assembler, a look at what came out, and on to the object, with a look at what the
 * assembler has read. */
static bool compile_looking(Build *b, const char *path, char why[300]) {
    char depends[256], assembler[256], object[256], full[900], list[300];
    build_object_path(path, ".d", depends);
    build_object_path(path, ".s", assembler);
    build_object_path(path, ".o", object);
    const char *const first[] = {flag_of(path), "-MD", "-MF",     depends, "-S",
                                 path,          "-o",  assembler, NULL};
    snprintf(list, sizeof list, "-Wa,--MD,%s", depends);
    const char *const second[] = {"-c", assembler, "-o", object, list, NULL};
    if (!compiler(b, first, why)) {
        return false;
    }
    InspectFolders folders = {.tree = b->scratch, .system = b->system, .systems = b->systems};
    snprintf(full, sizeof full, "%s/tree/%s", b->scratch, depends);
    if (!inspect_depends(full, &folders, path, why, 300)) {
        return false;
    }
    remove_in(b, depends);
    snprintf(full, sizeof full, "%s/tree/%s", b->scratch, assembler);
    if (!inspect_assembler(full, path, why, 300) || !compiler(b, second, why)) {
        return false;
    }
    snprintf(full, sizeof full, "%s/tree/%s", b->scratch, depends);
    return inspect_assembled(full, assembler, path, why, 300);
}

/* The size of a file of the scratch folder, seen from tree/. */
static long size_in(const Build *b, const char *path) {
    char full[900];
    struct stat about;
    snprintf(full, sizeof full, "%s/tree/%s", b->scratch, path);
    return stat(full, &about) == 0 ? (long)about.st_size : 0;
}

/* Within what one submission may take. */
static bool compile(Build *b, const char *path, char why[300]) {
    char name[256];
    if (!build_has_time(b)) {
        snprintf(why, 300, "%s: error: the files before it took too long", path);
        return false;
    }
    bool fine = compile_looking(b, path, why);
    build_object_path(path, ".d", name);
    remove_in(b, name);
    build_object_path(path, ".s", name);
    remove_in(b, name);
    build_object_path(path, ".o", name);
    b->bytes += fine ? size_in(b, name) : 0;
    if (fine && b->bytes > OBJECTS_MOST) {
        snprintf(why, 300, "%s: error: what is made of it is too large", path);
        fine = false;
    }
    if (!fine) {
        remove_in(b, name);
    }
    return fine;
}

/* An object of the instructor's, into the scratch folder. */
static bool copy_object(const Build *b, const char *path, Error *error) {
    char from[900], object[256], to[900], *bytes = NULL;
    size_t size;
    snprintf(from, sizeof from, "%s/%.*s.o", b->graded, (int)strlen(path) - 2, path);
    build_object_path(path, ".o", object);
    snprintf(to, sizeof to, "%s/tree/%s", b->scratch, object);
    bool fine = file_read(from, OBJECT_FILE, &bytes, &size, error) &&
                file_write(to, bytes, size, error) && chmod(to, 0644) == 0;
    free(bytes);
    return fine;
}

/* --- The worker's own files --- */

const char *const build_worker_files[] = {
    "tests/grade/items.c",
    "tests/grade/calls/call.c",
    "tests/grade/calls/layers.c",
    "tests/grade/calls/library_recurrent.c",
    "tests/grade/calls/library_attention.c",
    "tests/grade/calls/library_positions.c",
    "tests/grade/calls/library_transformer.c",
    "tests/grade/calls/library_metrics.c",
    "tests/grade/calls/lesson_01.c",
    "tests/grade/calls/lesson_02.c",
    "tests/grade/calls/lesson_03.c",
    "tests/grade/calls/lesson_04.c",
    "tests/grade/calls/lesson_05.c",
    "tests/grade/calls/lesson_06.c",
    "tests/grade/calls/lesson_07.c",
};
static const char *const worker_headers[] = {"tests/grade/items.h", "tests/grade/calls/call.h",
                                             "tests/grade/calls/layers.h"};

static bool copy_text(const Build *b, const char *path, Error *error) {
    char *from = path_join(b->own, path), to[900], *bytes = NULL;
    size_t size;
    snprintf(to, sizeof to, "%s/tree/%s", b->scratch, path);
    bool fine = file_read(from, OBJECT_FILE, &bytes, &size, error) &&
                folder_of_file_make(to, error) && file_write(to, bytes, size, error);
    free(bytes);
    free(from);
    return fine;
}

/* With the student's own headers they are compiled again: a structure may have changed. */
static bool worker_objects(Build *b, bool same_headers, Error *error) {
    for (int i = 0; i < WORKER_FILES; i++) {
        char why[300];
        if (same_headers ? !copy_object(b, build_worker_files[i], error)
                         : !copy_text(b, build_worker_files[i], error)) {
            return false;
        }
        for (size_t h = 0; !same_headers && i == 0 && h < 3; h++) {
            if (!copy_text(b, worker_headers[h], error)) {
                return false;
            }
        }
        if (!same_headers) {
            compile(b, build_worker_files[i], why); /* what is missing shows when it is linked */
        }
    }
    return true;
}

/* argv is ended by NULL. */
static bool archive(const Build *b, const char *const *argv, Error *error) {
    char folder[600];
    SandboxRun run;
    snprintf(folder, sizeof folder, "%s/tree", b->scratch);
    if (!sandbox_run(argv, folder, "", 0, &build_limits, &run, error)) {
        return false;
    }
    bool fine = run.status == 0 || error_set(error, "ar: %.200s", run.said);
    sandbox_free(&run);
    return fine;
}

/* An archive, so that a worker takes along only the files whose checks it has been asked for. */
static bool archive_workers(const Build *b, Error *error) {
    const char *argv[4 + WORKER_FILES] = {"ar", "qcs", "../obj/workers.a"};
    char names[WORKER_FILES][256];
    int n = 3;
    for (int i = 0; i < WORKER_FILES; i++) {
        build_object_path(build_worker_files[i], ".o", names[i]);
        if (size_in(b, names[i]) > 0) {
            argv[n++] = names[i];
        }
    }
    return archive(b, argv, error);
}

bool build_tree(Build *build, Tree *tree, Error *error) {
    const char *argv[ARGS_MOST] = {"ar", "qcs", "../obj/library.a"};
    char(*names)[256] = check_alloc((size_t)tree->sources * sizeof *names);
    int n = 3;
    bool fine = true;
    for (int i = 0; i < tree->sources && fine; i++) {
        Source *source = &tree->source[i];
        if (source->state == SOURCE_SAME && tree->same_headers) {
            fine = copy_object(build, source->path, error);
        } else if (source->state != SOURCE_BROKEN) {
            source->state =
                compile(build, source->path, source->error) ? SOURCE_COMPILED : SOURCE_BROKEN;
        }
        if (source->state != SOURCE_BROKEN && strncmp(source->path, "common/", 7) == 0) {
            build_object_path(source->path, ".o", names[i]);
            argv[n++] = names[i];
        }
    }
    fine = fine && worker_objects(build, tree->same_headers, error) &&
           archive_workers(build, error) && archive(build, argv, error);
    free(names);
    return fine;
}

bool build_source(Build *build, Source *source, Error *error) {
    char object[256];
    build_object_path(source->path, ".o", object);
    source->state = compile(build, source->path, source->error) ? SOURCE_COMPILED : SOURCE_BROKEN;
    bool broken = source->state == SOURCE_BROKEN;
    source->alone = !broken && strncmp(source->path, "common/", 7) == 0;
    if (!broken || strncmp(source->path, "common/", 7) != 0) {
        return true;
    }
    const char *const argv[] = {"ar", "d", "../obj/library.a", object, NULL};
    return archive(build, argv, error);
}
