/* SPDX-License-Identifier: Apache-2.0 */
/* See choose.h. */
#include "choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/fault_names.h"

unsigned char fault_is_on[FAULTS_COUNT];

static const struct {
	const char *name, *suites;
} rows[] = {
#define FAULT_ROW(name, part, suites, what) { #name, suites },
#include "wire/faults.def"
#undef FAULT_ROW
};

__attribute__((constructor)) static void choose_faults(void)
{
	const char *wrong = faults_switch_on(getenv("HEDDLE_FAULT"), fault_is_on);
	if (!wrong)
		return;
	fprintf(stderr, "HEDDLE_FAULT: there is no fault %s\n", wrong);
	exit(99);
}

const char *fault_name(enum fault fault)
{
	return rows[fault].name;
}

bool fault_is_of_suite(enum fault fault, const char *suite)
{
	size_t length = strlen(suite);
	for (const char *s = rows[fault].suites; *s; s += strspn(s, " ")) {
		size_t word = strcspn(s, " ");
		if (word == length && !strncmp(s, suite, length))
			return true;
		s += word;
	}
	return false;
}

bool fault_any_is_on(void)
{
	return memchr(fault_is_on, true, sizeof(fault_is_on));
}

void fault_choose(enum fault fault)
{
	memset(fault_is_on, false, sizeof(fault_is_on));
	if (fault != FAULTS_COUNT)
		fault_is_on[fault] = true;
}
