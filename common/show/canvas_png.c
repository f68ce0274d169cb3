#include <png.h>

#include "show/canvas.h"

/* libpng's own handlers print to stderr; the user's one line comes from the caller. */
static void png_failed(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

static void png_warned(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

/* A failed write is no error here: it stays in the stream until atomic_commit asks for it. */
static void png_put(png_structp png, png_bytep bytes, size_t size) {
    fwrite(bytes, 1, size, png_get_io_ptr(png));
}

static void png_flushed(png_structp png) {
    (void)png;
}

/* Text chunks in UTF-8, not compressed. */
static void notes_write(png_structp png, png_infop info, const CanvasNotes *notes) {
    static const char *const names[] = {"Title", "Maps", "Rows", "Columns", "Outlines"};
    const char *const texts[] = {notes->title, notes->maps, notes->rows, notes->columns,
                                 notes->outlines};
    for (int i = 0; i < 5; i++) {
        png_text chunk = {.compression = PNG_ITXT_COMPRESSION_NONE,
                          .key = (png_charp)names[i],
                          .text = (png_charp)texts[i]};
        if (texts[i] != NULL && *texts[i] != '\0') {
            png_set_text(png, info, &chunk, 1);
        }
    }
}

/* Hands the rows to libpng, whose errors jump back to the setjmp here. The compression is fixed and
 * no time is stored, so that equal pixels give equal bytes. */
static bool rows_write(png_structp png, png_infop info, FILE *stream, const Canvas *canvas) {
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_set_write_fn(png, stream, png_put, png_flushed);
    png_set_compression_level(png, 6);
    png_set_IHDR(png, info, (png_uint_32)canvas->width, (png_uint_32)canvas->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    notes_write(png, info, &canvas->notes);
    png_write_info(png, info);
    for (int y = 0; y < canvas->height; y++) {
        png_write_row(png, canvas->pixels + 3 * (size_t)y * (size_t)canvas->width);
    }
    png_write_end(png, NULL);
    return true;
}

bool canvas_write_png(const Canvas *canvas, const char *path, Error *error) {
    AtomicFile file;
    if (!atomic_open(&file, path, error)) {
        return false;
    }
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, png_failed, png_warned);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool ok = info && rows_write(png, info, file.stream, canvas);
    png_destroy_write_struct(png ? &png : NULL, info ? &info : NULL);
    if (!ok) {
        error_set(error, "%s: libpng could not make the picture", path);
        atomic_discard(&file);
        return false;
    }
    return atomic_commit(&file, error);
}
