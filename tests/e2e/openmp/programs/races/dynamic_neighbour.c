/* An iteration reads what another one writes.  How chunks are taken orders nothing. */
#ifdef RIGHT
#define DISTANCE 0
#else
#define DISTANCE 1
#endif
static int a[4];

int main(void)
{
#pragma omp parallel for schedule(dynamic) num_threads(2)
	for (int i = 1; i < 4; i++)
		a[i] = a[i - DISTANCE] + 1;
	return 0;
}
