/* Grades a class: every folder in DIR is a submission.
 *
 *     grade_all BUILD DIR OUT [JOBS]
 *
 * Each gets OUT/NAME/grade.tsv, .json and .xml; OUT/class.tsv has one line for each, and
 * OUT/class.png one bar for each exercise. What was graded before is kept unless the submission or
 * the exercises have changed. Exit status: 0 when everybody passed everything, 1 when not, 2 when
 * somebody could not be graded. */
#include "core/check.h"
#include "grade/folders.h"
#include "grade/submission.h"
#include "io/utf8.h"
#include "show/plot.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLASS_MOST = 2000, NAME_WIDTH = 24 };

typedef struct Pupil {
    char *name, *folder, *out;
    pid_t pid; /* of the process that grades it */
    bool graded, kept;
    int passed;
    char verdict[EXERCISES_MOST][16];
} Pupil;

typedef struct Class {
    Pupil pupil[CLASS_MOST];
    int count, running;
    ExerciseTable table;
    unsigned long long task; /* fingerprint of the tables and of the instructor's workers */
    const char *graded, *out;
} Class;

/* --- Who is there --- */

/* A control character, also one of the upper half as UTF-8 writes it. */
static bool has_control(const char *name) {
    for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; c++) {
        if (*c < ' ' || *c == 127 || (c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)) {
            return true;
        }
    }
    return false;
}

/* Why a folder is nobody's submission, or NULL. Its name is shown, and is that of its reports. */
static const char *left_out(const Class *class, const char *name, mode_t mode) {
    return class->count == CLASS_MOST        ? "the class is full"
           : strncmp(name, "class.", 6) == 0 ? "the report of the class has that name"
           : strlen(name) >= 200             ? "the name is too long"
           : S_ISLNK(mode)                   ? "it is a link"
                                             : NULL;
}

static void add_pupil(Class *class, const char *dir, const char *name) {
    char *folder = path_join(dir, name);
    struct stat about;
    if (name[0] == '.' || lstat(folder, &about) != 0 ||
        (!S_ISDIR(about.st_mode) && !S_ISLNK(about.st_mode))) {
        free(folder);
        return;
    }
    const char *why = left_out(class, name, about.st_mode);
    if (has_control(name)) {
        fputs("grade-all: a folder with control characters in its name is left out\n", stderr);
    } else if (why != NULL) {
        fprintf(stderr, "grade-all: %s is left out: %s\n", name, why);
    } else {
        class->pupil[class->count++] =
            (Pupil){.name = strdup(name), .folder = folder, .out = path_join(class->out, name)};
        return;
    }
    free(folder);
}

/* Reports among the submissions could be brought along by them, as if they had been graded. */
static bool out_is_elsewhere(const char *dir, const char *out, Error *error) {
    char *real_dir = realpath(dir, NULL), *real_out = realpath(out, NULL);
    size_t n = real_dir != NULL ? strlen(real_dir) : 0;
    bool inside = real_dir != NULL && real_out != NULL && strncmp(real_out, real_dir, n) == 0 &&
                  (real_out[n] == '\0' || real_out[n] == '/' || n == 1);
    free(real_dir);
    free(real_out);
    return !inside || error_set(error, "OUT=%s lies in the folder of the submissions", out);
}

