// A loop that touches nothing and never ends.
// EXPECT record: status 1, kind step-limit
// OPTIONS --steps 20000
// LEVELS -O0: an optimiser leaves nothing of the loop that could be controlled
static unsigned long start = 1;

int main(void)
{
	unsigned long n = start;
	while (n) n = n * 3 | 1;	// PLACE
	return 0;
}
