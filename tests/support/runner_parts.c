#include "support/runner_parts.h"

#include "assert_close.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char lock_path[512]; /* PROGRAM.lock is held for as long as any process of it lives */

static void play_nothing(void **state) {
    (void)state;
}

static void play_failing(void **state) {
    (void)state;
    assert_int_equal(6 * 9, 42);
}

static void play_skipping(void **state) {
    (void)state;
    print_message("skipped: there is no moon tonight\n");
    skip();
}

static rlim_t space_allowed(void) {
    struct rlimit space;
    assert_int_equal(getrlimit(RLIMIT_AS, &space), 0);
    return space.rlim_cur;
}

static void play_short_of_space(void **state) {
    (void)state;
    assert_true(space_allowed() == (rlim_t)3000 << 20);
}

static void play_browser(void **state) {
    (void)state;
    assert_true(space_allowed() != (rlim_t)3000 << 20);
}

static void play_crashing(void **state) {
    (void)state;
    signal(SIGSEGV, SIG_DFL); /* cmocka and the sanitizers catch it otherwise */
    raise(SIGSEGV);
}

static void play_aborting(void **state) {
    (void)state;
    fprintf(stderr, "error: matmul: x (2, 3) times w (4, 5): 3 != 4\n");
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void play_looping(void **state) {
    (void)state;
    for (;;) {
        pause();
    }
}

static void play_spinning(void **state) {
    (void)state;
    for (volatile unsigned long turns = 0;; turns++) {
    }
}

static void play_exiting(void **state) {
    (void)state;
    exit(0);
}

static void play_exiting_with_3(void **state) {
    (void)state;
    exit(3);
}

static void play_flooding(void **state) {
    (void)state;
    for (;;) {
        puts("and on and on and on and on and on and on and on and on and on and on");
    }
}

/* Leaves a child behind that holds the output pipe open and would sleep for ever. */
static void play_leaving_a_child(void **state) {
    (void)state;
    if (fork() == 0) {
        play_looping(state);
    }
}

/* A fork whose child runs on: both processes finish the tests. */
static void play_doubling(void **state) {
    (void)state;
    pid_t child = fork();
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}

static void play_showing_environment(void **state) {
    (void)state;
    assert_null(getenv("CMOCKA_MESSAGE_OUTPUT"));
    assert_null(getenv("MAKEFLAGS"));
    assert_int_equal(getpid(), getpgrp());
    assert_int_equal(getchar(), EOF);
    struct rlimit space;
    assert_int_equal(getrlimit(RLIMIT_CORE, &space), 0);
    assert_int_equal(space.rlim_cur, 0);
}

static int play_setup_failing(void **state) {
    (void)state;
    return -1;
}

typedef struct Part {
    const char *name;
    CMUnitTestFunction second;   /* the second of its three tests; the others pass */
    int (*group_setup)(void **); /* or NULL */
    int status;                  /* exit status; -1: the number of failures, as it should be */
} Part;

static const Part parts[] = {
    {"pass", play_nothing, NULL, -1},
    {"fail", play_failing, NULL, -1},
    {"fail_quietly", play_failing, NULL, 0},
    {"skip", play_skipping, NULL, -1},
    {"crash", play_crashing, NULL, -1},
    {"abort", play_aborting, NULL, -1},
    {"loop", play_looping, NULL, -1},
    {"spin", play_spinning, NULL, -1},
    {"exit_0", play_exiting, NULL, -1},
    {"exit_3", play_exiting_with_3, NULL, -1},
    {"flood", play_flooding, NULL, -1},
    {"leave", play_leaving_a_child, NULL, -1},
    {"double", play_doubling, NULL, -1},
    {"environment", play_showing_environment, NULL, -1},
    {"space", play_short_of_space, NULL, -1},
    {"the_browser", play_browser, NULL, -1},
    {"setup_fails", play_nothing, play_setup_failing, -1},
    {"pass_status_7", play_nothing, NULL, 7},
};

static int play(const Part *part) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(play_nothing),
                                       {"the_second", part->second, NULL, NULL, NULL},
                                       {"the_third", play_nothing, NULL, NULL, NULL}};
    int failures = cmocka_run_group_tests(tests, part->group_setup, NULL);
    return part->status >= 0 ? part->status : failures;
}

int play_by_name(const char *program) {
    const char *slash = strrchr(program, '/');
    const char *name = slash != NULL ? slash + 1 : program;
    snprintf(lock_path, sizeof lock_path, "%s.lock", program);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, name) == 0) {
            int lock = open(lock_path, O_RDWR | O_CREAT, 0600); /* kept open until the end */
            return lock >= 0 && flock(lock, LOCK_EX) == 0 ? play(&parts[i]) : 99;
        }
    }
    if (strcmp(name, "empty") == 0) {
        return 0;
    }
    if (strcmp(name, "claims_to_pass") == 0) {
        puts("[  PASSED  ] 3 test(s).");
        return 0;
    }
    return -1;
}
