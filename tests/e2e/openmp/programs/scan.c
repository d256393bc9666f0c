/* simd, scan, scope, teams, lastprivate(conditional), loop, user-defined reductions, allocators. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

struct pair {
	int sum, count;
};
#pragma omp declare reduction(add : struct pair : omp_out.sum += omp_in.sum, omp_out.count += omp_in.count) \
	initializer(omp_priv = { 0, 0 })

int main(void)
{
	int a[40], prefix[40], exclusive[40], total = 0, last = 0, scoped = 0, teams = 0;
	struct pair p = { 0, 0 };
#pragma omp parallel for simd num_threads(3)
	for (int i = 0; i < 40; i++)
		a[i] = i * i % 17;
#pragma omp parallel for reduction(inscan, + : total) num_threads(3)
	for (int i = 0; i < 40; i++) {
		total += a[i];
#pragma omp scan inclusive(total)
		prefix[i] = total;
	}
	int before = 0;
#pragma omp parallel for reduction(inscan, + : before) num_threads(3)
	for (int i = 0; i < 40; i++) {
		exclusive[i] = before;
#pragma omp scan exclusive(before)
		before += a[i];
	}
#pragma omp parallel for lastprivate(conditional : last) num_threads(3) schedule(dynamic, 2)
	for (int i = 0; i < 40; i++)
		if (a[i] == 4)
			last = i;
#pragma omp parallel num_threads(3)
#pragma omp scope reduction(+ : scoped)
	scoped += omp_get_thread_num() + 1;
#pragma omp teams num_teams(3) reduction(+ : teams)
	{
		teams += 1000 + 10 * omp_get_num_teams() + omp_get_team_num();
#pragma omp parallel num_threads(2) reduction(+ : teams)
		teams++;
	}
#pragma omp parallel for reduction(add : p) num_threads(3)
	for (int i = 0; i < 40; i++) {
		p.sum += a[i];
		p.count++;
	}
	int looped = 0;
#pragma omp parallel num_threads(2)
#pragma omp loop reduction(+ : looped)
	for (int i = 0; i < 10; i++)
		looped += i;
	void *q = omp_aligned_alloc(64, 100, omp_default_mem_alloc);
	printf("%d %d %d %d %d %d | %d %d | %d %d\n", prefix[39], exclusive[39], total, last, scoped,
	       teams, p.sum, p.count, looped, (int)((uintptr_t)q % 64));
	omp_free(q, omp_default_mem_alloc);
	return 0;
}
