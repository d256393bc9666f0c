/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What std::cout holds when the process ends: in the buffer of stdout (SYNCED), or in its own (OWN).  PARTS: what
 * is printed in parts can be interrupted between them.
 */
#include <iostream>
#include <thread>

static void child()
{
#ifdef PARTS
	std::cout << "child" << 1 << "\n";
#else
	std::cout << "child\n";
#endif
}

int main()
{
#ifdef PARTS
	std::thread parts(child);
	std::cout << "main ";
	parts.join();
	return 0;
#endif
#ifdef OWN
	std::ios::sync_with_stdio(false);
#endif
	std::cout << "main ";
	std::thread t(child);
	t.detach();
	return 0;
}
