/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What messages of `heddle run` mean, by the tables of wire/finding.def: from their words to kinds,
 * sentences, acts and statuses.
 */
#ifndef HEDDLE_ONLINE_WORDS_H
#define HEDDLE_ONLINE_WORDS_H

#include "base/buf.h"
#include "report/finding.h"
#include "report/online_message.h"

/* A kind that `heddle run` reports. */
struct online_kind {
	enum finding_kind kind;
	enum finding_sentence observed, predicted;
	const char *suppression; /* as ThreadSanitizer calls it, or "" */
};

/* The kind of a message; NULL: it is not known. */
const struct online_kind *online_kind_of(const struct message *m);
/* The older of two actions is taken from a history. */
bool online_is_pair(enum finding_kind kind);
/* The first act is what is reported, the others are what other threads do. */
bool online_shows_all_threads(enum finding_kind kind);
enum finding_act online_act_of(const struct message_act *a);
enum finding_status online_status_of(const struct message *m);
enum finding_sentence online_sentence_of(const struct message *m, const struct online_kind *kind);
/* enum sync_mode of a kind of object. */
uint8_t online_mode_named(const char *kind, bool is_write);
/* What the sentence quotes: a signal, and what was called in its handler. */
void online_add_text(const struct message *m, enum finding_kind kind, struct buf *out);
/* Of what was not observed the message says why. */
void online_add_status(struct finding *f, const struct message *m);

#endif
