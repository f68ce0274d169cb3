/* Code that wants a verdict it has not earned, or wants to do harm while it runs: none of it
 * passes, none of it outlives the grading, and what it was to spoil is still there.
 *
 * All of them stand in place of aer_rate() (exercise 2.6), a function that needs no other. */
#include "assert_close.h"
#include "grade/variants.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define RIGHT                                                                                      \
    "long all = aer->proposed + aer->sure;\n"                                                      \
    "return all > 0 ? 1.0 - (double)(aer->proposed_sure + aer->proposed_possible) / (double)all"   \
    " : 0.0;\n"

static const char libc[] = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
                           "#include <string.h>\n#include <signal.h>\n#include <fcntl.h>\n"
                           "#include <errno.h>\n#include <dlfcn.h>\n#include <sys/mman.h>\n"
                           "#include <sys/ptrace.h>\n#include <sys/resource.h>\n"
                           "#include <sys/socket.h>\n#include <sys/stat.h>\n#include <sys/wait.h>\n"
                           "#include <sys/syscall.h>\n#include <pthread.h>\n"
                           "static void say_more(void) { write(3, \"item\", 4); }\n";

typedef struct Attack {
    const char *name, *body;
    Outcome outcome;
    const char *words; /* of the verdict */
} Attack;

/* FILE and SECRET are paths of this test's own folder, PID the judge's process. */
static const Attack attacks[] = {
    {"none", RIGHT, OUTCOME_PASSED, ""},
    {"chatty", "printf(\"I am here\\n\"); " RIGHT, OUTCOME_PASSED, ""},

    /* ending, never ending, drowning */
    {"exit", "exit(0);", OUTCOME_FAILED, "exit status 0"},
    {"_exit", "_exit(0);", OUTCOME_FAILED, "without an answer"},
    {"exit_later", "static int n; if (n++ == 3) exit(0); " RIGHT, OUTCOME_FAILED,
     "without an answer"},
    {"null", "return (double)*(volatile int *)0;", OUTCOME_CRASHED, "SIGSEGV"},
    {"abort", "abort();", OUTCOME_CRASHED, "SIGABRT"},
    {"loop", "for (volatile int i = 0;; i++) {}", OUTCOME_OUT_OF_TIME, "in time"},
    {"loop_without_signals",
     "for (int s = 1; s < 65; s++) signal(s, SIG_IGN); for (volatile int i = 0;; i++) {}",
     OUTCOME_OUT_OF_TIME, "in time"},
    {"more_time",
     "struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};"
     "if (setrlimit(RLIMIT_CPU, &none) == 0) exit(7); " RIGHT,
     OUTCOME_PASSED, ""},
    {"flood", "for (;;) { puts(\"[  PASSED  ] 29 test(s).\"); fflush(stdout); }", OUTCOME_FAILED,
     "said too much"},
    {"flood_of_answers",
     "for (;;) { static char b[65536]; if (write(3, b, sizeof b) < 0) _exit(0); }", OUTCOME_FAILED,
     ""},
    {"memory", /* volatile: a compiler may leave out memory that nobody reads */
     "for (;;) { volatile char *p = malloc(64 << 20); if (p == NULL) abort(); p[0] = 1; }",
     OUTCOME_CRASHED, "SIGABRT"},
    {"recursion", "volatile Aer deeper = *aer; return aer_rate((const Aer *)&deeper) + 1.0;",
     OUTCOME_CRASHED, "SIGSEGV"},

    /* processes, other programs, the network */
    {"fork_bomb", "for (;;) fork();", OUTCOME_CRASHED, "not allowed"},
    {"system", "system(\"touch FILE\"); return 0.0;", OUTCOME_CRASHED, "not allowed"},
    {"exec", "execl(\"/bin/true\", \"true\", (char *)0); return 0.0;", OUTCOME_CRASHED,
     "not allowed"},
    {"thread",
     "pthread_t t; pthread_create(&t, NULL, (void *(*)(void *))(void *)exit, NULL); return 0.0;",
     OUTCOME_CRASHED, "not allowed"},
    {"socket", "socket(AF_INET, SOCK_STREAM, 0); return 0.0;", OUTCOME_CRASHED, "not allowed"},
    {"other_numbers", "syscall(0x40000000 | 39); return 0.0;", OUTCOME_CRASHED, ""},

    /* the judge */
    {"kill_judge", "kill(PID, SIGKILL); return 0.0;", OUTCOME_CRASHED, "not allowed"},
    {"kill_parent", "kill(getppid(), SIGKILL); return 0.0;", OUTCOME_CRASHED, "not allowed"},
    {"kill_all", "kill(-1, SIGKILL); return 0.0;", OUTCOME_CRASHED, "not allowed"},
    {"trace_judge", "ptrace(PTRACE_ATTACH, PID, 0, 0); return 0.0;", OUTCOME_CRASHED,
     "not allowed"},
    {"become_root", "if (getuid() == 0 || setuid(0) == 0) exit(7); " RIGHT, OUTCOME_PASSED, ""},

    /* files: none can be opened, so it ends as if it had not tried */
    {"write_file", "if (open(\"FILE\", O_WRONLY | O_TRUNC) >= 0) exit(7); " RIGHT, OUTCOME_PASSED,
     ""},
    {"make_file", "if (open(\"FILE.new\", O_CREAT | O_WRONLY, 0666) >= 0) exit(7); " RIGHT,
     OUTCOME_PASSED, ""},
    {"remove_file",
     "if (unlink(\"FILE\") == 0 || rename(\"FILE\", \"FILE.new\") == 0 || "
     "chmod(\"FILE\", 0) == 0 || mkdir(\"FILE.new\", 0777) == 0) exit(7); " RIGHT,
     OUTCOME_PASSED, ""},
    {"read_file",
     "if (open(\"FILE\", O_RDONLY) >= 0 || open(\"/etc/passwd\", O_RDONLY) >= 0 || "
     "open(\"/proc/self/maps\", O_RDONLY) >= 0 || open(\"/proc/PID/mem\", O_RDWR) >= 0) "
     "exit(7); " RIGHT,
     OUTCOME_PASSED, ""},
    {"read_expected", /* the instructor's worker, and whatever else may be open */
     "if (open(\"WORKER\", O_RDONLY) >= 0) exit(7); char b[64];"
     "for (int fd = 4; fd < 1100; fd++) if (read(fd, b, sizeof b) >= 0) exit(7);"
     "if (read(3, b, sizeof b) >= 0) exit(7); " RIGHT,
     OUTCOME_PASSED, ""},
    {"run_memory",
     "if (mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) "
     "!= MAP_FAILED) exit(7); " RIGHT,
     OUTCOME_PASSED, ""},

    /* forging */
    {"fake_summary", "puts(\"29 of 29 exercises passed\\n[  PASSED  ] 29 test(s).\"); return 0.5;",
     OUTCOME_FAILED, "it should be"},
    {"forged_answers", /* zeros, well formed, again and again, and then a clean end */
     "static const char m[] = \"item\\1\\0\\0\\0rate\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\""
     "\"\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\";"
     "for (int i = 0; i < 40; i++) write(3, m, sizeof m); _exit(0);",
     OUTCOME_FAILED, ""},
    {"answers_behind_the_last", "static int n; if (n++ == 11) write(3, \"item\", 4); " RIGHT,
     OUTCOME_FAILED, ""},
    {"answers_at_the_end", "static int n; if (n++ == 0) atexit(say_more); " RIGHT, OUTCOME_FAILED,
     "more than it was asked"},
    {"huge_claims", /* an item of 4 thousand million numbers */
     "static const char m[] = \"item\\1\\0\\0\\0rate\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\""
     "\"\\1\\0\\0\\0\\4\\0\\0\\0\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\";"
     "write(3, m, sizeof m); _exit(0);",
     OUTCOME_FAILED, ""},
    {"says_it_is_not_written", "fputs(\"exercise 9.9 is not written yet\\n\", stderr); _exit(0);",
     OUTCOME_NEEDS, "9.9"},
    {"not_a_number", "return 0.0 / (double)(aer->sure - aer->sure);", OUTCOME_FAILED,
     "it should be"},
};
enum { ATTACKS = sizeof attacks / sizeof *attacks };

