/* SPDX-License-Identifier: Apache-2.0 */
/* Linked data on the heap, as ordinary programs use it. */
#include <stdlib.h>

#include "../case.h"

struct item {
	struct item *next;
	long key;
	char mark;
};

extern struct item *ls_head, *ls_pushed, ls_items[4];
extern long ls_total;
struct item ls_items[4] = {
	{ &ls_items[1], 0, 'a' }, { &ls_items[2], 1, 'b' }, { &ls_items[3], 2, 'c' }, { NULL, 3, 'd' },
};
struct item *ls_head = ls_items, *ls_pushed;
long ls_total;

CASE(push, "allocation and insertion at the head")
{
	for (long k = 0; k < 4; k++) {
		struct item *i = malloc(sizeof(*i));
		if (!i)
			abort();
		i->key = k;
		i->mark = (char)('a' + k);
		i->next = ls_pushed;
		ls_pushed = i;
	}
}

CASE(sum, "walk along the list")
{
	ls_total = 0;
	for (const struct item *i = ls_head; i; i = i->next)
		ls_total += i->mark == 'b' ? 100 : i->key;
}

CASE(unlink, "removal through a pointer to pointer")
{
	for (struct item **at = &ls_head; *at; at = &(*at)->next) {
		if ((*at)->key == 2) {
			struct item *gone = *at;
			*at = gone->next;
			break;
		}
	}
}
