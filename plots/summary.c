/* The table at the end of `make run`: what each lesson took, which of its claims held, and where
 * its pictures are.
 *
 *     summary [LESSON=STATUS ...]
 *
 * reads plots/LESSON/claims.tsv and plots/LESSON/run.tsv; STATUS is what the lesson ended with, as
 * the shell counts it. Without arguments it tells about every lesson that has a folder. What is
 * missing shows as "-". Exit status: 0 when nothing failed, 1 when a claim or a lesson did, 130
 * when the run was interrupted. */
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, CLAIM_FIELDS = 7, NOT_BUILT = 127, SIGNALLED = 128, INTERRUPTED = 130 };

typedef struct Outcome {
    char name[64];  /* "01_forgetting" */
    int status;     /* exit status, or 0 when it is not known */
    bool recorded;  /* there is a claims.tsv */
    double seconds; /* negative: not known */
    int held, made, not_made;
    size_t pictures;
} Outcome;

/* --- Words on lines of 80 columns --- */

static int columns_of(const char *text, size_t bytes) {
    int columns = 0;
    for (size_t i = 0; i < bytes; i++) {
        columns += ((unsigned char)text[i] & 0xC0) != 0x80; /* a UTF-8 letter counts once */
    }
    return columns;
}

/* Prints the text, broken at spaces, further lines indented by four. */
static void print_wrapped(const char *text) {
    int column = 0;
    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");
        int columns = columns_of(text, bytes);
        if (column > 0 && column + 1 + columns > WIDTH) {
            fputs("\n    ", stdout);
            column = 4;
        } else if (column > 0) {
            putchar(' ');
            column++;
        }
        fwrite(text, 1, bytes, stdout);
        column += columns;
        text += bytes;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* --- Reading what a lesson left --- */

static FILE *open_beside(const char *name, const char *file) {
    char path[256];
    snprintf(path, sizeof path, "plots/%s/%s", name, file);
    return fopen(path, "r");
}

/* Cuts a line at its tabs; gives the number of fields, at most `room`. */
static int split(char *line, char **fields, int room) {
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    while (count < room) {
        fields[count++] = line;
        line = strchr(line, '\t');
        if (line == NULL) {
            break;
        }
        *line++ = '\0';
    }
    return count;
}

static void read_run(Outcome *outcome) {
    FILE *file = open_beside(outcome->name, "run.tsv");
    char *line = NULL, *fields[2];
    size_t room = 0;
    while (file != NULL && getline(&line, &room, file) >= 0) {
        if (split(line, fields, 2) == 2 && strcmp(fields[0], "seconds") == 0) {
            outcome->seconds = strtod(fields[1], NULL);
        }
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
}

static void print_failed_claim(const Outcome *outcome, char **fields) {
    char text[1024];
    snprintf(text, sizeof text, "%s: claim %s fails at step %s: %s: %s (bound %s %s)",
             outcome->name, fields[1], fields[0], fields[2], fields[3], fields[4], fields[5]);
    print_wrapped(text);
}

/* Counts the claims; with `show` prints those that fail. Claims about time are never counted. */
static void read_claims(Outcome *outcome, bool show) {
    FILE *file = open_beside(outcome->name, "claims.tsv");
    char *line = NULL, *fields[CLAIM_FIELDS];
    size_t room = 0;
    outcome->recorded = file != NULL;
    outcome->held = outcome->made = outcome->not_made = 0;
    while (file != NULL && getline(&line, &room, file) >= 0) {
        if (split(line, fields, CLAIM_FIELDS) < CLAIM_FIELDS) {
            continue;
        }
        const char *status = fields[CLAIM_FIELDS - 1];
        bool holds = strcmp(status, "holds") == 0, fails = strcmp(status, "fails") == 0;
        outcome->held += holds;
        outcome->made += holds || fails;
        outcome->not_made += strcmp(status, "not_made") == 0;
        if (fails && show) {
            print_failed_claim(outcome, fields);
        }
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
}

static size_t count_pictures(const char *name) {
    char pattern[256];
    glob_t found;
    snprintf(pattern, sizeof pattern, "plots/%s/*.png", name);
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    if (count > 0) {
        globfree(&found);
    }
    return count;
}

static Outcome outcome_read(const char *name, int status) {
    Outcome outcome = {.status = status, .seconds = -1};
    snprintf(outcome.name, sizeof outcome.name, "%s", name);
    read_run(&outcome);
    read_claims(&outcome, false);
    outcome.pictures = count_pictures(name);
    return outcome;
}

static bool outcome_failed(const Outcome *outcome) {
    return outcome->status != 0 || outcome->held < outcome->made;
}

/* --- The table --- */

static void print_row(const Outcome *outcome) {
    char seconds[32] = "-", claims[32] = "-", pictures[160] = "-";
    if (outcome->seconds >= 0) {
        snprintf(seconds, sizeof seconds, "%.1f", outcome->seconds);
    }
    if (outcome->recorded) {
        snprintf(claims, sizeof claims, "%d / %d", outcome->held, outcome->made);
    }
    if (outcome->pictures > 0) {
        snprintf(pictures, sizeof pictures, "%zu in plots/%s", outcome->pictures, outcome->name);
    }
    int used = printf("%-22s  %7s  %11s", outcome->name, seconds, claims);
    if (used + 2 + (int)strlen(pictures) > WIDTH) {
        printf("\n%*s", WIDTH - (int)strlen(pictures) - 2, ""); /* a line of its own */
    }
    printf("  %s\n", pictures);
}

/* How a lesson ended when that was neither well nor with a failed claim. */
static void print_ending(const Outcome *outcome) {
    char text[256] = "";
    int status = outcome->status, number = status - SIGNALLED;
    if (status == INTERRUPTED) {
        snprintf(text, sizeof text, "was interrupted; the lessons behind it did not run");
    } else if (status == NOT_BUILT) {
        snprintf(text, sizeof text, "did not build");
    } else if (number > 0 && number < 65) {
        snprintf(text, sizeof text, "crashed: %s", strsignal(number));
    } else if (status == 2) {
        snprintf(text, sizeof text, "stopped at wrong use or input; its message is above");
    } else if (status == 3) {
        snprintf(text, sizeof text, "stopped before its end; its message is above");
    } else if (status != 0 && outcome->held == outcome->made) {
        snprintf(text, sizeof text, "ended with exit status %d", status);
    } else if (status == 0 && !outcome->recorded) {
        snprintf(text, sizeof text, "left no claims.tsv in plots/%s", outcome->name);
    }
    if (text[0] != '\0') {
        char line[384];
        snprintf(line, sizeof line, "%s: %s", outcome->name, text);
        print_wrapped(line);
    }
}

static void print_end(const Outcome *outcomes, size_t count) {
    int held = 0, made = 0, not_made = 0, failed = 0;
    for (size_t i = 0; i < count; i++) {
        held += outcomes[i].held;
        made += outcomes[i].made;
        not_made += outcomes[i].not_made;
        failed += outcome_failed(&outcomes[i]) && outcomes[i].status != INTERRUPTED;
    }
    char text[256], short_run[64] = "", failures[64] = "";
    if (not_made > 0) {
        snprintf(short_run, sizeof short_run, ", %d not made (they need the full training)",
                 not_made);
    }
    if (failed > 0) {
        snprintf(failures, sizeof failures, "; %d %s failed", failed,
                 failed == 1 ? "lesson" : "lessons");
    }
    snprintf(text, sizeof text, "%zu %s, %d of %d claims held%s%s.", count,
             count == 1 ? "lesson" : "lessons", held, made, short_run, failures);
    print_wrapped(text);
}

static int report(Outcome *outcomes, size_t count) {
    int exit_status = 0;
    printf("\n%-22s  %7s  %11s  %s\n", "lesson", "seconds", "held / made", "pictures");
    for (size_t i = 0; i < count; i++) {
        print_row(&outcomes[i]);
    }
    putchar('\n');
    for (size_t i = 0; i < count; i++) {
        read_claims(&outcomes[i], true);
        print_ending(&outcomes[i]);
        if (outcomes[i].status == INTERRUPTED) {
            exit_status = INTERRUPTED;
        } else if (outcome_failed(&outcomes[i]) && exit_status == 0) {
            exit_status = 1;
        }
    }
    print_end(outcomes, count);
    return exit_status;
}

/* "01_forgetting=139" */
static Outcome outcome_of_argument(char *argument) {
    char *equals = strrchr(argument, '=');
    int status = equals != NULL ? atoi(equals + 1) : 0;
    if (equals != NULL) {
        *equals = '\0';
    }
    return outcome_read(argument, status);
}

int main(int argc, char **argv) {
    glob_t found = {0};
    if (argc == 1 && glob("plots/[0-9][0-9]_*", 0, NULL, &found) != 0) {
        printf("There is nothing to sum up: no lesson has written to plots/ yet.\n");
        return 0;
    }
    size_t count = argc > 1 ? (size_t)argc - 1 : found.gl_pathc;
    Outcome *outcomes = calloc(count, sizeof *outcomes);
    if (outcomes == NULL) {
        perror("summary");
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        outcomes[i] = argc > 1 ? outcome_of_argument(argv[i + 1])
                               : outcome_read(found.gl_pathv[i] + strlen("plots/"), 0);
    }
    int status = report(outcomes, count);
    free(outcomes);
    globfree(&found);
    return status;
}
