#include "show/gallery_picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "io/tsv.h"
#include "io/utf8.h"
#include "show/heatmap_numbers.h"

enum { MOST_PICTURE = 1 << 26, MOST_SCRIPT = 1 << 18, MOST_NUMBERS = 1 << 23, MOST_SIDE = 20000 };

static void text_copy(char *to, size_t size, const char *from) {
    size_t length = utf8_truncate(from, size - 1);
    memcpy(to, from, length);
    to[length] = '\0';
}

/* ---- text inside the picture ---- */

typedef struct Bytes {
    const char *at;
    size_t left;
} Bytes;

static void bytes_take(png_structp png, png_bytep out, size_t size) {
    Bytes *bytes = png_get_io_ptr(png);
    if (size > bytes->left) {
        png_longjmp(png, 1);
    }
    memcpy(out, bytes->at, size);
    bytes->at += size;
    bytes->left -= size;
}

_Noreturn static void png_failed(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

static void png_warned(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void notes_copy(GalleryPicture *picture, const png_text *notes, int count) {
    for (int i = 0; i < count; i++) {
        const char *key = notes[i].key;
        char *to = strcmp(key, "Title") == 0      ? picture->title
                   : strcmp(key, "Maps") == 0     ? picture->maps
                   : strcmp(key, "Rows") == 0     ? picture->rows
                   : strcmp(key, "Columns") == 0  ? picture->columns
                   : strcmp(key, "Outlines") == 0 ? picture->outlines
                                                  : NULL;
        if (to != NULL && notes[i].text != NULL) {
            text_copy(to, PICTURE_TEXT, notes[i].text);
        }
    }
}

/* What stands before the pixels; libpng's errors jump back to the setjmp here. */
static bool head_read(png_structp png, png_infop info, Bytes *bytes, GalleryPicture *picture) {
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_text *notes = NULL;
    int count = 0;
    png_set_chunk_malloc_max(png, 1 << 20);
    png_set_user_limits(png, MOST_SIDE, MOST_SIDE);
    png_set_read_fn(png, bytes, bytes_take);
    png_read_info(png, info);
    picture->width = (int)png_get_image_width(png, info);
    picture->height = (int)png_get_image_height(png, info);
    png_get_text(png, info, &notes, &count);
    notes_copy(picture, notes, count);
    return true;
}

/* A program that was ended while it drew leaves half a picture: the end is looked at as well. */
static bool is_whole(const char *bytes, size_t size) {
    static const unsigned char end[] = {'I', 'E', 'N', 'D', 0xAE, 0x42, 0x60, 0x82};
    return size > sizeof end && memcmp(bytes + size - sizeof end, end, sizeof end) == 0;
}

static bool picture_head(GalleryPicture *picture, const char *path, Error *error) {
    char *bytes;
    size_t size;
    if (!file_read(path, MOST_PICTURE, &bytes, &size, error)) {
        return false;
    }
    Bytes source = {bytes, size};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, png_failed, png_warned);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    bool ok = is_whole(bytes, size) && info != NULL && head_read(png, info, &source, picture);
    png_destroy_read_struct(png != NULL ? &png : NULL, info != NULL ? &info : NULL, NULL);
    free(bytes);
    return ok || error_set(error, "%s: not a whole PNG picture", path);
}

/* ---- the script and the numbers of a curve ---- */

/* Reads gnuplot's 'one'."\n".'two' and gives "one two"; stops at whatever else comes. */
static void quoted_read(const char *from, char *to, size_t size) {
    size_t used = 0;
    while (*from == '\'' || *from == '"') {
        char quote = *from++;
        for (; *from != '\0' && *from != '\n' && *from != quote; from++) {
            bool newline = quote == '"' && from[0] == '\\' && from[1] == 'n';
            if (used + 1 < size) {
                to[used++] = newline ? ' ' : *from;
            }
            from += newline;
        }
        from += *from == quote;
        from += *from == '.';
    }
    to[used] = '\0';
    to[utf8_truncate(to, size - 1)] = '\0';
}

static void script_read(GalleryPicture *picture, const char *path) {
    static const char *const lines[] = {"\nset title ", "\nset xlabel ", "\nset ylabel "};
    char *const texts[] = {picture->title, picture->x, picture->y};
    char *script;
    size_t size;
    if (!file_read(path, MOST_SCRIPT, &script, &size, NULL)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        const char *found = strstr(script, lines[i]);
        if (found != NULL) {
            quoted_read(found + strlen(lines[i]), texts[i], PICTURE_TEXT);
        }
    }
    free(script);
}

/* The names of the curves: the column `label`, each once. */
static void series_read(GalleryPicture *picture, const char *path) {
    TsvTable table;
    if (!tsv_read(path, MOST_NUMBERS, &table, NULL)) {
        return;
    }
    const char *last = "";
    size_t used = 0;
    for (int row = 1; row < table.rows && used < PICTURE_TEXT; row++) {
        const char *label = tsv_named(&table, row, "label");
        if (strcmp(label, last) != 0) {
            used += (size_t)snprintf(picture->series + used, PICTURE_TEXT - used, "%s%s",
                                     used > 0 ? "; " : "", label);
            last = label;
        }
    }
    picture->series[utf8_truncate(picture->series, PICTURE_TEXT - 1)] = '\0';
    tsv_free(&table);
}

/* The name of the run's file that ends in `ending` instead of ".png"; "" when it has none. */
static void beside(char *name, size_t size, const GalleryRun *run, const char *file,
                   const char *ending) {
    int stem = (int)(strlen(file) - strlen(".png"));
    snprintf(name, size, "%.*s%s", stem, file, ending);
    if (!names_has(&run->files, name)) {
        name[0] = '\0';
    }
}

bool gallery_picture_read(GalleryPicture *picture, const char *folder, const GalleryRun *run,
                          const char *file, Error *error) {
    *picture = (GalleryPicture){0};
    char *path = path_join(folder, file);
    bool ok = path != NULL ? picture_head(picture, path, error)
                           : error_set(error, "%s: not enough memory", file);
    free(path);
    if (!ok) {
        return false;
    }
    beside(picture->numbers, sizeof picture->numbers, run, file, ".tsv");
    if (picture->numbers[0] == '\0') {
        beside(picture->numbers, sizeof picture->numbers, run, file, HEATMAP_NUMBERS_ENDING);
    }
    beside(picture->script, sizeof picture->script, run, file, ".gp");
    picture->kind = picture->script[0] != '\0'                                ? PICTURE_CURVE
                    : picture->rows[0] != '\0' && picture->columns[0] != '\0' ? PICTURE_HEATMAP
                                                                              : PICTURE_UNKNOWN;
    if (picture->kind == PICTURE_CURVE) {
        char *script = path_join(folder, picture->script);
        char *numbers = path_join(folder, picture->numbers);
        if (script != NULL) {
            script_read(picture, script);
        }
        if (numbers != NULL && picture->numbers[0] != '\0') {
            series_read(picture, numbers);
        }
        free(script);
        free(numbers);
    }
    return true;
}
