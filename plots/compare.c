/* Two runs beside each other.
 *
 *     compare [--out DIR] [--no-plots] [--no-color] A B
 *
 * A and B are folders of runs, such as plots/02_bahdanau and plots/mine. Prints what differs in
 * flags and seed, both runs' claims, how curves of the same name end and how far heatmaps of the
 * same name are apart, and a verdict in words; draws the curves over each other and the heatmaps
 * subtracted into DIR (default: plots/compare/A_B). Exit status: 0 when it could compare, whatever
 * came out; 2 for wrong use, a folder that is no run or a file that could not be read or written;
 * 130 after Ctrl-C. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lesson/interrupt.h"
#include "lesson/streams.h"
#include "show/compare/compare.h"

typedef struct Request {
    const char *runs[2];
    int count;
    const char *out;
    bool no_plots, no_color, help;
} Request;

static const char usage[] = "usage: compare [--out DIR] [--no-plots] [--no-color] A B";

static bool request_read(Request *request, int argc, char **argv, Error *error) {
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--help") == 0) {
            request->help = true;
        } else if (strcmp(word, "--no-plots") == 0) {
            request->no_plots = true;
        } else if (strcmp(word, "--no-color") == 0) {
            request->no_color = true;
        } else if (strcmp(word, "--out") == 0 && i + 1 < argc && *argv[i + 1]) {
            request->out = argv[++i];
        } else if (word[0] == '-' || !*word || request->count == 2) {
            return error_set(error, "\"%.100s\" is not understood; %s", word, usage);
        } else {
            request->runs[request->count++] = word;
        }
    }
    return request->count == 2 || request->help ||
           error_set(error, "two folders of runs are needed; %s", usage);
}

/* "plots/02_bahdanau/" is called 02_bahdanau. */
static void folder_name(const char *path, char name[64]) {
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/') {
        begin--;
    }
    snprintf(name, 64, "%.*s", (int)(end - begin), path + begin);
}

static bool same_folder(const char *a, const char *b) {
    struct stat about[2];
    return stat(a, &about[0]) == 0 && stat(b, &about[1]) == 0 &&
           about[0].st_dev == about[1].st_dev && about[0].st_ino == about[1].st_ino;
}

/* Length of the part of a path that is there already. */
static size_t length_there(const char *path) {
    char part[1024];
    snprintf(part, sizeof part, "%s", path);
    while (*part && access(part, F_OK) != 0) {
        char *slash = strrchr(part, '/');
        *(slash ? slash : part) = '\0';
    }
    return strlen(part);
}

/* The folder for the pictures, in `out`, of which the first `kept` letters were there before; it
 * must not be that of a run, whose files it would replace. */
static bool out_make(const Request *request, char *out, size_t size, size_t *kept, Error *error) {
    char names[2][64];
    folder_name(request->runs[0], names[0]);
    folder_name(request->runs[1], names[1]);
    if (request->out) {
        snprintf(out, size, "%s", request->out);
    } else {
        snprintf(out, size, "plots/compare/%s_%s", names[0], names[1]);
    }
    for (int i = 0; i < 2; i++) {
        if (same_folder(out, request->runs[i])) {
            return error_set(error,
                             "--out %s: the folder of a run that is compared; its files "
                             "would be replaced",
                             out);
        }
    }
    *kept = length_there(out);
    return folder_make(out, error);
}

/* Removes the folders that were made and hold nothing: rmdir() leaves the others. */
static void out_remove_empty(const char *out, size_t kept) {
    char part[1024];
    snprintf(part, sizeof part, "%s", out);
    while (strlen(part) > kept) {
        rmdir(part);
        char *slash = strrchr(part, '/');
        *(slash ? slash : part) = '\0';
    }
}

static bool ctrl_c(void) {
    return interrupt_signal() != 0;
}

static int compare(const Request *request, const Terminal *term, Error *error) {
    char out[1024];
    size_t kept = 0;
    Comparison *c = calloc(1, sizeof *c);
    bool ready = c != NULL && run_folder_read(request->runs[0], &c->a, error) &&
                 run_folder_read(request->runs[1], &c->b, error) &&
                 out_make(request, out, sizeof out, &kept, error);
    int code = 2;
    if (ready) {
        c->term = term;
        c->out = out;
        c->draw = !request->no_plots;
        c->stop = ctrl_c;
        compare_runs(c);
        out_remove_empty(out, kept);
        code = c->problems > 0 ? 2 : 0;
    }
    if (c != NULL) {
        run_folder_free(&c->a);
        run_folder_free(&c->b);
    }
    free(c);
    return code;
}

int main(int argc, char **argv) {
    Request request = {.count = 0};
    Error error = {""};
    streams_prepare();
    if (!request_read(&request, argc, argv, &error)) {
        fprintf(stderr, "compare: %s\n", error.text);
        return 2;
    }
    if (request.help) {
        printf("%s\n", usage);
        return 0;
    }
    Terminal term = terminal_new(stdout, request.no_color);
    interrupt_install(&term);
    int code = compare(&request, &term, &error);
    if (*error.text) {
        fprintf(stderr, "compare: %s\n", error.text);
    }
    bool written = streams_finish();
    if (interrupt_signal() != 0) {
        return 128 + interrupt_signal();
    }
    return written ? code : 2;
}
