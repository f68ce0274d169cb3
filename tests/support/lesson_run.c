#define _XOPEN_SOURCE 700 /* nftw */
#define _DEFAULT_SOURCE

#include "support/lesson_run.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { MAX_ARGUMENTS = 64 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* --- Folders --- */

void folder_new(char path[LESSON_PATH]) {
    const char *base = getenv("TMPDIR");
    snprintf(path, LESSON_PATH, "%s/attend-lesson-XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(path) == NULL) {
        fail_msg("no folder to run in: %s: %s", path, strerror(errno));
    }
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info, (void)kind, (void)place;
    return remove(path);
}

void folder_remove(const char *path) {
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- The child --- */

static void program_path(char path[PATH_MAX], const char *lesson) {
    const char *folder = getenv("LESSON_FOLDER");
    char given[PATH_MAX];
    snprintf(given, sizeof given, "%s/%s", folder != NULL ? folder : BUILD_FOLDER "/lessons",
             lesson);
    if (realpath(given, path) == NULL) {
        fail_msg("no lesson at %s (from the folder the tests run in): %s", given, strerror(errno));
    }
}

/* The argument behind --out, or NULL. */
static const char *out_argument(char *const *argv) {
    for (int i = 1; argv[i] != NULL; i++) {
        if (strcmp(argv[i], "--out") == 0) {
            return argv[i + 1];
        }
    }
    return NULL;
}

static void set_environment(const char *const *environment) {
    for (; environment != NULL && *environment != NULL; environment++) {
        if (strchr(*environment, '=') != NULL) {
            putenv((char *)(uintptr_t)*environment);
        } else {
            unsetenv(*environment);
        }
    }
}

/* It stays in the test's process group: whoever ends the test's group ends the lesson, too. */
static _Noreturn void child_run(const char *program, char **argv, const char *folder, FILE *out,
                                FILE *err, const LessonSetting *setting) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    signal(SIGINT, SIG_DFL);
    set_environment(setting->environment);
    if (chdir(folder) == 0) {
        execv(program, argv);
    }
    dprintf(STDERR_FILENO, "cannot run %s in %s: %s\n", program, folder, strerror(errno));
    _exit(127);
}

bool lesson_is_sanitized(void) {
#if defined(__SANITIZE_ADDRESS__)
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return true;
#else
    return false;
#endif
#else
    return false;
#endif
}

/* Does it say so by now, at the beginning of a line? (Its place in the file is not moved.) */
static bool has_line(FILE *stream, const char *beginning) {
    static char text[1 << 16];
    ssize_t size = pread(fileno(stream), text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    const char *at = text;
    while ((at = strstr(at, beginning)) != NULL && at != text && at[-1] != '\n') {
        at++;
    }
    return at != NULL;
}

/* Waits for its end, interrupts it when that is asked for, ends it when its time is over. */
static void child_wait(pid_t pid, const char *interrupt_at, FILE *out, LessonRun *run) {
    double begin = now(), most = lesson_is_sanitized() ? 5 * LESSON_SECONDS : LESSON_SECONDS;
    double interrupt_time = INFINITY;
    bool late = false;
    struct rusage usage = {0};
    int status = 0;
    while (wait4(pid, &status, WNOHANG, &usage) == 0) {
        run->seconds = now() - begin;
        if (interrupt_at != NULL && has_line(out, interrupt_at)) {
            interrupt_at = NULL;
            interrupt_time = run->seconds + 0.5;
        }
        if (run->seconds > interrupt_time) {
            kill(pid, SIGINT);
            interrupt_time = INFINITY;
        }
        if (run->seconds > most && !late) {
            kill(pid, SIGKILL);
            late = true;
        }
        usleep(2000);
    }
    run->seconds = now() - begin;
    run->memory = (double)usage.ru_maxrss / 1024.0; /* Linux counts in KB */
    run->status = late                ? LESSON_TIMED_OUT
                  : WIFEXITED(status) ? WEXITSTATUS(status)
                                      : 128 + WTERMSIG(status);
}

static char *stream_text(FILE *stream) {
    long size = (fseek(stream, 0, SEEK_END), ftell(stream));
    char *text = calloc(1, (size_t)size + 1);
    rewind(stream);
    if (text == NULL || fread(text, 1, (size_t)size, stream) != (size_t)size) {
        fail_msg("what the lesson printed cannot be read");
    }
    fclose(stream);
    return text;
}

static int split(char *text, char **words, int most) {
    int count = 0;
    for (char *rest = text, *word; count < most && (word = strtok_r(rest, " ", &rest)) != NULL;) {
        words[count++] = word;
    }
    return count;
}

LessonRun lesson_run_in(const char *lesson, const char *arguments, LessonSetting setting) {
    LessonRun run = {.own_folder = setting.folder == NULL};
    char program[PATH_MAX], text[LESSON_PATH], *argv[MAX_ARGUMENTS + 2] = {program};
    program_path(program, lesson);
    snprintf(run.command, sizeof run.command, "%s %s", lesson, arguments);
    snprintf(text, sizeof text, "%s", arguments);
    split(text, argv + 1, MAX_ARGUMENTS);
    if (run.own_folder) {
        folder_new(run.folder);
    } else {
        snprintf(run.folder, sizeof run.folder, "%s", setting.folder);
    }
    const char *out = out_argument(argv);
    snprintf(run.files, sizeof run.files, "%s/%s%s", run.folder, out != NULL ? "" : "plots/",
             out != NULL ? out : lesson);
    FILE *streams[2] = {tmpfile(), tmpfile()};
    fflush(NULL);
    pid_t pid = streams[0] != NULL && streams[1] != NULL ? fork() : -1;
    if (pid < 0) {
        fail_msg("cannot start %s: %s", run.command, strerror(errno));
    }
    if (pid == 0) {
        child_run(program, argv, run.folder, streams[0], streams[1], &setting);
    }
    child_wait(pid, setting.interrupt_at, streams[0], &run);
    run.out = stream_text(streams[0]);
    run.err = stream_text(streams[1]);
    return run;
}

LessonRun lesson_run(const char *lesson, const char *arguments) {
    return lesson_run_in(lesson, arguments, (LessonSetting){0});
}

void lesson_run_free(LessonRun *run) {
    free(run->out);
    free(run->err);
    if (run->own_folder) {
        folder_remove(run->folder);
    }
    *run = (LessonRun){0};
}

/* --- Its files --- */

char *lesson_file(const LessonRun *run, const char *name, size_t *size) {
    char path[4 * LESSON_PATH];
    snprintf(path, sizeof path, "%s/%s", run->files, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    long length = (fseek(file, 0, SEEK_END), ftell(file));
    if (size != NULL) {
        *size = (size_t)length;
    }
    return stream_text(file);
}

static int not_hidden(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

char *lesson_file_names(const LessonRun *run) {
    struct dirent **entries = NULL;
    int count = scandir(run->files, &entries, not_hidden, alphasort);
    size_t size = 1;
    for (int i = 0; i < count; i++) {
        size += strlen(entries[i]->d_name) + 1;
    }
    char *names = calloc(1, size), *end = names;
    for (int i = 0; i < count; i++) {
        end += sprintf(end, "%s\n", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return names;
}
