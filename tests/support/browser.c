#include "support/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/file.h"
#include "support/lesson_run.h"
#include "support/picture.h"

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits for the child; ends its whole group when it takes too long, and whatever it left behind.
 * Its exit status, or -1. */
static int child_wait(pid_t child, int seconds) {
    double end = seconds_now() + seconds;
    int status = 0;
    pid_t ended = 0;
    while (ended == 0 && seconds_now() < end) {
        ended = waitpid(child, &status, WNOHANG);
        usleep(20000);
    }
    kill(-child, SIGKILL);
    if (ended == 0) {
        waitpid(child, NULL, 0);
    }
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs a program in a group of its own; its stdout and stderr go to files that exist. */
static int program_run(char *const *arguments, const char *home, const char *out, const char *err,
                       int seconds) {
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(open(out, O_WRONLY | O_APPEND), STDOUT_FILENO);
        dup2(open(err, O_WRONLY | O_APPEND), STDERR_FILENO);
        if (home != NULL) {
            setenv("HOME", home, 1); /* nothing of the user's is read or changed */
            setenv("XDG_CONFIG_HOME", home, 1);
            setenv("XDG_CACHE_HOME", home, 1);
            unsetenv("CHROMIUM_FLAGS");
        }
        execv(arguments[0], arguments);
        _exit(127);
    }
    setpgid(child, child); /* here too: nobody knows which of the two runs first */
    return child > 0 ? child_wait(child, seconds) : -1;
}

/* The first of the names that is on PATH. */
static bool on_path(char path[BROWSER_PATH]) {
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    for (int i = 0; i < 3; i++) {
        char command[256];
        snprintf(command, sizeof command, "command -v %s", names[i]);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        bool found = fgets(path, BROWSER_PATH, pipe) != NULL && path[0] == '/';
        pclose(pipe);
        path[strcspn(path, "\n")] = '\0';
        if (found) {
            return true;
        }
    }
    return false;
}

/* Opens the URL; folder/page gets the document, folder/messages what was said. Its exit status, or
 * -1 when it did not end by itself. */
static int page_dump(const char *browser, const char *folder, const char *url, int width,
                     bool dark) {
    char profile[1024], size[64], address[2048], program[BROWSER_PATH];
    snprintf(profile, sizeof profile, "--user-data-dir=%.900s/profile", folder);
    snprintf(size, sizeof size, "--window-size=%d,900", width);
    snprintf(address, sizeof address, "%s", url);
    snprintf(program, sizeof program, "%s", browser);
#define FLAG(text) ((char[]){text})
    char *const arguments[] = {program,
                               FLAG("--headless"),
                               FLAG("--no-sandbox"), /* it has none for root */
                               FLAG("--disable-gpu"),
                               FLAG("--disable-quic"),
                               FLAG("--disable-dev-shm-usage"),
                               FLAG("--no-first-run"),
                               FLAG("--disable-background-networking"),
                               FLAG("--disable-component-update"),
                               FLAG("--disable-sync"),
                               FLAG("--disable-extensions"),
                               FLAG("--enable-logging=stderr"),
                               FLAG("--virtual-time-budget=10000"),
                               dark ? FLAG("--blink-settings=preferredColorScheme=0")
                                    : FLAG("--blink-settings=preferredColorScheme=1"),
                               profile,
                               size,
                               FLAG("--dump-dom"),
                               address,
                               NULL};
    char out[1024], err[1024];
    Error error;
    snprintf(out, sizeof out, "%s", path_in(folder, "page"));
    snprintf(err, sizeof err, "%s", path_in(folder, "messages"));
    assert_true(file_write(out, "\n", 1, &error) && file_write(err, "\n", 1, &error));
    return program_run(arguments, folder, out, err, BROWSER_SECONDS);
}

/* Some browsers cannot: for want of rights, or because they may not read what is in /tmp. */
static bool opens_a_page(const char *browser) {
    static const char text[] = "<!doctype html><p>a page to try it</p>";
    char folder[LESSON_PATH], url[LESSON_PATH + 32];
    Error error;
    folder_new(folder);
    snprintf(url, sizeof url, "file://%s/try.html", folder);
    bool opened = file_write(path_in(folder, "try.html"), text, strlen(text), &error) &&
                  page_dump(browser, folder, url, 800, false) == 0;
    char *page = opened ? text_read(path_in(folder, "page"), NULL) : NULL;
    opened = opened && strstr(page, "<p>a page to try it</p>") != NULL;
    free(page);
    folder_remove(folder);
    return opened;
}

bool browser_find(char path[BROWSER_PATH], char problem[512]) {
    char *const setup[] = {(char[]){"/bin/sh"}, (char[]){".ci/setup"}, (char[]){"browser"}, NULL};
    if (!on_path(path)) {
        program_run(setup, NULL, "/dev/null", "/dev/null", BROWSER_SETUP_SECONDS);
    }
    if (!on_path(path)) {
        snprintf(problem, 512,
                 "there is no Chromium to open the page with; `sh .ci/setup browser` "
                 "gets it, or names the command that does");
        return false;
    }
    snprintf(problem, 512, "%.200s is there, but cannot open the smallest page of a file", path);
    return opens_a_page(path);
}

BrowserPage browser_open(const char *browser, const char *folder, const char *url, int width,
                         bool dark) {
    char home[1024]; /* `folder` may be one of the few texts path_in() keeps */
    snprintf(home, sizeof home, "%s", folder);
    int status = page_dump(browser, home, url, width, dark);
    BrowserPage page = {text_read(path_in(home, "page"), NULL),
                        text_read(path_in(home, "messages"), NULL)};
    if (status != 0) {
        fail_msg("the browser ended with %d (-1: not within %d s):\n%.2000s", status,
                 BROWSER_SECONDS, page.messages);
    }
    return page;
}

void browser_page_free(BrowserPage *page) {
    free(page->page);
    free(page->messages);
}
