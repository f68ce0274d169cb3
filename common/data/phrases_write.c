/* From a plan to two sentences and the links between their words. */
#include "data/phrases_grammar.h"

#include <stddef.h>

enum { NO_WORD = -1 };

/* The sentence as it grows. */
typedef struct Draft {
    Phrase *phrase;
    bool too_long;
} Draft;

/* Appends an English word and returns its place. */
static int say(Draft *draft, const char *word) {
    Phrase *phrase = draft->phrase;
    if (phrase->S == PHRASE_LIMIT) {
        draft->too_long = true;
        return NO_WORD;
    }
    phrase->source[phrase->S] = word;
    return phrase->S++;
}

/* Appends a French word that translates the English word at `sure` and leans on the one at
 * `possible` (NO_WORD: on none). */
static void dire_also(Draft *draft, const char *word, int sure, int possible) {
    Phrase *phrase = draft->phrase;
    if (phrase->T == PHRASE_LIMIT) {
        draft->too_long = true;
        return;
    }
    if (possible != NO_WORD) {
        phrase->gold[phrase->T][possible] = LINK_POSSIBLE;
    }
    if (sure != NO_WORD) {
        phrase->gold[phrase->T][sure] = LINK_SURE;
    }
    phrase->target[phrase->T++] = word;
}

static void dire(Draft *draft, const char *word, int sure) {
    dire_also(draft, word, sure, NO_WORD);
}

/* ---- noun phrases ---- */

/* Where the English words of a noun phrase stand. */
typedef struct PhrasePlace {
    int determiner, very, before, after, noun;
} PhrasePlace;

static const char *english_determiner(const NounPhrase *phrase) {
    /* The only English word here that wants "an" is "old". */
    bool old = !phrase->very && phrase->before != NULL && phrase->before->english[0] == 'o';
    const char *const word[] = {[THE] = "the", [A] = old ? "an" : "a", [MY] = "my", [HIS] = "his"};
    return word[phrase->determiner];
}

static PhrasePlace say_phrase(Draft *draft, const NounPhrase *phrase) {
    PhrasePlace at = {NO_WORD, NO_WORD, NO_WORD, NO_WORD, NO_WORD};
    at.determiner = say(draft, english_determiner(phrase));
    if (phrase->very) {
        at.very = say(draft, "very");
    }
    if (phrase->before != NULL) {
        at.before = say(draft, phrase->before->english);
    }
    if (phrase->after != NULL) {
        at.after = say(draft, phrase->after->english);
    }
    at.noun = say(draft, phrase->noun->english[phrase->number]);
    return at;
}

/* An adjective before a noun: vieil homme, but vieux chat. */
static const char *form_before(const Adjective *adjective, Gender gender, Number number,
                               const char *noun) {
    if (adjective->french_before_vowel != NULL && gender == MASCULINE && number == SINGULAR &&
        french_begins_with_vowel(noun)) {
        return adjective->french_before_vowel;
    }
    return adjective->french[gender][number];
}

/* The first French word behind the determiner. */
static const char *first_word(const NounPhrase *phrase) {
    const char *noun = phrase->noun->french[phrase->number];
    if (phrase->before == NULL) {
        return noun;
    }
    return phrase->very ? "très"
                        : form_before(phrase->before, phrase->noun->gender, phrase->number, noun);
}

static const char *french_determiner(const NounPhrase *phrase) {
    static const char *const feminine_form[] = {
        [THE] = "la", [A] = "une", [MY] = "ma", [HIS] = "sa"};
    static const char *const masculine_form[] = {
        [THE] = "le", [A] = "un", [MY] = "mon", [HIS] = "son"};
    static const char *const plural_form[] = {
        [THE] = "les", [A] = "des", [MY] = "mes", [HIS] = "ses"};
    Determiner determiner = phrase->determiner;
    bool vowel = french_begins_with_vowel(first_word(phrase));
    if (phrase->number == PLURAL) {
        return plural_form[determiner];
    }
    if (determiner == THE && vowel) {
        return "l'";
    }
    /* mon école: the feminine possessive would meet a vowel */
    bool avoided = vowel && (determiner == MY || determiner == HIS);
    bool feminine = phrase->noun->gender == FEMININE && !avoided;
    return (feminine ? feminine_form : masculine_form)[determiner];
}

/* `denied`: the direct object of a negated verb, where un and une become de. */
static void dire_phrase(Draft *draft, const NounPhrase *phrase, PhrasePlace at, bool denied) {
    const char *noun = phrase->noun->french[phrase->number];
    Gender gender = phrase->noun->gender;
    if (denied && phrase->determiner == A) {
        dire(draft, french_begins_with_vowel(first_word(phrase)) ? "d'" : "de", at.determiner);
    } else {
        dire(draft, french_determiner(phrase), at.determiner);
    }
    bool very_before = phrase->very && phrase->before != NULL;
    if (very_before) {
        dire(draft, "très", at.very);
    }
    if (phrase->before != NULL) {
        dire(draft, form_before(phrase->before, gender, phrase->number, noun), at.before);
    }
    dire(draft, noun, at.noun);
    if (phrase->very && !very_before) {
        dire(draft, "très", at.very);
    }
    if (phrase->after != NULL) {
        dire(draft, phrase->after->french[gender][phrase->number], at.after);
    }
}

/* ---- sentences ---- */

/* Where the English words of a sentence stand; those it does not have are never asked for. */
typedef struct SentencePlace {
    PhrasePlace who[2], object, place;
    int subject; /* the pronoun, or the "and" between two subjects */
    int verb, does, negation, adverb, very, adjective, preposition, here;
} SentencePlace;

