#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE

#include "lesson/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lesson/tiny_lesson.h"
#include "support/lesson_run.h"

enum { MAX_WORDS = 32, MANY_ROWS = 1000 };

/* What hints end with: a pause and the end of a page. */
static const char *const prompts[] = {"end here -- ", "to the end -- "};

typedef struct Text {
    char *bytes;
    size_t size;
} Text;

static double clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- in the child ---- */

/* Splits at blanks and puts real blanks where "%20" stands. */
static int split_words(char *text, char **words) {
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        for (char *at; (at = strstr(word, "%20"));) {
            *at = ' ';
            memmove(at + 1, at + 3, strlen(at + 3) + 1);
        }
        words[count++] = word;
    }
    return count;
}

static void set_environment(const char *environment) {
    static char text[1024];
    char *words[MAX_WORDS];
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("NO_COLOR");
    unsetenv("COLUMNS");
    snprintf(text, sizeof text, "%s", environment ? environment : "");
    int count = split_words(text, words);
    for (int i = 0; i < count; i++) {
        char *value = strchr(words[i], '=');
        *value++ = '\0';
        if (*value) {
            setenv(words[i], value, 1);
        } else {
            unsetenv(words[i]);
        }
    }
}

static void limit_files(long bytes) {
    if (bytes > 0) {
        struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, SIG_IGN); /* so that write() fails, as on a full disk */
    }
}

