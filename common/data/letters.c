#include "data/letters.h"

#include "io/utf8.h"

#include <stddef.h>

typedef struct Range {
    uint32_t first, last;
} Range;

static bool in_ranges(uint32_t code, const Range *range, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (code >= range[i].first && code <= range[i].last) {
            return true;
        }
    }
    return false;
}

#define IN(code, table) in_ranges(code, table, sizeof(table) / sizeof *(table))

bool letter_is_space(uint32_t code) {
    static const Range space[] = {
        {0x0000, 0x0020}, /* control characters and the space */
        {0x007F, 0x00A0}, /* more control characters and the no-break space */
        {0x1680, 0x1680}, {0x2000, 0x200A},
        {0x2028, 0x2029}, {0x202F, 0x202F}, /* the narrow no-break space of French before ! ? ; */
        {0x205F, 0x205F}, {0x3000, 0x3000},
    };
    return IN(code, space);
}

bool letter_is_invisible(uint32_t code) {
    static const Range invisible[] = {
        {0x00AD, 0x00AD}, /* soft hyphen */
        {0x200B, 0x200F}, /* zero-width space and joiners, direction marks */
        {0x202A, 0x202E}, {0x2060, 0x2064}, {0xFEFF, 0xFEFF}, /* byte order mark */
    };
    return IN(code, invisible);
}

bool letter_is_mark(uint32_t code) {
    static const Range mark[] = {
        {'!', '/'},       {':', '@'},       {'[', '`'},       {'{', '~'},
        {0x00A1, 0x00A9}, /* Latin-1, leaving out the ordinals and the micro sign */
        {0x00AB, 0x00AC}, {0x00AE, 0x00B4}, {0x00B6, 0x00B9}, {0x00BB, 0x00BF},
        {0x00D7, 0x00D7}, {0x00F7, 0x00F7}, {0x02BC, 0x02BC}, /* the modifier letter that is used as
                                                                 an apostrophe */
        {0x2010, 0x2027}, {0x2030, 0x205E},                   /* dashes, quotes, the ellipsis */
        {0x20A0, 0x20CF},                                     /* currencies */
        {0x2190, 0x2BFF},                                     /* arrows, mathematics, shapes */
        {0x3001, 0x3003}, {0x3008, 0x3011}, {0x3014, 0x301F}, {0xFF01, 0xFF0F},
        {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFFD, 0xFFFD},
    };
    return IN(code, mark);
}

bool letter_is_word(uint32_t code) {
    return !letter_is_space(code) && !letter_is_invisible(code) && !letter_is_mark(code);
}

bool letter_is_digit(uint32_t code) {
    return code >= '0' && code <= '9';
}

uint32_t letter_compose(uint32_t letter, uint32_t accent) {
    static const struct {
        uint32_t accent;
        const char *plain, *composed;
    } table[] = {
        {0x0300, "aeiou", "àèìòù"},           /* grave */
        {0x0301, "aeiouycnsz", "áéíóúýćńśź"}, /* acute */
        {0x0302, "aeiou", "âêîôû"},           /* circumflex */
        {0x0303, "ano", "ãñõ"},               /* tilde */
        {0x0308, "aeiouy", "äëïöüÿ"},         /* diaeresis */
        {0x030A, "au", "åů"},                 /* ring */
        {0x030C, "cszern", "čšžěřň"},         /* caron */
        {0x0327, "cs", "çş"},                 /* cedilla */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].accent != accent) {
            continue;
        }
        const char *composed = table[i].composed;
        for (const char *plain = table[i].plain; *plain != '\0'; plain++) {
            uint32_t code = utf8_next(&composed);
            if ((uint32_t)*plain == letter) {
                return code;
            }
        }
    }
    return 0;
}

uint32_t letter_plain_mark(uint32_t code) {
    switch (code) {
    case 0x00B4: /* the acute accent by itself, typed for an apostrophe */
    case 0x02BC:
    case 0x2018:
    case 0x2019:
    case 0x2032:
        return '\'';
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x201F:
        return '"';
    case 0x2010:
    case 0x2011:
        return '-';
    default:
        return code;
    }
}

/* In Latin Extended-A capitals and small letters alternate, in some stretches the even code is the
 * capital, in others the odd one. */
static uint32_t lower_extended_a(uint32_t code) {
    static const Range even[] = {{0x0100, 0x012F}, {0x0132, 0x0137}, {0x014A, 0x0177}};
    static const Range odd[] = {{0x0139, 0x0148}, {0x0179, 0x017E}};
    if (code == 0x0178) {
        return 0x00FF; /* Ÿ -> ÿ */
    }
    if (IN(code, even)) {
        return code | 1;
    }
    if (IN(code, odd)) {
        return code + (code & 1);
    }
    return code;
}

uint32_t letter_lower(uint32_t code) {
    static const Range plus_32[] = {
        {'A', 'Z'},       {0x00C0, 0x00D6}, {0x00D8, 0x00DE}, /* Latin-1, without the times sign */
        {0x0391, 0x03A1}, {0x03A3, 0x03AB},                   /* Greek */
        {0x0410, 0x042F},                                     /* Cyrillic */
    };
    if (IN(code, plus_32)) {
        return code + 32;
    }
    if (code >= 0x0100 && code <= 0x017F) {
        return lower_extended_a(code);
    }
    if (code >= 0x0400 && code <= 0x040F) {
        return code + 80;
    }
    return code;
}
