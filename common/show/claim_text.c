#include "show/claim_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "41.2 %", "3072", "0.0312", with so many digits. */
static void number_text(char text[CLAIM_NUMBER_SIZE], double value, bool percent, int digits) {
    double shown = percent ? 100 * value : value;
    if (isnan(value)) {
        snprintf(text, CLAIM_NUMBER_SIZE, "nan");
        return;
    }
    if (percent && fabs(shown) >= 0.1 && fabs(shown) < 1e9) {
        snprintf(text, CLAIM_NUMBER_SIZE, "%.*f", digits - 2, shown);
        size_t size = strlen(text);
        if (digits == 3 && size > 2 && strcmp(text + size - 2, ".0") == 0) {
            text[size - 2] = '\0';
        }
    } else if (shown == floor(shown) && fabs(shown) < 1e9) {
        snprintf(text, CLAIM_NUMBER_SIZE, "%.0f", shown);
    } else {
        snprintf(text, CLAIM_NUMBER_SIZE, "%.*g", digits, shown);
    }
    if (percent) {
        strcat(text, " %");
    }
}

void claim_numbers(const char *sentence, double value, double bound,
                   char value_text[CLAIM_NUMBER_SIZE], char bound_text[CLAIM_NUMBER_SIZE]) {
    bool percent = strchr(sentence, '%') != NULL && fabs(bound) <= 1;
    number_text(bound_text, bound, percent, 3);
    for (int digits = 3; digits <= 9; digits++) {
        number_text(value_text, value, percent, digits);
        if (atof(value_text) != atof(bound_text) || value == bound) {
            return;
        }
    }
}

int claim_shown_length(const char *sentence) {
    size_t size = strlen(sentence);
    return (int)(size > 3 && strcmp(sentence + size - 3, ", %") == 0 ? size - 3 : size);
}