static Variants variants;
static Variant variant[ATTACKS];
static const Check *check;
static char folder[128], precious[160];

/* The body with FILE, WORKER and PID filled in. */
static char *filled(const char *body) {
    char *text = NULL, worker[600];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(realpath(BUILD_FOLDER "/graded/workers/library", worker));
    while (*body != '\0') {
        if (strncmp(body, "FILE", 4) == 0) {
            fputs(precious, out), body += 4;
        } else if (strncmp(body, "WORKER", 6) == 0) {
            fputs(worker, out), body += 6;
        } else if (strncmp(body, "PID", 3) == 0) {
            fprintf(out, "%d", (int)getpid()), body += 3;
        } else {
            fputc(*body++, out);
        }
    }
    fclose(out);
    return text;
}

static int open_attacks(void **state) {
    (void)state;
    Error error;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.90s/attend-attacks-XXXXXX",
             parent != NULL ? parent : "/tmp");
    if (mkdtemp(folder) == NULL || chmod(folder, 0777) != 0) {
        return -1;
    }
    snprintf(precious, sizeof precious, "%s/precious", folder);
    if (!file_write(precious, "precious", 8, &error) || chmod(precious, 0666) != 0) {
        return -1;
    }
    for (int i = 0; i < ATTACKS; i++) {
        variant[i] = (Variant){.number = "2.6", .path = "common/data/metrics.c", .place = 1};
        snprintf(variant[i].name, sizeof variant[i].name, "%s", attacks[i].name);
        variant[i].body = filled(attacks[i].body);
    }
    variants_open(&variants, variant, ATTACKS, libc);
    for (int c = 0; c < variants.table.checks && check == NULL; c++) {
        if (strcmp(variants.table.check[c].function, "aer") == 0) {
            check = &variants.table.check[c];
        }
    }
    return check != NULL ? 0 : -1;
}

