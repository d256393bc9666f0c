// A member that is null is freed.
// EXPECT record: status 0
#include <stdlib.h>

struct node {
	struct node *next;
};

static void drop(struct node *n)
{
	free(n->next);
	free(n);
}

int main(void)
{
	struct node *volatile n = calloc(1, sizeof(*n));
	drop(n);
	return 0;
}
