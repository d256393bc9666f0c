// A member that was never written is freed.
// EXPECT record: status 1, kind invalid-free
#include <stdlib.h>

struct node {
	struct node *next;
};

static void drop(struct node *n)
{
	free(n->next);	// PLACE
	free(n);
}

int main(void)
{
	struct node *volatile n = malloc(sizeof(*n));
	drop(n);
	return 0;
}
