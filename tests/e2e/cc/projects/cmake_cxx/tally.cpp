/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

void tally::add(const std::string &word)
{
	std::lock_guard<std::mutex> hold(lock);
	counts[word]++;
}

std::string tally::text() const
{
	std::lock_guard<std::mutex> hold(lock);
	std::string out;
	for (const auto &entry : counts)
		out += (out.empty() ? "" : ", ") + entry.first + " " + std::to_string(entry.second);
	return out;
}