static void child_streams(const Call *call, const int handles[3]) {
    if (call->columns > 0) {
        setsid();
        ioctl(handles[0], TIOCSCTTY, 0);
    }
    for (int i = 0; i < 3; i++) {
        dup2(handles[i], i);
    }
    for (int handle = 3; handle < 256; handle++) {
        close(handle);
    }
    if (call->output_file) {
        int handle = open(call->output_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(handle, STDOUT_FILENO);
        close(handle);
    }
    if (call->close_output) {
        close(STDOUT_FILENO);
    }
}

static _Noreturn void child_main(const Call *call, const char *folder, const int handles[3]) {
    static char text[1024];
    char *argv[MAX_WORDS + 2] = {"lessons/01_tiny"};
    if (chdir(folder) != 0) {
        _exit(99);
    }
    child_streams(call, handles);
    set_environment(call->environment);
    limit_files(call->file_limit);
    snprintf(text, sizeof text, "%s", call->flags);
    int argc = 1 + split_words(text, argv + 1);
    exit((call->main ? call->main : tiny_lesson_main)(argc, argv));
}

/* ---- in the parent ---- */

/* Two connected handles: [0] for the parent, [1] for the child. */
static void open_terminal(const Call *call, int ends[2]) {
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
    if (ends[0] < 0 || grantpt(ends[0]) != 0 || unlockpt(ends[0]) != 0) {
        fail_msg("no pseudo terminal: %s", strerror(errno));
    }
    ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
    struct winsize size = {.ws_row = (unsigned short)(call->rows > 0 ? call->rows : MANY_ROWS),
                           .ws_col = (unsigned short)call->columns};
    ioctl(ends[1], TIOCSWINSZ, &size);
}

static int open_input(const char *input) {
    FILE *file = tmpfile();
    if (input) {
        fputs(input, file);
    }
    rewind(file);
    int handle = dup(fileno(file));
    fclose(file);
    return handle;
}

static void add_text(Text *text, const char *bytes, size_t size) {
    text->bytes = realloc(text->bytes, text->size + size + 1);
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

/* Takes what is there; false at the end. */
static bool take(int handle, Text *text) {
    char bytes[4096];
    ssize_t got = read(handle, bytes, sizeof bytes);
    if (got > 0) {
        add_text(text, bytes, (size_t)got);
    }
    return got > 0;
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    while (*part && (text = strstr(text, part))) {
        count++;
        text += strlen(part);
    }
    return count;
}

typedef struct Watch {
    const Call *call;
    pid_t pid;
    int handles[2]; /* to read from: out and err; on a terminal the first alone */
    Text texts[2];
    int pauses; /* answered */
    const char *type;
    int signals;     /* sent */
    double first_at; /* when the first was */
} Watch;

/* Answers a pause with the next of the lines to be typed. */
static void type_line(Watch *watch) {
    int asked = 0;
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        asked += count_of(watch->texts[0].bytes, prompts[i]);
    }
    if (!watch->type || asked <= watch->pauses) {
        return;
    }
    size_t size = strcspn(watch->type, "\n");
    bool end = watch->type[0] == '^';
    const char *typed = end ? "\004" : watch->type;
    size = end ? 1 : size + (watch->type[size] == '\n');
    if (size == 0 || write(watch->handles[0], typed, size) < 0) {
        return;
    }
    watch->pauses++;
    watch->type += size;
}

static void send_signals(Watch *watch) {
    const Call *call = watch->call;
    if (!call->wait_for || !strstr(watch->texts[0].bytes, call->wait_for)) {
        return;
    }
    if (call->close_early && watch->handles[0] >= 0) {
        close(watch->handles[0]);
        watch->handles[0] = -1;
    }
    bool due = watch->signals == 0 || (watch->signals == 1 && call->again &&
                                       clock_now() - watch->first_at > call->again_after / 1000.0);
    if (call->signal && due) {
        kill(watch->pid, call->signal);
        watch->first_at = clock_now();
        watch->signals++;
    }
}

static void watch_child(Watch *watch) {
    double started = clock_now();
    bool open[2] = {true, watch->handles[1] >= 0};
    while (open[0] || open[1]) {
        struct pollfd polls[2];
        for (int i = 0; i < 2; i++) {
            polls[i] = (struct pollfd){.fd = open[i] ? watch->handles[i] : -1, .events = POLLIN};
        }
        poll(polls, 2, 10);
        for (int i = 0; i < 2; i++) {
            if (polls[i].revents) {
                open[i] = take(watch->handles[i], &watch->texts[i]);
            }
        }
        type_line(watch);
        send_signals(watch);
        open[0] = open[0] && watch->handles[0] >= 0;
        if (clock_now() - started > CHILD_SECONDS) {
            kill(watch->pid, SIGKILL);
            waitpid(watch->pid, NULL, 0);
            fail_msg("the lesson did not end: %s\n%s", watch->call->flags, watch->texts[0].bytes);
        }
    }
}

static void open_streams(const Call *call, Watch *watch, int ends[3]) {
    int out[2], err[2] = {-1, -1};
    if (call->columns > 0) {
        open_terminal(call, out);
        ends[0] = ends[1] = ends[2] = out[1];
    } else {
        if (pipe(out) != 0 || pipe(err) != 0) {
            fail_msg("no pipe: %s", strerror(errno));
        }
        ends[0] = open_input(call->input);
        ends[1] = out[1];
        ends[2] = err[1];
    }
    watch->handles[0] = out[0];
    watch->handles[1] = err[0];
    add_text(&watch->texts[0], "", 0);
    add_text(&watch->texts[1], "", 0);
}

Child child_run(Call call) {
    Child child = {0};
    Watch watch = {.call = &call, .type = call.type};
    int ends[3], status;
    if (call.folder) {
        snprintf(child.folder, sizeof child.folder, "%s", call.folder);
    } else {
        folder_new(child.folder);
    }
    open_streams(&call, &watch, ends);
    fflush(NULL);
    watch.pid = fork();
    if (watch.pid == 0) {
        child_main(&call, child.folder, ends);
    }
    for (int i = 0; i < 3; i++) {
        if (i == 0 || ends[i] != ends[i - 1]) {
            close(ends[i]);
        }
    }
    watch_child(&watch);
    waitpid(watch.pid, &status, 0);
    for (int i = 0; i < 2; i++) {
        if (watch.handles[i] >= 0) {
            close(watch.handles[i]);
        }
    }
    child.by_signal = WIFSIGNALED(status);
    child.code = child.by_signal ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    child.out = watch.texts[0].bytes;
    child.err = watch.texts[1].bytes;
    return child;
}

void child_free(Child *child) {
    free(child->out);
    free(child->err);
    folder_remove(child->folder);
    *child = (Child){0};
}

char *child_file(const Child *child, const char *path) {
    char full[2 * CHILD_PATH];
    snprintf(full, sizeof full, "%s/%s", child->folder, path);
    int handle = open(full, O_RDONLY);
    if (handle < 0) {
        return NULL;
    }
    Text text = {0};
    add_text(&text, "", 0);
    while (take(handle, &text)) {
    }
    close(handle);
    return text.bytes;
}

static int no_dots(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

char *child_list(const Child *child, const char *path) {
    char full[2 * CHILD_PATH];
    struct dirent **entries = NULL;
    Text text = {0};
    add_text(&text, "", 0);
    snprintf(full, sizeof full, "%s/%s", child->folder, path);
    int count = scandir(full, &entries, no_dots, alphasort);
    for (int i = 0; i < count; i++) {
        add_text(&text, entries[i]->d_name, strlen(entries[i]->d_name));
        add_text(&text, "\n", 1);
        free(entries[i]);
    }
    free(entries);
    return text.bytes;
}
