/* SPDX-License-Identifier: Apache-2.0 */
/* An estimate of the size of a search, and when to print it; see progress.h. */
#include "check/progress.h"

#include <stdio.h>

#define FIRST 64   /* schedules before which nothing is estimated */
#define STEADY 1.3 /* largest ratio of estimates that stand still */

void check_add_count(struct buf *out, uint64_t n)
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf_char(out, ',');
		buf_char(out, digits[i]);
	}
}

void check_progress_note(struct check_progress *p, uint64_t made, double part)
{
	if (!(part > 0) || part > 1) {
		*p = (struct check_progress){ .shown = p->shown };
		return;
	}
	if (made < FIRST || made < 2 * p->made)
		return;
	p->totals[0] = p->totals[1];
	p->totals[1] = p->totals[2];
	p->totals[2] = (double)made / part;
	p->made = made;
}

bool check_progress_total(const struct check_progress *p, uint64_t made, double *low, double *high)
{
	*low = *high = p->totals[2];
	for (int i = 0; i < 3; i++) {
		if (!(p->totals[i] > 0))
			return false;
		*low = p->totals[i] < *low ? p->totals[i] : *low;
		*high = p->totals[i] > *high ? p->totals[i] : *high;
	}
	bool is_steady = *high <= STEADY * *low;
	*low /= STEADY;
	*high *= STEADY;
	return is_steady && (double)made < *high;
}

static void add_time_left(struct buf *out, double low, double high)
{
	static const struct {
		double least, size;
		const char *word;
	} units[] = {
		{ 172800, 86400, "days" }, { 7200, 3600, "h" }, { 120, 60, "min" }, { 0, 1, "s" }
	};
	size_t i = 0;
	while (high < units[i].least)
		i++;
	if (low / units[i].size > 1000)
		buf_str(out, ", more than 1,000 days left");
	else
		buf_printf(out, ", %.0f to %.0f %s left", low > 0 ? low / units[i].size : 0,
			   high / units[i].size + 0.5, units[i].word);
}

void check_progress_text(struct check_progress *p, uint64_t made, double seconds, double part,
			 struct buf *out)
{
	double low, high;
	made = made > p->shown ? made : p->shown;
	p->shown = made;
	check_progress_note(p, made, part);
	check_add_count(out, made);
	double rate = seconds > 0 ? (double)made / seconds : 0;
	buf_printf(out, " schedule%s, %.0f/s", made == 1 ? "" : "s", rate);
	if (!check_progress_total(p, made, &low, &high)) {
		buf_str(out, ", total unknown");
		return;
	}
	low = low > (double)made ? low : (double)made;
	buf_str(out, ", ");
	check_add_count(out, (uint64_t)low);
	buf_str(out, " to ");
	if (high < 1e15)
		check_add_count(out, (uint64_t)high);
	else
		buf_printf(out, "%.0e", high);
	buf_str(out, " in all");
	if (rate > 0)
		add_time_left(out, (low - (double)made) / rate, (high - (double)made) / rate);
}
