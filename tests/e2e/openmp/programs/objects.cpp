// C++: objects that are copied into tasks and regions, reductions of classes, exceptions inside.
#include <cstdio>
#include <numeric>
#include <omp.h>
#include <string>
#include <vector>

struct counter {
	static int alive;
	int value;
	explicit counter(int v) : value(v) { alive++; }
	counter(const counter &o) : value(o.value)
	{
#pragma omp atomic
		alive++;
	}
	~counter()
	{
#pragma omp atomic
		alive--;
	}
};
int counter::alive;

#pragma omp declare reduction(join : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

int main()
{
	std::vector<int> all;
	std::string text = "task";
	int caught = 0, length = 0, sum = 0;
	{
		counter c(5);
#pragma omp parallel num_threads(3) firstprivate(c) reduction(+ : sum)
		{
			sum += c.value;
#pragma omp single
			for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(c, text) shared(length)
				{
					text += std::to_string(c.value);
#pragma omp atomic
					length += (int)text.size();
				}
			}
		}
	}
#pragma omp parallel for reduction(join : all) num_threads(3)
	for (int i = 0; i < 20; i++)
		all.push_back(i);
#pragma omp parallel num_threads(2)
	{
		try {
			throw omp_get_thread_num();
		} catch (int n) {
#pragma omp atomic
			caught += n + 1;
		}
	}
	std::printf("%d %d %d %d %zu %d\n", counter::alive, sum, length, caught, all.size(),
		    std::accumulate(all.begin(), all.end(), 0));
}
