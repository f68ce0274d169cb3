/* PNG files read back for the tests, and what a folder holds. */
#ifndef TESTS_SUPPORT_PICTURE_H
#define TESTS_SUPPORT_PICTURE_H

#include "assert_close.h"
#include "show/color.h"

/* Red, green and blue of every pixel, (height, width, 3). */
typedef struct Picture {
    int width, height;
    uint8_t *pixels;
} Picture;

/* Decodes a file with libpng; fails the test when it is not a whole PNG. */
Picture picture_read(const char *path);
void picture_free(Picture *picture);

/* The colour at (x, y); fails the test outside the picture. */
Color picture_at(const Picture *picture, int x, int y);

bool color_equal(Color a, Color b);

/* Number of pixels of one colour. */
long picture_count(const Picture *picture, Color color);

/* Whether two fields of the same size hold the same pixels; the pictures may be one and the same.
 */
bool picture_same(const Picture *a, int ax, int ay, const Picture *b, int bx, int by, int width,
                  int height);

/* Number of entries of a folder, "." and ".." not counted. */
int folder_count(const char *path);

/* A whole file with a NUL behind it, released with free(); fails the test when it cannot be read.
 */
char *text_read(const char *path, size_t *size);

/* folder + "/" + name in a static place that the next call but three overwrites. */
const char *path_in(const char *folder, const char *name);

#endif
