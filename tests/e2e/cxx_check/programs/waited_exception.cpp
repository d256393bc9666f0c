// An exception that two threads share under TSO: its count is right although stores leave buffers meanwhile.
// SILENT --memory=tso --strategy=random --executions=600
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
	std::promise<int> promise;
	auto future = promise.get_future().share();
	auto get = [future] {
		try {
			future.get();
		} catch (std::exception &) {
		}
	};
	std::thread a(get), b(get);
	promise.set_exception(std::make_exception_ptr(std::runtime_error("error")));
	a.join();
	b.join();
	return 0;
}
