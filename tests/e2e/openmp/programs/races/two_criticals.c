/* Critical sections with different names do not exclude each other. */
static int n;
#ifdef RIGHT
#define OTHER one
#else
#define OTHER two
#endif

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp sections
		{
#pragma omp section
			{
#pragma omp critical(one)
				n++;
			}
#pragma omp section
			{
#pragma omp critical(OTHER)
				n++;
			}
		}
	}
	return n > 2;
}
