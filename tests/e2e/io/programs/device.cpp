// SPDX-License-Identifier: Apache-2.0
// std::random_device in each of its ways: the processor, the kernel, a file.
#include <cstdio>
#include <random>

static void draw(const char *token)
{
	try {
		std::random_device device(token);
		std::mt19937 generator(device());
		unsigned second = device();
		std::printf("%s %u %u\n", token, (unsigned)generator(), second);
	} catch (const std::exception &) {
		std::printf("%s is not there\n", token);
	}
}

int main()
{
	std::random_device plain;
	std::printf("%u\n", plain());
	for (const char *token : { "default", "rdrand", "rdseed", "getentropy", "arc4random", "/dev/urandom", "prng" })
		draw(token);
	return 0;
}
