#include "lesson/record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/check.h"
#include "core/threads.h"
#include "io/tsv.h"
#include "lesson/walkthrough.h"

#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

/* The text behind "model name : " in the first such line of /proc/cpuinfo. */
static bool cpu_from_proc(char *text, size_t size) {
    FILE *info = fopen("/proc/cpuinfo", "r");
    char line[512];
    bool found = false;
    while (info && !found && fgets(line, sizeof line, info)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            colon += 1 + strspn(colon + 1, " \t");
            snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
            found = *text != '\0';
        }
    }
    if (info) {
        fclose(info);
    }
    return found;
}

void record_cpu(char *text, size_t size) {
#ifdef __APPLE__
    size_t length = size;
    if (sysctlbyname("machdep.cpu.brand_string", text, &length, NULL, 0) == 0 && length > 0) {
        return;
    }
#endif
    struct utsname machine;
    if (cpu_from_proc(text, size)) {
        return;
    }
    snprintf(text, size, "%s", uname(&machine) == 0 ? machine.machine : "unknown");
}

static void put_line(FILE *out, const char *key, const char *value) {
    tsv_put(out, key);
    putc('\t', out);
    tsv_put(out, value);
    putc('\n', out);
}

/* One word as a shell would read it: in quotes where it needs them. */
static void put_word(FILE *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    char *quoted = check_alloc(4 * strlen(word) + 3), *at = quoted;
    *at++ = '\'';
    for (; *word; word++) {
        if (*word == '\'') { /* the quote ends, one follows by itself, the next begins */
            memcpy(at, "'\\''", 4);
            at += 4;
        } else {
            *at++ = *word;
        }
    }
    *at = '\'';
    tsv_put(out, quoted);
    free(quoted);
}

/* The flags as they were typed (getopt may have sorted them). */
static void put_typed(FILE *out, const Run *run) {
    fputs("flags\t", out);
    for (int i = 1; i < run->argc; i++) {
        fputs(i > 1 ? " " : "", out);
        put_word(out, run->argv[i]);
    }
    fputs(run->argc > 1 ? "\n" : "-\n", out);
}

/* Every flag under its own name, in the order of --help; --help, --list and --notes themselves are
 * none. */
static void put_flags(FILE *out, const Run *run) {
    Option table[FLAGS_MAX_OPTIONS];
    Flags flags = run->flags;
    int count = flags_table(run->lesson, &flags, table);
    for (int i = 0; i < count; i++) {
        char text[FLAGS_TEXT_SIZE];
        bool is_text = table[i].kind == OPTION_IS_TEXT || table[i].kind == OPTION_IS_LIST;
        option_value_text(&table[i], text, sizeof text);
        if (table[i].value.flag == &flags.help || table[i].value.flag == &flags.list ||
            table[i].value.flag == &flags.notes) {
            continue;
        }
        if (table[i].value.whole == &flags.threads) { /* however it came to be that many */
            fprintf(out, "%s\t%d\n", table[i].name, threads_count());
        } else if (is_text &&
                   *table[i].value.text) { /* a path may be longer than the room for a number */
            put_line(out, table[i].name, *table[i].value.text);
        } else if (table[i].kind == OPTION_IS_INT && *table[i].value.whole < (int)table[i].min) {
            put_line(out, table[i].name, "-"); /* not given, and 0 says so */
        } else {
            put_line(out, table[i].name, text);
        }
    }
}

/* The path of this program where the system or the caller gives one. */
static const char *program_path(const Run *run) {
    const char *linux_path = "/proc/self/exe";
    return access(linux_path, R_OK) == 0 ? linux_path : run->argc > 0 ? run->argv[0] : "";
}

void record_begin(Run *run) {
    Option table[FLAGS_MAX_OPTIONS];
    Flags flags = run->flags;
    int count = flags_table(run->lesson, &flags, table);
    size_t size = 0;
    char sum[17];
    free(run->checksums);
    FILE *out = open_memstream(&run->checksums, &size);
    CHECK(out != NULL, "out of memory");
    if (file_checksum(program_path(run), sum, NULL)) {
        fprintf(out, "program\t%s\n", sum);
    }
    for (int i = 0; i < count; i++) {
        if (table[i].is_file && *table[i].value.text != NULL &&
            file_checksum(*table[i].value.text, sum, NULL)) {
            fprintf(out, RECORD_CHECKSUM "%s\t%s\n", table[i].name, sum);
        }
    }
    CHECK(fclose(out) == 0, "out of memory");
}

static void put_files(FILE *out, const Run *run) {
    fputs("files\t", out);
    for (int i = 0; i < run->file_count; i++) {
        fputs(i > 0 ? " " : "", out);
        tsv_put(out, run->files[i].name);
    }
    fputs(run->file_count > 0 ? "\n" : "-\n", out);
}

static void put_steps(FILE *out, const Run *run) {
    fputs("steps_run\t", out);
    bool any = false;
    for (int i = 0; i < run->lesson->step_count; i++) {
        if (run->done[i]) {
            fprintf(out, "%s%s", any ? " " : "", run->lesson->steps[i].number);
            any = true;
        }
    }
    fputs(any ? "\n" : "-\n", out);
}

bool record_write(const Run *run, int exit_code, double seconds, Error *error) {
    char cpu[256];
    record_cpu(cpu, sizeof cpu);
    char *path = path_join(run->flags.out, "run.tsv");
    CHECK(path != NULL, "out of memory");
    AtomicFile file;
    FILE *out = atomic_open(&file, path, error);
    free(path);
    if (!out) {
        return false;
    }
    fprintf(out, "lesson\t%s_%s\n", run->lesson->number, run->lesson->name);
    put_line(out, "title", run->lesson->title);
    put_typed(out, run);
    put_flags(out, run);
    fputs(run->checksums != NULL ? run->checksums : "", out);
    put_line(out, "compiler", COMPILER);
    put_line(out, "cpu", cpu);
    fprintf(out, "seconds\t%.3f\n", seconds);
    put_steps(out, run);
    put_files(out, run);
    fprintf(out, "claims_hold\t%d\nclaims_fail\t%d\nclaims_not_made\t%d\nclaims_timing\t%d\n",
            claims_count(&run->claims, CLAIM_HOLDS), claims_count(&run->claims, CLAIM_FAILS),
            claims_count(&run->claims, CLAIM_NOT_MADE), claims_count(&run->claims, CLAIM_TIMING));
    fprintf(out, "stopped_by\t%s\nexit_code\t%d\n", run_ending(run), exit_code);
    return atomic_commit(&file, error);
}
