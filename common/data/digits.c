#include "data/digits.h"

#include "core/check.h"

void addition_write(int number, int ids[ADDITION_LENGTH]) {
    CHECK(number >= 0 && number < ADDITION_COUNT, "addition_write: there is no addition %d of %d",
          number, ADDITION_COUNT);
    int a = number / 100, b = number % 100, c = a + b;
    const int written[ADDITION_LENGTH] = {a / 10,        a % 10, DIGITS_PLUS, b / 10, b % 10,
                                          DIGITS_EQUALS, c % 10, c / 10 % 10, c / 100};
    for (int i = 0; i < ADDITION_LENGTH; i++) {
        ids[i] = written[i];
    }
}

void digits_draw(Rng *rng, int B, int n, int *ids) {
    CHECK(B >= 1 && n >= 1, "digits_draw: %d sequences of %d digits", B, n);
    for (int i = 0; i < B * (n + 1); i++) {
        ids[i] = i % (n + 1) == 0 ? DIGITS_START : (int)rng_below(rng, 10);
    }
}

void digits_text(const int *ids, int n, char *text) {
    static const char letters[] = "0123456789+=>";
    for (int i = 0; i < n; i++) {
        CHECK(ids[i] >= 0 && ids[i] < DIGITS_VOCABULARY, "digits_text: no symbol %d", ids[i]);
        text[i] = letters[ids[i]];
    }
    text[n] = '\0';
}
