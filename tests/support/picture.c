#include "support/picture.h"

#include <dirent.h>
#include <png.h>
#include <stdlib.h>

#include "io/file.h"

Picture picture_read(const char *path) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    Picture picture = {0};
    if (!png_image_begin_read_from_file(&image, path)) {
        fail_msg("%s: %s", path, image.message);
    }
    image.format = PNG_FORMAT_RGB;
    picture.width = (int)image.width;
    picture.height = (int)image.height;
    picture.pixels = malloc(PNG_IMAGE_SIZE(image));
    if (!picture.pixels || !png_image_finish_read(&image, NULL, picture.pixels, 0, NULL)) {
        fail_msg("%s: %s", path, image.message);
    }
    return picture;
}

void picture_free(Picture *picture) {
    free(picture->pixels);
    *picture = (Picture){0};
}

Color picture_at(const Picture *picture, int x, int y) {
    if (x < 0 || y < 0 || x >= picture->width || y >= picture->height) {
        fail_msg("pixel (%d, %d) of a picture of %d x %d", x, y, picture->width, picture->height);
    }
    const uint8_t *pixel = picture->pixels + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
    return (Color){pixel[0], pixel[1], pixel[2]};
}

bool color_equal(Color a, Color b) {
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

long picture_count(const Picture *picture, Color color) {
    long count = 0;
    for (int y = 0; y < picture->height; y++) {
        for (int x = 0; x < picture->width; x++) {
            count += color_equal(picture_at(picture, x, y), color);
        }
    }
    return count;
}

bool picture_same(const Picture *a, int ax, int ay, const Picture *b, int bx, int by, int width,
                  int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            if (!color_equal(picture_at(a, ax + x, ay + y), picture_at(b, bx + x, by + y))) {
                return false;
            }
        }
    }
    return true;
}

int folder_count(const char *path) {
    DIR *folder = opendir(path);
    int count = -2;
    while (folder && readdir(folder)) { // cppcheck-suppress readdirCalled
        count++;
    }
    if (!folder) {
        fail_msg("%s: no such folder", path);
    }
    closedir(folder);
    return count;
}

char *text_read(const char *path, size_t *size) {
    Error error;
    char *bytes;
    size_t length;
    if (!file_read(path, (size_t)1 << 28, &bytes, &length, &error)) {
        fail_msg("%s", error.text);
    }
    if (size) {
        *size = length;
    }
    return bytes;
}

const char *path_in(const char *folder, const char *name) {
    static char paths[4][1024];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}
