// A loop that touches nothing and never ends.
// EXPECT record: status 1, kind step-limit
// OPTIONS --steps 20000
static unsigned long start = 1;

int main(void)
{
	unsigned long n = start;
	while (n) n = n * 3 | 1;	// PLACE
	return 0;
}
