/* SPDX-License-Identifier: Apache-2.0 */
/* The strategies by their words; see strategies.def. */
#include "explore/explore.h"

static const struct strategy *const all[] = {
#define STRATEGY(object, word, help) &strategy_##object,
#include "explore/strategies.def"
#undef STRATEGY
};

const char *const strategy_words[] = {
#define STRATEGY(object, word, help) word,
#include "explore/strategies.def"
#undef STRATEGY
	NULL
};

const char strategy_help[] = "How schedules are chosen (default auto)."
#define STRATEGY(object, word, help) " " word ": " help "."
#include "explore/strategies.def"
#undef STRATEGY
	;

const struct strategy *strategy_at(size_t word)
{
	return all[word];
}

const char *strategy_word(const struct strategy *s)
{
	size_t i = 0;
	while (all[i] != s)
		i++;
	return strategy_words[i];
}
