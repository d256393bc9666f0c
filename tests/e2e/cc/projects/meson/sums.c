/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

int sum_to(int n)
{
	int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
	for (int i = 1; i <= n; i++)
		sum += i;
	return sum;
}
