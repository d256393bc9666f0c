/* Tasks: recursion, data, groups, taskloop, dependences, final, priority, detach. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int fib(int n)
{
	int a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a) final(n < 4)
	a = fib(n - 1);
#pragma omp task shared(b) if (n > 3)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static void dependences(void)
{
	int x = 0, y = 0, z = 0, out[3] = { 0 };
#pragma omp parallel num_threads(3)
#pragma omp single
	{
		for (int i = 0; i < 5; i++) {
#pragma omp task depend(out : x)
			x = x * 2 + 1;
#pragma omp task depend(in : x) depend(out : y)
			y = x + 1;
#pragma omp task depend(in : x) depend(out : z)
			z = x + 2;
#pragma omp task depend(in : y, z) depend(inout : out)
			out[0] += y * z;
		}
#pragma omp task depend(mutexinoutset : out) depend(mutexinoutset : x)
		out[1] = x;
#pragma omp task depend(in : out) if (0)
		out[2] = out[0] + out[1];
#pragma omp taskwait depend(in : out)
	}
	printf("dependences %d %d %d\n", out[0], out[1], out[2]);
	omp_depend_t handle;
	int late = 0;
#pragma omp depobj(handle) depend(inout : late)
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 6; i++) {
#pragma omp task depend(depobj : handle)
		late = late * 3 + i;
	}
#pragma omp depobj(handle) destroy
	printf("depobj %d\n", late);
}

static void groups(void)
{
	int sum = 0, inner = 0, after = 0, product = 1;
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp taskgroup
		{
			for (int i = 0; i < 6; i++) {
#pragma omp task
				{
#pragma omp task
					{
#pragma omp atomic
						inner++;
					}
#pragma omp atomic
					sum += i;
				}
			}
		}
		after = sum * 100 + inner;
#pragma omp taskloop grainsize(3) reduction(+ : sum)
		for (int i = 0; i < 20; i++)
			sum += i;
#pragma omp taskloop num_tasks(4) lastprivate(inner) shared(after)
		for (unsigned long long i = 0; i < 11; i++) {
			inner = (int)i;
#pragma omp atomic
			after++;
		}
#pragma omp taskgroup task_reduction(* : product)
		for (int i = 1; i < 7; i++) {
#pragma omp task in_reduction(* : product)
			product *= i;
		}
	}
	printf("groups %d %d %d %d\n", sum, inner, after, product);
}

static void reductions(void)
{
	int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(3) reduction(task, + : a)
	{
#pragma omp single nowait
		for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : a)
			a += i;
		}
		a += 100;
	}
#pragma omp parallel num_threads(3)
	{
#pragma omp for reduction(task, + : b) schedule(dynamic)
		for (int i = 0; i < 6; i++) {
#pragma omp task in_reduction(+ : b)
			b += i;
		}
#pragma omp sections reduction(task, + : c)
		{
#pragma omp section
			{
#pragma omp task in_reduction(+ : c)
				c += 3;
			}
#pragma omp section
			c += 4;
		}
	}
	printf("reductions %d %d %d\n", a, b, c);
}

static void detached(void)
{
	int finished = 0;
	omp_event_handle_t event;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task detach(event) firstprivate(finished)
		finished++;
#pragma omp task
		omp_fulfill_event(event);
#pragma omp taskwait
		finished = 5;
	}
	printf("detached %d\n", finished);
}

struct big {
	char bytes[300];
};

int main(void)
{
	int r = 0, array[4] = { 1, 2, 3, 4 }, got = 0;
	struct big big = { "big" };
#pragma omp parallel num_threads(3)
	{
#pragma omp single
		r = fib(8);
#pragma omp master
		for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i, array, big) priority(i)
			{
#pragma omp atomic
				got += array[i] * (big.bytes[1] == 'i');
			}
#pragma omp taskyield
		}
	}
	printf("fib %d got %d\n", r, got);
	dependences();
	groups();
	reductions();
	detached();
	int many = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
	for (int i = 0; i < 300; i++) {
#pragma omp task
		{
#pragma omp atomic
			many++;
		}
	}
	printf("many %d\n", many);
	return 0;
}
