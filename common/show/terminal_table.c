/* Tables of the terminal. */
#include "show/terminal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"
#include "show/wrap.h"

enum { GAP = 2, INDENT = 2, MAX_COLUMNS = 32, NARROWEST = 6 };

static void table_add(Table *table, Style style, char *text) {
    if (table->count == table->capacity) {
        table->capacity = 2 * table->capacity + 8;
        table->rows = memory_resize(table->rows, (size_t)table->capacity * sizeof *table->rows);
    }
    table->rows[table->count++] = (TableRow){.text = text, .style = style};
}

Table table_new(const char *header) {
    Table table = {0};
    char *text = strdup(header);
    if (!text) {
        memory_gone();
    }
    table_add(&table, STYLE_PLAIN, text);
    return table;
}

void table_row(Table *table, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    table_add(table, STYLE_PLAIN, text_format(format, arguments));
    va_end(arguments);
}

void table_row_styled(Table *table, Style style, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    table_add(table, style, text_format(format, arguments));
    va_end(arguments);
}

void table_free(Table *table) {
    for (int i = 0; i < table->count; i++) {
        free(table->rows[i].text);
    }
    free(table->rows);
    *table = (Table){0};
}

/* ---- layout ---- */

typedef struct Columns {
    int count;
    int width[MAX_COLUMNS];
    int word[MAX_COLUMNS];     /* the longest that has no blank in it */
    bool numeric[MAX_COLUMNS]; /* every cell below the header starts like a number, or is empty */
} Columns;

/* Cell `column` of a row, in memory of its own. A row may have fewer cells than the header. */
static char *cell_text(const char *row, int column) {
    for (; column > 0 && row; column--) {
        row = strchr(row, '\t');
        row = row ? row + 1 : NULL;
    }
    char *cell = row ? strndup(row, strcspn(row, "\t")) : strdup("");
    if (!cell) {
        memory_gone();
    }
    return cell;
}

/* Begins like a number, and is no word: "12", "-.5", "41.2 %", "<= 3", "nan", "-". */
static bool looks_numeric(const char *cell) {
    cell += strspn(cell, "<>=+- ");
    return !*cell || isdigit((unsigned char)*cell) || *cell == '.' || strcmp(cell, "nan") == 0 ||
           strcmp(cell, "inf") == 0;
}

static int longest_word(const char *text) {
    int longest = 0;
    while (*text) {
        char *word = strndup(text, strcspn(text, " "));
        if (!word) {
            memory_gone();
        }
        int width = utf8_width(word);
        longest = width > longest ? width : longest;
        text += strlen(word);
        text += strspn(text, " ");
        free(word);
    }
    return longest;
}

static Columns columns_measure(const Terminal *term, const Table *table) {
    Columns columns = {.count = 1};
    for (const char *at = table->rows[0].text; (at = strchr(at, '\t')); at++) {
        columns.count += columns.count < MAX_COLUMNS;
    }
    for (int c = 0; c < columns.count; c++) {
        columns.numeric[c] = table->count > 1;
        for (int r = 0; r < table->count; r++) {
            char *cell = cell_text(table->rows[r].text, c);
            char *clean = terminal_clean(term, cell);
            int width = utf8_width(clean), word = longest_word(clean);
            columns.width[c] = width > columns.width[c] ? width : columns.width[c];
            columns.word[c] = word > columns.word[c] ? word : columns.word[c];
            columns.numeric[c] = columns.numeric[c] && (r == 0 || looks_numeric(clean));
            free(cell);
            free(clean);
        }
    }
    return columns;
}

/* The widest column; of those alone that can lose a cell without breaking a word, if there are any:
 * it may be a name of a file. */
static int widest_column(const Columns *columns) {
    int widest = 0, gives = -1;
    for (int c = 0; c < columns->count; c++) {
        int width = columns->width[c];
        widest = width > columns->width[widest] ? c : widest;
        if (width > columns->word[c] && width > NARROWEST &&
            (gives < 0 || width > columns->width[gives])) {
            gives = c;
        }
    }
    return gives >= 0 ? gives : widest;
}

/* Takes columns of the screen from the widest column until the table fits; its text will wrap. */
static void columns_squeeze(Columns *columns, int room) {
    int total = (columns->count - 1) * GAP;
    for (int c = 0; c < columns->count; c++) {
        total += columns->width[c];
    }
    for (; total > room; total--) {
        int widest = widest_column(columns);
        if (columns->width[widest] <= NARROWEST) {
            return;
        }
        columns->width[widest]--;
    }
}

/* ---- printing ---- */

/* One row; its cells may take several lines. The style is that of the first cell, the header's that
 * of the whole row. */
static void print_row(const Terminal *term, const Columns *columns, const TableRow *row,
                      bool header) {
    Wrapped cells[MAX_COLUMNS];
    int lines = 0;
    for (int c = 0; c < columns->count; c++) {
        char *cell = cell_text(row->text, c);
        cells[c] = wrap_text(term, cell, columns->width[c]);
        lines = cells[c].count > lines ? cells[c].count : lines;
        free(cell);
    }
    for (int line = 0; line < lines; line++) {
        int due = INDENT; /* spaces owed before the next text: none are left at the end of a line */
        for (int c = 0; c < columns->count; c++) {
            const char *text = line < cells[c].count ? cells[c].line[line] : "";
            int gap = columns->width[c] - utf8_width(text);
            int before = columns->numeric[c] ? gap : 0;
            if (*text) {
                fprintf(term->out, "%*s", due + before, "");
                terminal_put(term, header ? STYLE_BOLD : c == 0 ? row->style : STYLE_PLAIN, text);
                due = 0;
            } else {
                due += before;
            }
            due += gap - before + GAP;
        }
        putc('\n', term->out);
    }
    for (int c = 0; c < columns->count; c++) {
        wrapped_free(&cells[c]);
    }
}

static void print_rule(const Terminal *term, const Columns *columns) {
    for (int c = 0; c < columns->count; c++) {
        fprintf(term->out, "%*s", c == 0 ? INDENT : GAP, "");
        for (int i = 0; i < columns->width[c]; i++) {
            putc('-', term->out);
        }
    }
    putc('\n', term->out);
}

void terminal_table(const Terminal *term, const Table *table) {
    if (table->count == 0) {
        return;
    }
    Columns columns = columns_measure(term, table);
    columns_squeeze(&columns, terminal_width(term) - INDENT);
    for (int r = 0; r < table->count; r++) {
        print_row(term, &columns, &table->rows[r], r == 0);
        if (r == 0) {
            print_rule(term, &columns);
        }
    }
}
