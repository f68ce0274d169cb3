#include "data/phrases_words.h"

#include <string.h>

/* English, French, gender, kind, owned */
const Noun nouns[NOUNS] = {
    {{"man", "men"}, {"homme", "hommes"}, MASCULINE, HUMAN, false},
    {{"woman", "women"}, {"femme", "femmes"}, FEMININE, HUMAN, false},
    {{"brother", "brothers"}, {"frère", "frères"}, MASCULINE, HUMAN, true},
    {{"sister", "sisters"}, {"sœur", "sœurs"}, FEMININE, HUMAN, true},
    {{"cat", "cats"}, {"chat", "chats"}, MASCULINE, BEAST, true},
    {{"dog", "dogs"}, {"chien", "chiens"}, MASCULINE, BEAST, true},
    {{"bird", "birds"}, {"oiseau", "oiseaux"}, MASCULINE, BIRD, true},
    {{"house", "houses"}, {"maison", "maisons"}, FEMININE, PLACE, true},
    {{"school", "schools"}, {"école", "écoles"}, FEMININE, PLACE, true},
    {{"garden", "gardens"}, {"jardin", "jardins"}, MASCULINE, PLACE, true},
    {{"tree", "trees"}, {"arbre", "arbres"}, MASCULINE, PLACE, true},
    {{"book", "books"}, {"livre", "livres"}, MASCULINE, WRITING, true},
    {{"letter", "letters"}, {"lettre", "lettres"}, FEMININE, WRITING, true},
};

/* English, {masculine, feminine}, before a vowel, before the noun, graded, suits */
const Adjective adjectives_before[ADJECTIVES_BEFORE] = {
    {"small", {{"petit", "petits"}, {"petite", "petites"}}, NULL, true, true, ANYTHING},
    {"big", {{"grand", "grands"}, {"grande", "grandes"}}, NULL, true, true, ANYTHING},
    {"old", {{"vieux", "vieux"}, {"vieille", "vieilles"}}, "vieil", true, true, ANYTHING},
};

const Adjective adjectives_after[ADJECTIVES_AFTER] = {
    {"red", {{"rouge", "rouges"}, {"rouge", "rouges"}}, NULL, false, false, PLACE | WRITING},
    {"black", {{"noir", "noirs"}, {"noire", "noires"}}, NULL, false, false, ANYTHING & ~HUMAN},
    {"sad", {{"triste", "tristes"}, {"triste", "tristes"}}, NULL, false, true, BEING},
    {"strange", {{"étrange", "étranges"}, {"étrange", "étranges"}}, NULL, false, true, ANYTHING},
};

const Verb transitive_verbs[TRANSITIVE_VERBS] = {
    {{"sees", "see"}, {"voit", "voient"}, BEING, ANYTHING},
    {{"finds", "find"}, {"trouve", "trouvent"}, BEING, ANYTHING},
    {{"loves", "love"}, {"aime", "aiment"}, BEING, ANYTHING},
    {{"reads", "read"}, {"lit", "lisent"}, HUMAN, WRITING},
};

const Verb intransitive_verbs[INTRANSITIVE_VERBS] = {
    {{"sleeps", "sleep"}, {"dort", "dorment"}, BEING, 0},
    {{"sings", "sing"}, {"chante", "chantent"}, HUMAN | BIRD, 0},
};

const Preposition prepositions[PREPOSITIONS] = {
    {"in", "dans", PLACE},
    {"with", "avec", BEING},
    {"behind", "derrière", PLACE | BEING},
};

bool french_begins_with_vowel(const char *word) {
    return strchr("aeiouh", word[0]) != NULL || strncmp(word, "é", strlen("é")) == 0;
}
