/* Everything a lesson needs from its frame: flags, steps, prose, pictures, claims. */
#ifndef LESSON_LESSON_H
#define LESSON_LESSON_H

#include "lesson/claims.h"
#include "lesson/flags.h"
#include "lesson/options.h"
#include "lesson/run.h"
#include "lesson/walkthrough.h"

#endif
