/* What is known about a lesson from outside: what its program says with --list and --help, and what
 * its last run left. */
#ifndef LESSON_CLASS_FACTS_H
#define LESSON_CLASS_FACTS_H

#include "show/terminal.h"

typedef struct NamedText {
    char *name, *text; /* "2.2" and the step's title; "no_pad_mask" and what it does */
} NamedText;

typedef struct NamedTexts {
    NamedText *list;
    int count;
} NamedTexts;

typedef struct LessonFacts {
    const char *program; /* its path */
    char name[64];       /* "02_bahdanau" */
    int number;          /* 2 */
    char *title;         /* "Let the decoder look back"; "" when it is not known */
    char *duration;      /* "about 30 s"; the same */
    NamedTexts steps, mistakes;
} LessonFacts;

/* Asks the program. One that is not there or says nothing sensible is known by its name alone. */
LessonFacts lesson_facts(const char *program);
void lesson_facts_free(LessonFacts *facts);

/* The same from what the program says, without running it; the texts are changed. */
void lesson_facts_read(LessonFacts *facts, char *list, char *help);

/* How long the run in that folder took ("31.2 s last time", with ", quick" if it was); without a
 * whole run there, what the lesson says of itself. Of a class that is `quick` only a quick run
 * counts; without one it is a few seconds. */
void lesson_time_text(const LessonFacts *facts, const char *folder, bool quick, char *text,
                      size_t size);

/* The name in the list that was typed, or its number in it, counted from 1: its index, or -1. */
int named_text_find(const NamedTexts *texts, const char *typed);

#endif
