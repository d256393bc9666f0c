/* SPDX-License-Identifier: Apache-2.0 */
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "tally.h"

extern "C" size_t first_word(const char *text);

int main(int argc, char **argv)
{
	tally words;
	std::vector<std::thread> threads;
	for (const char *at = argc > 1 ? argv[1] : ""; *at;) {
		size_t len = first_word(at);
		threads.emplace_back([&words, word = std::string(at, len)] { words.add(word); });
		at += len + (at[len] == ' ');
	}
	for (auto &t : threads)
		t.join();
	std::cout << words.text() << std::endl;
	return 0;
}
