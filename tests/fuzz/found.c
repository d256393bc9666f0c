/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a program that `heddle run` watches, which may have gone wild (wire/run.h), and
 * files of suppressions.  Both end in findings: a message must not be counted twice, and what one
 * line suppresses must be counted with it.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "report/online.h"

#define MESSAGE                                          \
	"found race unordered 0 555555595064 4 46ea\n"   \
	"act 0 1 read 0 555555595064 4\n"                \
	"module 0 555555554000 7daf8 /no/such/program\n" \
	"at 0 52b8\n"                                    \
	"module 2 7ffff7dd3000 1e1f50 /lib/none.so\n"    \
	"at 2 891f5\n"                                   \
	"act 1 0 write 0 555555595064 4\n"               \
	"at 0 52d9\n"                                    \
	"at 0 5325\n"                                    \
	"thread 1 0 worker\n"                            \
	"at 0 531b\n"                                    \
	"thread 0 0 \n"                                  \
	"data 0 41064\n"                                 \
	"end\n"

static void message(const uint8_t *bytes, size_t len)
{
	struct online o;
	online_init(&o, "/no/such/program");
	bool is_new = online_add(&o, (const char *)bytes, len);
	if (is_new != (o.findings.list.len == 1) || online_add(&o, (const char *)bytes, len))
		abort(); /* the second time it is known */
	online_release(&o);
}

static void suppressions(const uint8_t *bytes, size_t len)
{
	struct online o;
	struct err err;
	online_init(&o, "/no/such/program");
	if (!suppressions_read(&o.suppressions, fuzz_file(bytes, len), &err)) {
		uint64_t counted = 0;
		online_add(&o, MESSAGE, strlen(MESSAGE));
		for (size_t i = 0; i < o.suppressions.list.len; i++)
			counted += o.suppressions.list.at[i].count;
		if (counted != o.suppressed || o.findings.list.len + o.suppressed > 1)
			abort();
	}
	online_release(&o);
}

const struct fuzz_target fuzz_message = { "message", message, NULL };
const struct fuzz_target fuzz_suppressions = { "suppressions", suppressions, NULL };
