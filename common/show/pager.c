#define _GNU_SOURCE /* fopencookie */

#include "show/pager.h"

#include <stdlib.h>

#include "io/utf8.h"
#include "show/wrap.h"

enum { ROWS_LEFT_FREE = 2 };

typedef enum Escape { NO_ESCAPE, AFTER_ESC, IN_SEQUENCE } Escape;

struct Pager {
    Terminal term;
    FILE *stream;
    PagerAsk ask;
    void *context;

    int rows, column;  /* since the page began, and in the row that is being written */
    bool line_begins;  /* nothing has been written since the newline */
    bool without_stop; /* until the next restart */
    Escape escape;
    char letter[UTF8_MAX]; /* bytes of a code point that is not complete */
    size_t letter_size;
};

/* ---- what the terminal makes of it ---- */

static void count_letter(Pager *pager, uint32_t code) {
    int width = utf8_code_width(code), columns = terminal_window(&pager->term).columns;
    if (pager->column + width > columns) {
        pager->rows++;
        pager->column = 0;
    }
    pager->column += width;
}

/* Gathers the bytes of a code point and counts it once it is whole. */
static void count_text(Pager *pager, unsigned char byte) {
    bool continues = (byte & 0xC0) == 0x80;
    if (!continues) {
        pager->letter_size = 0;
    }
    if (pager->letter_size + 1 < sizeof pager->letter) {
        pager->letter[pager->letter_size++] = (char)byte;
    }
    unsigned char first = (unsigned char)pager->letter[0];
    size_t whole = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (pager->letter_size == whole) {
        uint32_t code;
        utf8_decode(pager->letter, whole, &code);
        count_letter(pager, code);
    }
}

static void count_byte(Pager *pager, unsigned char byte) {
    bool begins = false;
    if (pager->escape == AFTER_ESC) {
        pager->escape = byte == '[' ? IN_SEQUENCE : NO_ESCAPE;
    } else if (pager->escape == IN_SEQUENCE) {
        pager->escape = byte >= 0x40 && byte <= 0x7E ? NO_ESCAPE : IN_SEQUENCE;
    } else if (byte == '\033') {
        pager->escape = AFTER_ESC;
    } else if (byte == '\n') {
        pager->rows++;
        pager->column = 0;
        begins = true;
    } else if (byte == '\r') {
        pager->column = 0;
    } else {
        count_text(pager, byte);
    }
    pager->line_begins = begins;
}

/* ---- the stops ---- */

/* A line that is going to be rewritten in place (it begins with \r) still has room at the end of a
 * page: it is the progress of a training, which is not to wait. */
static bool page_is_full(const Pager *pager, char next) {
    if (pager->without_stop || !pager->line_begins) {
        return false;
    }
    int page = terminal_window(&pager->term).rows - ROWS_LEFT_FREE + (next == '\r');
    return pager->rows >= (page > 1 ? page : 1);
}

static void stop(Pager *pager) {
    fflush(pager->term.out);
    bool more = pager->ask(pager->context);
    pager_restart(pager);
    pager->without_stop = !more;
}

static size_t pager_write(Pager *pager, const char *bytes, size_t size) {
    size_t sent = 0;
    for (size_t i = 0; i < size; i++) {
        if (page_is_full(pager, bytes[i])) {
            fwrite(bytes + sent, 1, i - sent, pager->term.out);
            sent = i;
            stop(pager);
        }
        count_byte(pager, (unsigned char)bytes[i]);
    }
    fwrite(bytes + sent, 1, size - sent, pager->term.out);
    fflush(pager->term.out);
    return size;
}

/* ---- a stream of our own ---- */

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
static int write_some(void *cookie, const char *bytes, int size) {
    return (int)pager_write(cookie, bytes, (size_t)size);
}

static FILE *open_stream(Pager *pager) {
    return funopen(pager, NULL, write_some, NULL, NULL);
}
#elif defined(__linux__)
static ssize_t write_some(void *cookie, const char *bytes, size_t size) {
    return (ssize_t)pager_write(cookie, bytes, size);
}

static FILE *open_stream(Pager *pager) {
    return fopencookie(pager, "w", (cookie_io_functions_t){.write = write_some});
}
#else
static FILE *open_stream(Pager *pager) {
    (void)pager, (void)pager_write;
    return NULL;
}
#endif

Pager *pager_new(const Terminal *term, PagerAsk ask, void *context) {
    Pager *pager = memory_get(sizeof *pager);
    *pager = (Pager){.term = *term, .ask = ask, .context = context, .line_begins = true};
    pager->stream = open_stream(pager);
    if (pager->stream == NULL) {
        free(pager);
        return NULL;
    }
    setvbuf(pager->stream, NULL, _IOLBF, BUFSIZ);
    return pager;
}

FILE *pager_stream(const Pager *pager) {
    return pager->stream;
}

void pager_restart(Pager *pager) {
    if (pager != NULL) {
        pager->rows = 0;
        pager->without_stop = false;
    }
}

void pager_free(Pager *pager) {
    if (pager != NULL) {
        fclose(pager->stream);
        free(pager);
    }
}
