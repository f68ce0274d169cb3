/* One lesson after the other in front of a class, each step by step, with a menu in between. */
#ifndef LESSON_CLASS_CLASS_H
#define LESSON_CLASS_CLASS_H

#include "lesson/class/facts.h"
#include "lesson/class/process.h"

typedef struct Class {
    const Terminal *term;
    Foreground foreground;
    LessonFacts *lessons;
    int count;
    char **flags; /* handed on to every lesson, behind those that the class adds */
    int flag_count;
    int last; /* the lesson that ran last, or -1 */
    bool over;
} Class;

/* Reads what the programs say about themselves, then shows the menu and does what it is told, until
 * q or the end of the input. Everything is asked and shown in plain lines, so that pipes will do on
 * both sides. Needs interrupt_install(). Returns 0, or 128 + the signal that ended it; Ctrl-C does
 * not. */
int class_run(const Terminal *term, char **programs, int count, char **flags, int flag_count);

/* ---- what the menu does (class_lesson.c) ---- */

/* What to run of a lesson; all NULL: the whole of it. */
typedef struct ClassPart {
    const char *only;    /* one step */
    const char *mistake; /* broken on purpose */
    bool quick;
} ClassPart;

/* Runs a lesson in step mode and says how it ended. What is no plain run of the whole lesson leaves
 * the files of one alone: it goes to plots/again/NN_STEP or plots/broken/NN_MISTAKE. */
void class_lesson(Class *class, int lesson, ClassPart part);

/* The teacher's notes on a lesson. */
void class_notes(Class *class, int lesson);

/* The time that a lesson takes, as text. */
void class_time_text(const Class *class, int lesson, char *text, size_t size);

/* Is this word among the flags for the lessons, such as "--quick" (or "--out=x" for "--out")? */
bool class_has_flag(const Class *class, const char *flag);

/* Says something on lines that fit. */
void class_say(const Class *class, Style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
