/* How a claim's sentence and numbers are written, in the terminal and on the gallery's page. */
#ifndef SHOW_CLAIM_TEXT_H
#define SHOW_CLAIM_TEXT_H

enum { CLAIM_NUMBER_SIZE = 48 };

/* Value and bound as texts: "41.2 %", "3072", "0.0312", "nan". They are percent when the sentence
 * has a '%' in it and the bound is a fraction. Both get the same digits, and the value more of them
 * while rounding makes the two look equal: a reader should see why 59.98 % is below 60 %. */
void claim_numbers(const char *sentence, double value, double bound,
                   char value_text[CLAIM_NUMBER_SIZE], char bound_text[CLAIM_NUMBER_SIZE]);

/* How many bytes of the sentence are shown: a ", %" at its end only says that its numbers are
 * percent. */
int claim_shown_length(const char *sentence);

#endif
