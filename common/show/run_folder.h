/* The folder of a run, read by whatever looks at runs after they have ended (compare, gallery,
 * --repeat, --runs): what was run (run.tsv), what it claims (claims.tsv), how far that differs
 * between seeds (spread.tsv, of a run with --runs), and which files there are. What stands in it is
 * taken for what it is, text from anybody: sizes are bounded, and every number is checked. */
#ifndef SHOW_RUN_FOLDER_H
#define SHOW_RUN_FOLDER_H

#include "io/folder.h"
#include "io/tsv.h"

enum {
    RUN_FOLDER_FILES = 4096,    /* files in it */
    RUN_FOLDER_CLAIMS = 4096,   /* claims */
    RUN_RECORD_LIMIT = 1 << 20, /* bytes of run.tsv */
    RUN_CLAIMS_LIMIT = 1 << 22, /* bytes of claims.tsv and of spread.tsv */
};

/* How the values of one claim lie over several seeds. */
typedef struct ClaimSpread {
    int made, holds; /* of how many seeds there is a value, and with how many it holds */
    double min, median, max;
} ClaimSpread;

typedef struct RunClaim {
    const char *step, *id, *text, *op, *status; /* op "<" "<=" ">" ">=" "=="; status "holds",
                                                   "fails", "not_made" or "timing" */
    double value, bound;                        /* value: NaN where there is none */
    bool measured;                              /* it holds or fails */
    ClaimSpread spread;                         /* of a run with one seed: that seed */
} RunClaim;

typedef struct RunFolder {
    const char *path; /* as it was given */
    TsvTable record, claim_table, spread_table;
    RunClaim *claims;
    int claim_count;
    int runs;    /* seeds: 1, or more of a run with --runs */
    Names files; /* all but hidden ones */
} RunFolder;

/* One table of a run. Errors: those of tsv_read(). */
bool run_table_read(const char *folder, const char *file, size_t limit, TsvTable *table,
                    Error *error);

/* The run.tsv of a folder: key and value on each line. Ask it with tsv_value(). Errors: those of
 * tsv_read(), none there among them; a line of other than two cells. */
bool run_record_read(const char *folder, TsvTable *record, Error *error);

/* Reads the folder. False, with one line that names the folder or the file and says what is wrong,
 * when there is no run: nothing at that path, a file, an empty folder, half a run (without run.tsv
 * or claims.tsv), tables that are none or too large, or more files than a run has. Release with
 * run_folder_free(). */
bool run_folder_read(const char *path, RunFolder *folder, Error *error);
void run_folder_free(RunFolder *folder);

/* The value of a key of run.tsv, such as "seed", or NULL. */
const char *run_folder_key(const RunFolder *folder, const char *key);

/* The claim with that id, or NULL. */
const RunClaim *run_folder_claim(const RunFolder *folder, const char *id);

/* Is the file called like this, "NAME" and ending? Then NAME, cut to `size`, goes to `name`. */
bool file_name_stem(const char *file, const char *ending, char *name, size_t size);

#endif
