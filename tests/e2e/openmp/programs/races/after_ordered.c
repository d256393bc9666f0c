/* Only what is inside of ordered regions is ordered. */
static int last, out;

int main(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
	for (int i = 0; i < 2; i++) {
#pragma omp ordered
		{
			out += i;
#ifdef RIGHT
			last = i;
#endif
		}
#ifndef RIGHT
		last = i;
#endif
	}
	return last > 1;
}
