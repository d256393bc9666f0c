// Exceptions whose constructors are in the library, made by the program and by the library, read in another thread.
// OUTCOMES 1
// DFS
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

static std::exception_ptr kept[3];

template <class F> static std::exception_ptr caught(F f)
{
	try {
		f();
	} catch (...) {
		return std::current_exception();
	}
	return nullptr;
}

int main()
{
	std::thread t([] {
		kept[0] = caught([] { throw std::runtime_error("run"); });
		kept[1] = caught([] { std::string("abc").at(5); });
		kept[2] = caught([] { throw std::system_error(std::make_error_code(std::errc::io_error)); });
	});
	t.join();
	for (auto &e : kept)
		try {
			std::rethrow_exception(e);
		} catch (const std::system_error &s) {
			printf("%d\n", s.code().value());
		} catch (const std::exception &x) {
			printf("%c\n", x.what()[0]);
		}
}