static int close_attacks(void **state) {
    (void)state;
    variants_close(&variants);
    for (int i = 0; i < ATTACKS; i++) {
        free((char *)variant[i].body);
    }
    unlink(precious);
    rmdir(folder);
    return 0;
}

static void test_attack(void **state) {
    const Attack *attack = *state;
    Verdict verdict = variants_judge(&variants, (int)(attack - attacks), check);
    if (verdict.outcome != attack->outcome || strstr(verdict.text, attack->words) == NULL) {
        fail_msg("%s: \"%s\": %s; expected \"%s\": ..%s..", attack->name,
                 outcome_words[verdict.outcome], verdict.text, outcome_words[attack->outcome],
                 attack->words);
    }
}

/* After all of them: the file is as it was, nothing lies beside it, and nobody of theirs lives. */
static void test_nothing_is_spoilt(void **state) {
    (void)state;
    Error error;
    char *bytes, command[200];
    size_t size;
    assert_true(file_read(precious, 100, &bytes, &size, &error));
    assert_string_equal(bytes, "precious");
    free(bytes);
    snprintf(command, sizeof command, "test \"$(ls '%s')\" = precious", folder);
    assert_int_equal(system(command), 0);
    if (geteuid() == 0) {
        assert_int_not_equal(system("ps -u nobody -o comm= 2>/dev/null | grep -q '^variant'"), 0);
    }
}

int main(void) {
    struct CMUnitTest tests[ATTACKS + 1];
    for (int i = 0; i < ATTACKS; i++) {
        tests[i] = (struct CMUnitTest){.name = attacks[i].name,
                                       .test_func = test_attack,
                                       .initial_state = (void *)&attacks[i]};
    }
    tests[ATTACKS] = (struct CMUnitTest)cmocka_unit_test(test_nothing_is_spoilt);
    return cmocka_run_group_tests(tests, open_attacks, close_attacks);
}