static bool has_pronoun(const Sentence *sentence) {
    return sentence->subject == SUBJECT_HE || sentence->subject == SUBJECT_SHE;
}

static bool has_copula(const Sentence *sentence) {
    return sentence->predicate == IS || sentence->predicate == IS_SOMEWHERE;
}

static Number subject_number(const Sentence *sentence) {
    switch (sentence->subject) {
    case SUBJECT_ONE:
        return sentence->who[0].number;
    case SUBJECT_TWO:
        return PLURAL;
    default:
        return SINGULAR;
    }
}

/* What adjectives behind the copula agree with: of two subjects, one masculine is enough. */
static Gender subject_gender(const Sentence *sentence) {
    if (has_pronoun(sentence)) {
        return sentence->subject == SUBJECT_HE ? MASCULINE : FEMININE;
    }
    Gender first = sentence->who[0].noun->gender;
    if (sentence->subject == SUBJECT_TWO && first == FEMININE) {
        return sentence->who[1].noun->gender;
    }
    return first;
}

static void say_subject(Draft *draft, const Sentence *sentence, SentencePlace *at) {
    if (has_pronoun(sentence)) {
        at->subject = say(draft, sentence->subject == SUBJECT_HE ? "he" : "she");
        return;
    }
    at->who[0] = say_phrase(draft, &sentence->who[0]);
    if (sentence->subject == SUBJECT_TWO) {
        at->subject = say(draft, "and");
        at->who[1] = say_phrase(draft, &sentence->who[1]);
    }
}

/* is not often / does not often see / often sees / never sees */
static void say_verb(Draft *draft, const Sentence *sentence, SentencePlace *at) {
    bool copula = has_copula(sentence);
    Number number = subject_number(sentence);
    at->does = NO_WORD;
    if (copula) {
        at->verb = say(draft, number == PLURAL ? "are" : "is");
    } else if (sentence->polarity == NOT) {
        at->does = say(draft, number == PLURAL ? "do" : "does");
        number = PLURAL; /* the bare form */
    }
    if (sentence->polarity != PLAIN) {
        at->negation = say(draft, sentence->polarity == NOT ? "not" : "never");
    }
    if (sentence->adverb != NO_ADVERB) {
        at->adverb = say(draft, sentence->adverb == OFTEN ? "often" : "always");
    }
    if (!copula) {
        at->verb = say(draft, sentence->verb->english[number]);
    }
}

static SentencePlace say_sentence(Draft *draft, const Sentence *sentence) {
    SentencePlace at = {.subject = NO_WORD};
    say_subject(draft, sentence, &at);
    say_verb(draft, sentence, &at);
    if (sentence->predicate == IS) {
        if (sentence->very) {
            at.very = say(draft, "very");
        }
        at.adjective = say(draft, sentence->adjective->english);
    }
    if (sentence->predicate == DOES_TO) {
        at.object = say_phrase(draft, &sentence->object);
    }
    if (sentence->preposition != NULL) {
        at.preposition = say(draft, sentence->preposition->english);
        at.place = say_phrase(draft, &sentence->place);
    } else if (sentence->here) {
        at.here = say(draft, "here");
    }
    return at;
}

static void dire_subject(Draft *draft, const Sentence *sentence, const SentencePlace *at) {
    if (has_pronoun(sentence)) {
        dire(draft, sentence->subject == SUBJECT_HE ? "il" : "elle", at->subject);
        return;
    }
    dire_phrase(draft, &sentence->who[0], at->who[0], false);
    if (sentence->subject == SUBJECT_TWO) {
        dire(draft, "et", at->subject);
        dire_phrase(draft, &sentence->who[1], at->who[1], false);
    }
}

/* ne voit pas souvent / voit souvent / n' est jamais */
static void dire_verb(Draft *draft, const Sentence *sentence, const SentencePlace *at) {
    Number number = subject_number(sentence);
    const char *copula = number == PLURAL ? "sont" : "est";
    const char *verb = has_copula(sentence) ? copula : sentence->verb->french[number];
    if (sentence->polarity != PLAIN) {
        dire_also(draft, french_begins_with_vowel(verb) ? "n'" : "ne", at->negation, at->does);
    }
    dire(draft, verb, at->verb);
    if (sentence->polarity != PLAIN) {
        dire(draft, sentence->polarity == NOT ? "pas" : "jamais", at->negation);
    }
    if (sentence->adverb != NO_ADVERB) {
        dire(draft, sentence->adverb == OFTEN ? "souvent" : "toujours", at->adverb);
    }
}

static void dire_sentence(Draft *draft, const Sentence *sentence, const SentencePlace *at) {
    dire_subject(draft, sentence, at);
    dire_verb(draft, sentence, at);
    if (sentence->predicate == IS) {
        if (sentence->very) {
            dire(draft, "très", at->very);
        }
        dire(draft, sentence->adjective->french[subject_gender(sentence)][subject_number(sentence)],
             at->adjective);
    }
    if (sentence->predicate == DOES_TO) {
        dire_phrase(draft, &sentence->object, at->object, sentence->polarity != PLAIN);
    }
    if (sentence->preposition != NULL) {
        dire(draft, sentence->preposition->french, at->preposition);
        dire_phrase(draft, &sentence->place, at->place, false);
    } else if (sentence->here) {
        dire(draft, "ici", at->here);
    }
}

bool sentence_write(const Sentence *sentence, Phrase *phrase) {
    *phrase = (Phrase){0};
    Draft draft = {.phrase = phrase};
    SentencePlace at = say_sentence(&draft, sentence);
    dire_sentence(&draft, sentence, &at);
    return !draft.too_long;
}
