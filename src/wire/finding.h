/* SPDX-License-Identifier: Apache-2.0 */
/* The enumerations of finding.def, for tool and runtimes. */
#ifndef HEDDLE_WIRE_FINDING_H
#define HEDDLE_WIRE_FINDING_H

enum finding_kind {
#define FINDING_KIND(NAME, name) FINDING_##NAME,
#include "wire/finding.def"
};

/* How many there are: they are numbered from 0. */
enum {
	FINDING_KINDS = 0
#define FINDING_KIND(NAME, name) +1
#include "wire/finding.def"
};

enum failure {
#define FAILURE(number, NAME, KIND, does, sentence) FAILURE_##NAME = number,
#include "wire/finding.def"
};

/* What a thread does to an object. */
enum finding_act {
#define FINDING_ACT(NAME, word, infinitive, does) ACT_##NAME,
#include "wire/finding.def"
};

/* What `heddle run` knows about a finding. */
enum run_status {
#define RUN_STATUS(NAME, word, STATUS) RUN_##NAME,
#include "wire/finding.def"
};

#endif
