/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target on a corpus and on mutations of it, the same ones for the same seed.
 *
 *   driver TARGET COUNT SEED FILE...
 *
 * Prints one TAP line.  An input that takes longer than ten seconds, crashes or is reported by a
 * sanitizer ends the process; the input is then in ./crash-TARGET.  Compiled with
 * -DLIBFUZZER=target it is a libFuzzer harness instead.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define ROOM (1u << 20)

const char *fuzz_file(const uint8_t *bytes, size_t len)
{
	static int fd = -1;
	static char path[64];
	if (fd >= 0)
		close(fd);
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

#ifdef LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t len, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t room, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	if (len)
		LIBFUZZER.run(bytes, len);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t room, unsigned seed)
{
	(void)seed;
	len = LLVMFuzzerMutate(bytes, len, room);
	return LIBFUZZER.repair ? LIBFUZZER.repair(bytes, len, room) : len;
}
#else

static uint64_t rng;

static uint64_t below(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

struct input {
	uint8_t *bytes;
	size_t len;
};

static struct input load(const char *path)
{
	struct input in = { malloc(ROOM), 0 };
	FILE *f = fopen(path, "rb");
	if (!f) {
		fprintf(stderr, "cannot open %s\n", path);
		exit(2);
	}
	in.len = fread(in.bytes, 1, ROOM, f);
	fclose(f);
	return in;
}

static size_t mutate(uint8_t *b, size_t len, const struct input *other)
{
	static const uint64_t edges[] = { 0,	      1,	 0x7f,	    0x80,
					  0xff,	      0x7fff,	 0xffff,    0x7fffffff,
					  0xffffffff, INT64_MAX, UINT64_MAX };
	size_t at = len ? below(len) : 0, n = 1 + below(1ull << below(8));
	switch (below(7)) {
	case 0: /* a bit */
		if (len)
			b[at] ^= (uint8_t)(1u << below(8));
		break;
	case 1: /* a byte */
		if (len)
			b[at] = (uint8_t)below(256);
		break;
	case 2: { /* a number at the edge of something */
		uint64_t v = edges[below(sizeof(edges) / sizeof(*edges))];
		size_t width = 1ull << below(4);
		if (at + width <= len)
			memcpy(b + at, &v, width);
		break;
	}
	case 3: /* a cut */
		if (!below(4))
			len = at;
		break;
	case 4: /* something taken out */
		n = n < len - at ? n : len - at;
		memmove(b + at, b + at + n, len - at - n);
		len -= n;
		break;
	case 5: /* something said twice */
		n = n < len - at ? n : len - at;
		if (len + n <= ROOM) {
			memmove(b + at + n, b + at, len - at);
			len += n;
		}
		break;
	case 6: /* something from elsewhere */
		if (other->len) {
			size_t from = below(other->len);
			n = n < other->len - from ? n : other->len - from;
			n = n < len - at ? n : len - at;
			memcpy(b + at, other->bytes + from, n);
		}
		break;
	}
	return len;
}

static void run_one(const struct fuzz_target *t, const uint8_t *bytes, size_t len)
{
	char name[64];
	static int fd = -1;
	/* Kept while it runs: what ends the process cannot be written afterwards. */
	if (fd < 0) {
		snprintf(name, sizeof(name), "crash-%s", t->name);
		FILE *f = fopen(name, "wb");
		fd = f ? dup(fileno(f)) : -1;
		if (f)
			fclose(f);
	}
	if (fd >= 0 && (ftruncate(fd, 0) || pwrite(fd, bytes, len, 0) < 0))
		exit(2);
	/* Exactly as long as it is, so that a read beyond it is seen. */
	uint8_t *copy = malloc(len ? len : 1);
	memcpy(copy, bytes, len);
	alarm(10);
	if (len)
		t->run(copy, len);
	alarm(0);
	free(copy);
}

int main(int argc, char **argv)
{
	static const struct fuzz_target *const targets[] = {
		&fuzz_trace,   &fuzz_witness,	   &fuzz_options, &fuzz_std,	  &fuzz_index,
		&fuzz_inputs,  &fuzz_ring,	   &fuzz_image,	  &fuzz_response, &fuzz_arguments,
		&fuzz_message, &fuzz_suppressions, &fuzz_ledger
	};
	const struct fuzz_target *t = NULL;
	for (size_t i = 0; argc > 4 && i < sizeof(targets) / sizeof(*targets); i++)
		if (!strcmp(targets[i]->name, argv[1]))
			t = targets[i];
	if (!t) {
		fputs("usage: driver TARGET COUNT SEED FILE...; targets:", stderr);
		for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++)
			fprintf(stderr, " %s", targets[i]->name);
		fputc('\n', stderr);
		return 2;
	}
	unsigned long count = strtoul(argv[2], NULL, 10);
	rng = strtoull(argv[3], NULL, 10) * 0x9e3779b97f4a7c15ull + 1;
	int files = argc - 4;
	struct input *corpus = calloc((size_t)files, sizeof(*corpus));
	static uint8_t bytes[2 * ROOM];
	for (int i = 0; i < files; i++) {
		corpus[i] = load(argv[4 + i]);
		run_one(t, corpus[i].bytes, corpus[i].len);
		/* Mutations start from the form that repair() gives, so that they meet content
		 * and not its compression. */
		if (t->repair)
			corpus[i].len = t->repair(corpus[i].bytes, corpus[i].len, ROOM);
		run_one(t, corpus[i].bytes, corpus[i].len);
	}
	for (unsigned long k = 0; k < count; k++) {
		const struct input *in = &corpus[below((uint64_t)files)];
		size_t len = in->len;
		memcpy(bytes, in->bytes, len);
		for (uint64_t n = 1 + below(4); n--;)
			len = mutate(bytes, len, &corpus[below((uint64_t)files)]);
		if (t->repair && below(8))
			len = t->repair(bytes, len, ROOM);
		run_one(t, bytes, len);
	}
	for (int i = 0; i < files; i++)
		free(corpus[i].bytes);
	free(corpus);
	struct rusage use;
	getrusage(RUSAGE_SELF, &use);
	char name[64];
	snprintf(name, sizeof(name), "crash-%s", t->name);
	unlink(name);
	/* Inputs are at most a megabyte: what reads them needs no gigabytes. */
	printf("%s 1 - %s: %d files, %lu mutations, %ld MiB\n",
	       use.ru_maxrss < 2048l * 1024 ? "ok" : "not ok", t->name, files, count,
	       use.ru_maxrss / 1024);
	return use.ru_maxrss < 2048l * 1024 ? 0 : 1;
}
#endif
