/* SPDX-License-Identifier: Apache-2.0 */
/* Words of the text form; each list ends with NULL. */
#ifndef HEDDLE_IR_WORDS_H
#define HEDDLE_IR_WORDS_H

#define IR_WORDS(name, ...) extern const char *const ir_words_##name[];
#include "ir/words.def"
#undef IR_WORDS

#endif
