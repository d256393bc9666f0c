/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of explore/portfolio: how much of a search is drawn, by costs. */
#include "explore/portfolio.h"
#include "unit/unit.h"

/* A search whose executions cost so much each, until the systematic ones have cost a total. */
static struct portfolio_costs search(uint64_t systematic, uint64_t drawn, uint64_t total)
{
	struct portfolio_costs c = { 0 };
	while (c.systematic_cost < total) {
		if (portfolio_draws(&c)) {
			c.drawn_cost += drawn;
			c.drawn++;
		} else {
			c.systematic_cost += systematic;
			c.systematic++;
		}
	}
	return c;
}

static void a_small_search_draws_nothing(void **state)
{
	(void)state;
	assert_int_equal(search(100, 200, PORTFOLIO_BEGIN).drawn, 0);
	assert_true(search(100, 200, 2 * PORTFOLIO_BEGIN).drawn > 0);
}

/* Whatever an execution costs, and however short drawn ones are. */
static void a_long_search_draws_a_twentieth_at_most(void **state)
{
	(void)state;
	static const uint64_t costs[] = { 120, 1000, 10000, 20000, 300000, 2000000 };
	for (uint64_t total = 1000000; total < 300000000; total *= 3)
		for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++)
			for (uint64_t part = 1; part <= 100; part *= 10) {
				uint64_t drawn = 2 * costs[i] / part;
				struct portfolio_costs c = search(costs[i], drawn, total);
				assert_true(c.drawn_cost <= c.systematic_cost / 20 + drawn);
				if (c.drawn > PORTFOLIO_FEW)
					assert_true(c.drawn_cost <= c.systematic_cost / 20);
				assert_true(c.drawn <= PORTFOLIO_BURST + c.systematic / 20);
				assert_true(c.drawn > 0 || c.systematic < 2);
			}
}

static void a_middle_search_draws_a_quarter_at_most(void **state)
{
	(void)state;
	for (uint64_t total = 10000; total < 1000000; total *= 2)
		assert_true(search(150, 200, total).drawn_cost <= total / 4 + 200);
}

static void the_number_is_limited(void **state)
{
	(void)state;
	struct portfolio_costs c = { UINT64_MAX / 2, UINT64_MAX / 2, PORTFOLIO_MAX - 1, 0 };
	assert_true(portfolio_draws(&c));
	c.drawn++;
	assert_false(portfolio_draws(&c));
}

/* It may be much longer than the others, which may all be short. */
static void a_drawn_execution_is_cut(void **state)
{
	(void)state;
	struct portfolio_costs c = { .systematic = 10, .systematic_cost = 10 * 500 };
	assert_int_equal(portfolio_most_hooks(&c, 100), 10000 + 16 * 500);
	assert_int_equal(portfolio_most_hooks(&c, 2000), 10000 + 16 * 2000);
	assert_int_equal(portfolio_most_hooks(&(struct portfolio_costs){ 0 }, 10), 10000 + 16 * 10);
}

int main(void)
{
	RUN(cmocka_unit_test(a_small_search_draws_nothing),
	    cmocka_unit_test(a_long_search_draws_a_twentieth_at_most),
	    cmocka_unit_test(a_middle_search_draws_a_quarter_at_most),
	    cmocka_unit_test(the_number_is_limited), cmocka_unit_test(a_drawn_execution_is_cut));
}
