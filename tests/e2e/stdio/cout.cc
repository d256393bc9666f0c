/* SPDX-License-Identifier: Apache-2.0 */
/* What std::cout holds when the process ends: in the buffer of stdout (SYNCED), or in its own (OWN). */
#include <iostream>
#include <thread>

static void child()
{
	std::cout << "child\n";
}

int main()
{
#ifdef OWN
	std::ios::sync_with_stdio(false);
#endif
	std::cout << "main ";
	std::thread t(child);
	t.detach();
	return 0;
}
