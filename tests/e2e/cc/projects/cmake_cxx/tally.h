/* SPDX-License-Identifier: Apache-2.0 */
// Counts words, from any number of threads.
#pragma once
#include <map>
#include <mutex>
#include <string>

class tally {
public:
	void add(const std::string &word);
	std::string text() const;

private:
	mutable std::mutex lock;
	std::map<std::string, int> counts;
};
