/* A sum without a reduction. */
int main(void)
{
	int sum = 0;
#ifdef RIGHT
#pragma omp parallel for num_threads(2) reduction(+ : sum)
#else
#pragma omp parallel for num_threads(2)
#endif
	for (int i = 0; i < 2; i++)
		sum += i;
	return sum > 1;
}
