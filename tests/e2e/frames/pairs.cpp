// Many pairs of places race in functions of the containers, of which some are not inlined.
#include <map>
#include <string>
#include <thread>
#include <vector>

static std::map<int, std::string> names;
static std::vector<std::string> list;

static void add(int key)
{
	names[key] = "name";
	list.emplace_back("name");
}

int main()
{
	std::thread a([] { add(1); });
	add(2);
	a.join();
}
