#include "runner/verdict.h"

#include "runner/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOWN_LINES = 24, SHOWN_WIDTH = 160 };

static const char begin_mark[] = "[ RUN      ] ", group_mark[] = "[==========] ",
                  passed_mark[] = "[  PASSED  ] ", skipped_mark[] = "[  SKIPPED ] ";

/* --- cmocka's counts --- */

/* One "[==========]" line: either "Running 5 test(s)." or "5 test(s) run.". */
static void summary_add_group(Summary *sum, const char *line) {
    const char *end = line + strcspn(line, "\n");
    const char *begins = strstr(line, "Running "), *ends = strstr(line, " test(s) run.");
    if (begins != NULL && begins < end) {
        sum->announced += strtol(begins + strlen("Running "), NULL, 10);
        sum->groups_begun++;
    } else if (ends != NULL && ends < end) {
        while (ends > line && ends[-1] >= '0' && ends[-1] <= '9') {
            ends--;
        }
        sum->run += strtol(ends, NULL, 10);
        sum->groups_ended++;
    }
}

/* The sum of N over all "MARK N test(s)"; the mark also stands before names of tests. */
static long counts_after(const char *output, const char *mark) {
    long sum = 0;
    for (const char *at = output; (at = strstr(at, mark)) != NULL;) {
        char *rest;
        at += strlen(mark);
        long count = strtol(at, &rest, 10);
        sum += strncmp(rest, " test(s)", strlen(" test(s)")) == 0 ? count : 0;
    }
    return sum;
}

Summary summary_read(const char *output) {
    Summary sum = {.passed = counts_after(output, passed_mark),
                   .skipped = counts_after(output, skipped_mark)};
    for (const char *at = output; (at = strstr(at, group_mark)) != NULL; at++) {
        summary_add_group(&sum, at);
    }
    return sum;
}

bool summary_complete(const Summary *sum) {
    return sum->announced > 0 && sum->run == sum->announced &&
           sum->groups_begun == sum->groups_ended && sum->passed + sum->skipped <= sum->run;
}

/* --- The single tests --- */

typedef enum Fate { FATE_UNFINISHED, FATE_PASSED, FATE_FAILED } Fate;

typedef struct Case {
    const char *name, *text, *end; /* text..end: what was printed while it ran */
    int name_length;
    Fate fate;
} Case;

/* Does "MARK name" stand among what the test printed? */
static bool case_marked(const Case *test, const char *mark) {
    for (const char *at = test->text; (at = strstr(at, mark)) != NULL && at < test->end;) {
        at += strlen(mark);
        if (strncmp(at, test->name, (size_t)test->name_length) == 0 &&
            strchr("\r\n", at[test->name_length]) != NULL) {
            return true;
        }
    }
    return false;
}

/* The next test in the output from `at` on; false when there is none. */
static bool case_next(const char *at, Case *test) {
    at = strstr(at, begin_mark);
    if (at == NULL) {
        return false;
    }
    test->name = at + strlen(begin_mark);
    test->name_length = (int)strcspn(test->name, "\r\n");
    test->text = test->name + test->name_length;
    test->end = test->text + strlen(test->text);
    const char *next = strstr(test->text, begin_mark), *group = strstr(test->text, group_mark);
    test->end = next != NULL && next < test->end ? next : test->end;
    test->end = group != NULL && group < test->end ? group : test->end;
    test->fate = FATE_UNFINISHED;
    if (case_marked(test, "[  FAILED  ] ") || case_marked(test, "[  ERROR   ] ")) {
        test->fate = FATE_FAILED;
    } else if (case_marked(test, "[       OK ] ") || case_marked(test, skipped_mark)) {
        test->fate = FATE_PASSED;
    }
    return true;
}

/* Prints the names of the tests that met this fate: "BEFORE a, b". */
static void show_names(const char *output, Fate fate, const char *before) {
    Case test;
    for (const char *at = output; case_next(at, &test); at = test.end) {
        if (test.fate == fate) {
            printf("%s%.*s", before, test.name_length, test.name);
            before = ", ";
        }
    }
}

/* --- Showing what they printed --- */

/* Prints the lines of text..end, at most *lines of them, indented and harmless to a terminal. */
static void show_lines(const char *text, const char *end, int *lines) {
    while (text<end && * lines> 0) {
        size_t length = strcspn(text, "\n");
        length = length > (size_t)(end - text) ? (size_t)(end - text) : length;
        for (size_t i = 0; i < length && i < SHOWN_WIDTH; i++) {
            unsigned char c = (unsigned char)text[i];
            printf(i == 0 ? "    %c" : "%c", (c < ' ' && c != '\t') || c == 127 ? '?' : c);
        }
        if (length > 0) {
            putchar('\n');
            --*lines;
        }
        text += length + 1;
    }
}

