/* SPDX-License-Identifier: Apache-2.0 */
/* The strategies by name. */
#include <string.h>

#include "explore/explore.h"

static const struct strategy *const all[] = { &strategy_deepening, &strategy_dpor,
					      &strategy_mcr,	   &strategy_mcr_value,
					      &strategy_mcr_plain, &strategy_dfs,
					      &strategy_random,	   &strategy_pct,
					      &strategy_pos };

const struct strategy *strategy_find(const char *name)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}
