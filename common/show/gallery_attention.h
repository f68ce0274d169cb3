/* attention.tsv for the page: read, grouped by the text it is about, made small.
 *
 * A map begins where query and key are 0 again or where layer or head change. Maps of the same
 * name, the same query tokens and the same key tokens belong to one text; a text may have several
 * maps of one layer and head. Older files have no names: they end before the column "map". */
#ifndef SHOW_GALLERY_ATTENTION_H
#define SHOW_GALLERY_ATTENTION_H

#include "io/file.h"

enum {
    ATTENTION_SIDE = 64,         /* queries and keys of a map that are kept */
    ATTENTION_MAPS = 1024,       /* maps of a run */
    ATTENTION_WEIGHTS = 400000,  /* weights of a run */
    ATTENTION_FILE = 1 << 26,    /* bytes of the file: a larger one is left out */
    ATTENTION_PLACES = 10000,    /* a weight is kept as this many parts of 1 */
    ATTENTION_MOST = 1000000000, /* larger ones, of whatever sign, are kept as this */
};

typedef struct AttentionMap {
    int layer, head;
    char *name;                  /* "" where the file has none; inside its bytes, like the tokens */
    int text;                    /* its group, from 0 */
    int queries, keys;           /* in the file */
    int kept_queries, kept_keys; /* here */
    char *query[ATTENTION_SIDE]; /* tokens, inside the bytes of the file */
    char *key[ATTENTION_SIDE];
    double *weights; /* (kept_queries, kept_keys) */
} AttentionMap;

typedef struct Attention {
    char *bytes;
    AttentionMap *maps;
    int count;         /* of maps */
    int texts;         /* groups */
    long weights;      /* that are kept, over all maps */
    int maps_left_out; /* there was no room for them */
    int bad_lines;     /* that could not be read */
} Attention;

/* Reads the file, keeping at most `room` weights. Errors: missing, empty, larger than
 * ATTENTION_FILE, a zero byte in it, another header than attention.tsv has. */
bool attention_read(Attention *attention, const char *path, long room, Error *error);
void attention_free(Attention *attention);

/* {"texts":[{"n":name,"q":[tokens],"k":[tokens],"full":[queries, keys],"maps":[{"l":layer,"h":head,
 * "w":"weights"}]}]}: weights row by row, in parts of ATTENTION_PLACES, "," between them, "" for 0
 * and "n" for what is no number. */
void attention_json(FILE *out, const Attention *attention);

#endif