static bool find_pupils(Class *class, const char *dir, Error *error) {
    struct dirent **entries;
    int n = scandir(dir, &entries, NULL, alphasort);
    if (n < 0) {
        return error_set(error, "%s: %s", dir, strerror(errno));
    }
    for (int i = 0; i < n; i++) {
        add_pupil(class, dir, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return class->count > 0 || error_set(error, "%s holds no folders", dir);
}

/* --- What has been graded before --- */

static void mix_file(Class *class, const char *path) {
    char sum[17] = "";
    Error ignored;
    file_checksum(path, sum, &ignored);
    for (const char *c = sum; *c != '\0'; c++) {
        class->task = (class->task ^ (unsigned char)*c) * 1099511628211ull;
    }
}

static bool mix_worker(void *context, const char *name) {
    Class *class = context;
    char *path = path_join(class->graded, name);
    mix_file(class, path);
    free(path);
    return true;
}

/* What a verdict depends on besides the submission. The workers hold the solutions and the calls.
 */
static bool mix_task(Class *class, Error *error) {
    class->task = 14695981039346656037ull;
    mix_file(class, "tests/grade/exercises.tsv");
    mix_file(class, "tests/grade/checks.tsv");
    return folder_walk(class->graded, "workers", false, mix_worker, class, error);
}

/* "ab12 cd34\n": of the submission, and of what was asked. Empty when there is no submission. */
static void fingerprint(const Class *class, const Pupil *pupil, char text[64]) {
    Tree *tree = check_alloc(sizeof *tree);
    Error ignored;
    text[0] = '\0';
    if (tree_look(tree, pupil->folder, &ignored)) {
        snprintf(text, 64, "%016llx %016llx\n", tree->fingerprint, class->task);
    }
    free(tree);
}

static bool was_graded(const Pupil *pupil, const char *now) {
    char *path = path_join(pupil->out, "submission.txt"), *before = NULL;
    char *result = path_join(pupil->out, "grade.tsv");
    size_t size;
    Error ignored;
    bool same = now[0] != '\0' && file_read(path, 256, &before, &size, &ignored) &&
                strcmp(before, now) == 0 && access(result, R_OK) == 0;
    free(before);
    free(path);
    free(result);
    return same;
}

/* --- Grading, several at a time --- */

/* In a process of its own: grades one and notes what was graded. */
static _Noreturn void grade_one(const Class *class, const Pupil *pupil, const char *now) {
    Error error;
    int missed;
    bool fine = submission_grade(&class->table, class->graded, pupil->folder, pupil->out,
                                 submission_seed(), NULL, NULL, &missed, &error);
    if (fine) {
        char *path = path_join(pupil->out, "submission.txt");
        fine = file_write(path, now, strlen(now), &error);
        free(path);
    }
    if (!fine) {
        fprintf(stderr, "grade-all: %s: %s\n", pupil->name, error.text);
    }
    _exit(fine ? 0 : 2);
}

static void wait_for_one(Class *class) {
    int status;
    pid_t pid = wait(&status);
    for (int i = 0; i < class->count && pid > 0; i++) {
        Pupil *pupil = &class->pupil[i];
        if (pupil->pid == pid) {
            pupil->pid = 0;
            pupil->graded = status == 0;
            class->running--;
            fprintf(stderr, "%s: %s\n", pupil->name, status == 0 ? "graded" : "not graded");
        }
    }
}

static void start_one(Class *class, Pupil *pupil) {
    char now[64];
    fingerprint(class, pupil, now);
    pupil->kept = pupil->graded = was_graded(pupil, now);
    if (pupil->kept) {
        return;
    }
    fflush(NULL);
    pupil->pid = fork();
    if (pupil->pid == 0) {
        grade_one(class, pupil, now);
    }
    class->running += pupil->pid > 0;
}

static void grade_everybody(Class *class, int jobs) {
    for (int i = 0; i < class->count; i++) {
        while (class->running >= jobs) {
            wait_for_one(class);
        }
        start_one(class, &class->pupil[i]);
    }
    while (class->running > 0) {
        wait_for_one(class);
    }
}

/* --- What came out --- */

static void read_result(const Class *class, Pupil *pupil) {
    char *path = path_join(pupil->out, "grade.tsv"), *text = NULL, *at;
    size_t size;
    Error ignored;
    pupil->graded = pupil->graded && file_read(path, 1 << 20, &text, &size, &ignored);
    at = text;
    for (char *line; at != NULL && (line = strsep(&at, "\n")) != NULL;) {
        char *number = strsep(&line, "\t"), *verdict;
        strsep(&line, "\t"); /* the title */
        verdict = strsep(&line, "\t");
        int i = exercise_table_find(&class->table, number);
        if (i >= 0 && verdict != NULL) {
            snprintf(pupil->verdict[i], sizeof pupil->verdict[i], "%.15s", verdict);
            pupil->passed += strcmp(verdict, "passed") == 0;
        }
    }
    free(text);
    free(path);
}

static void print_pupil(const Class *class, const Pupil *pupil) {
    char name[4 * NAME_WIDTH + 4];
    int columns = utf8_shorten(name, sizeof name, pupil->name, NAME_WIDTH, true);
    printf("%s%*s", name, NAME_WIDTH - columns, "");
    if (!pupil->graded) {
        puts("  not graded");
        return;
    }
    int column = NAME_WIDTH;
    column += printf("  %2d of %d%s", pupil->passed, class->table.exercises,
                     pupil->passed < class->table.exercises ? ", missing" : "");
    for (int i = 0; i < class->table.exercises; i++) {
        if (strcmp(pupil->verdict[i], "passed") == 0) {
            continue;
        }
        if (column + 4 > 80) {
            column = printf("\n%*s", NAME_WIDTH + 19, "") - 1;
        }
        column += printf(" %s", class->table.exercise[i].number);
    }
    printf("%s\n", pupil->kept ? " (kept)" : "");
}

static bool write_class(const Class *class, Error *error) {
    AtomicFile file;
    char *path = path_join(class->out, "class.tsv");
    FILE *out = atomic_open(&file, path, error);
    free(path);
    if (out == NULL) {
        return false;
    }
    fputs("submission\tpassed\tof", out);
    for (int i = 0; i < class->table.exercises; i++) {
        fprintf(out, "\t%s", class->table.exercise[i].number);
    }
    for (int p = 0; p < class->count; p++) {
        const Pupil *pupil = &class->pupil[p];
        fprintf(out, "\n%s\t%d\t%d", pupil->name, pupil->passed, class->table.exercises);
        for (int i = 0; i < class->table.exercises; i++) {
            fprintf(out, "\t%s", pupil->graded ? pupil->verdict[i] : "not_graded");
        }
    }
    fputc('\n', out);
    return atomic_commit(&file, error);
}

/* One bar for each exercise: what part of the class has passed it. */
static void draw_class(const Class *class) {
    double x[EXERCISES_MOST], y[EXERCISES_MOST];
    const char *names[EXERCISES_MOST];
    int n = class->table.exercises;
    for (int i = 0; i < n; i++) {
        x[i] = i;
        y[i] = 0.0;
        names[i] = class->table.exercise[i].number;
        for (int p = 0; p < class->count; p++) {
            y[i] += strcmp(class->pupil[p].verdict[i], "passed") == 0;
        }
        y[i] *= 100.0 / class->count;
    }
    char title[120];
    snprintf(title, sizeof title, "Which exercises have been passed (%d submission%s)",
             class->count, class->count == 1 ? "" : "s");
    const PlotSeries passed = {.label = "passed", .x = x, .y = y, .n = n, .style = PLOT_BARS};
    const PlotLine all = {.label = "all", .at = 100.0};
    const Plot plot = {.name = "class",
                       .title = title,
                       .x_label = "exercise",
                       .y_label = "passed, % of the submissions",
                       .series = &passed,
                       .count = 1,
                       .lines = &all,
                       .line_count = 1,
                       .x_names = names,
                       .x_name_count = n};
    Error error;
    if (plot_write(class->out, &plot, true, NULL, &error) != PLOT_DRAWN) {
        fprintf(stderr, "grade-all: %s\n", error.text);
    }
}

static int report(Class *class) {
    Error error;
    int status = 0;
    for (int i = 0; i < class->count; i++) {
        Pupil *pupil = &class->pupil[i];
        read_result(class, pupil);
        print_pupil(class, pupil);
        status = !pupil->graded                                          ? 2
                 : pupil->passed < class->table.exercises && status == 0 ? 1
                                                                         : status;
    }
    draw_class(class);
    if (!write_class(class, &error)) {
        fprintf(stderr, "grade-all: %s\n", error.text);
        return 2;
    }
    printf("\n%d submissions: %s/class.tsv, %s/class.png, and a folder for each\n", class->count,
           class->out, class->out);
    return status;
}

int main(int argc, char **argv) {
    static Class class;
    Error error;
    int jobs = argc > 4 ? atoi(argv[4]) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (argc < 4 || argc > 5) {
        fputs("usage: make grade-all DIR=folder [OUT=folder] [JOBS=N]\n", stderr);
        return 2;
    }
    class.graded = argv[1];
    class.out = argv[3];
    if (!exercise_table_read(&class.table, "tests/grade", &error) || !mix_task(&class, &error) ||
        !folder_make(class.out, &error) || !out_is_elsewhere(argv[2], class.out, &error) ||
        !find_pupils(&class, argv[2], &error)) {
        fprintf(stderr, "grade-all: %s\n", error.text);
        return 2;
    }
    grade_everybody(&class, jobs > 0 ? jobs : 1);
    return report(&class);
}