/* Why tests were skipped: the first line that begins so. */
static void show_skipping(const char *output) {
    static const char mark[] = "\nskipped: ";
    const char *found = strstr(output, mark);
    int lines = 1;
    if (found != NULL) {
        show_lines(found + 1, found + 1 + strcspn(found + 1, "\n"), &lines);
    }
}

static const char *line_start(const char *output, const char *at) {
    while (at > output && at[-1] != '\n') {
        at--;
    }
    return at;
}

/* Where a sanitizer speaks; otherwise the last lines. */
static const char *last_words(const char *output) {
    static const char *const alarms[] = {"ERROR: AddressSanitizer",
                                         "runtime error: ", "ERROR: LeakSanitizer"};
    for (size_t i = 0; i < sizeof alarms / sizeof *alarms; i++) {
        const char *alarm = strstr(output, alarms[i]);
        if (alarm != NULL) {
            return line_start(output, alarm);
        }
    }
    const char *at = output + strlen(output);
    for (int i = 0; i <= SHOWN_LINES / 2 && at > output; i++) {
        at = line_start(output, at - 1);
    }
    return at;
}

/* What the failing tests printed or, when none of them failed, the last words of the program. */
static void show_output(const Ending *ending) {
    int lines = SHOWN_LINES;
    Case test;
    for (const char *at = ending->output; case_next(at, &test); at = test.end) {
        if (test.fate == FATE_FAILED) {
            show_lines(test.text, test.end, &lines);
        }
    }
    if (lines == SHOWN_LINES) {
        const char *from = last_words(ending->output);
        show_lines(from, from + strlen(from), &lines);
    }
    printf("    (all of it: %s.log)\n", ending->program);
}

const char *signal_name(int number) {
    static const struct {
        int number;
        const char *name;
    } known[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGFPE, "SIGFPE"},
                 {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},   {SIGKILL, "SIGKILL"},
                 {SIGTERM, "SIGTERM"}, {SIGPIPE, "SIGPIPE"}, {SIGXFSZ, "SIGXFSZ"},
                 {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},   {SIGINT, "SIGINT"},
                 {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"}, {SIGALRM, "SIGALRM"}};
    static char other[32];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].number == number) {
            return known[i].name;
        }
    }
    snprintf(other, sizeof other, "signal %d", number);
    return other;
}

/* --- The verdict --- */

static void report_death(const Ending *ending) {
    int status = ending->status, code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    printf("FAILED  %s: ", ending->program);
    if (ending->killed[0] != '\0') {
        printf("%s", ending->killed);
    } else if (WIFSIGNALED(status)) {
        printf("crashed %s", signal_name(WTERMSIG(status)));
    } else if (code == EXEC_NOT_THERE && access(ending->program, F_OK) != 0) {
        printf("did not build");
    } else if (code == 0) {
        printf("ended before its tests did");
    } else {
        printf("ended with exit status %d before its tests did", code);
    }
    show_names(ending->output, FATE_UNFINISHED, " in ");
    putchar('\n');
}

/* Its tests came to their end: prints the line, gives the number of failures. */
static long report_tests(const Ending *ending, const Summary *sum) {
    long failed = sum->run - sum->passed - sum->skipped;
    int code = WEXITSTATUS(ending->status);
    if (failed > 0) {
        printf("FAILED  %s", ending->program);
        show_names(ending->output, FATE_FAILED, ": ");
        putchar('\n');
    } else if (code != 0) {
        printf("FAILED  %s: exit status %d after its tests passed\n", ending->program, code);
        failed = 1;
    } else {
        printf("ok      %s: %ld passed, %.1f s\n", ending->program, sum->passed, ending->seconds);
        if (sum->skipped > 0) {
            show_skipping(ending->output);
        }
    }
    return failed;
}

void ending_judge(const Ending *ending, Totals *totals) {
    Summary sum = summary_read(ending->output);
    bool died = ending->killed[0] != '\0' || !WIFEXITED(ending->status) || !summary_complete(&sum);
    long failed = 1;
    if (died) {
        report_death(ending);
    } else {
        failed = report_tests(ending, &sum);
        totals->passed += sum.passed;
        totals->skipped += sum.skipped;
    }
    if (failed > 0 && access(ending->program, F_OK) == 0) {
        show_output(ending);
    }
    totals->failed += failed;
    fflush(stdout);
}
