// A loop that touches nothing and ends.
// EXPECT record: status 0
// OPTIONS --steps 20000
// LEVELS -O0: an optimiser leaves nothing of the loop that could be controlled
static unsigned long start = 1;

int main(void)
{
	unsigned long n = start;
	while (n)
		n *= 2;
	return 0;
}
