/* SPDX-License-Identifier: Apache-2.0 */
/* From the words of messages to kinds, sentences and acts; see online_words.h. */
#include "report/online_words.h"

#include <signal.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/block.h"

static const struct online_kind kinds[] = {
#define RUN_FINDING(KIND, OBSERVED, PREDICTED, suppression) \
	{ FINDING_##KIND, SENTENCE_##OBSERVED, SENTENCE_##PREDICTED, suppression },
#include "wire/finding.def"
};
static const struct {
	enum finding_kind kind;
	enum finding_act act;
	size_t count;
	enum finding_sentence sentence;
} forms[] = {
#define RUN_FORM(KIND, ACT, count, SENTENCE) \
	{ FINDING_##KIND, ACT_##ACT, count, SENTENCE_##SENTENCE },
#include "wire/finding.def"
};

const struct online_kind *online_kind_of(const struct message *m)
{
	int named = finding_kind_named(m->kind, strlen(m->kind));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((int)kinds[i].kind == named)
			return &kinds[i];
	return NULL;
}

enum finding_act online_act_of(const struct message_act *a)
{
	static const char *const words[] = {
#define FINDING_ACT(NAME, word, infinitive, does) [ACT_##NAME] = word,
#include "wire/finding.def"
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], a->act))
			return (enum finding_act)i;
	return ACT_USE;
}

static bool is_status(const struct message *m, enum run_status status)
{
	static const char *const words[] = {
#define RUN_STATUS(NAME, word, STATUS) [RUN_##NAME] = word,
#include "wire/finding.def"
	};
	return !strcmp(m->status, words[status]);
}

enum finding_status online_status_of(const struct message *m)
{
	static const enum finding_status statuses[] = {
#define RUN_STATUS(NAME, word, STATUS) [RUN_##NAME] = FINDING_##STATUS,
#include "wire/finding.def"
	};
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++)
		if (is_status(m, (enum run_status)i))
			return statuses[i];
	return FINDING_OBSERVED;
}

enum finding_sentence online_sentence_of(const struct message *m, const struct online_kind *kind)
{
	if (is_status(m, RUN_HAPPENED) && kind->kind == FINDING_USE_AFTER_FREE)
		return SENTENCE_RUN_USED_FREED;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (forms[i].kind == kind->kind && forms[i].act == online_act_of(&m->acts.at[0]) &&
		    forms[i].count == m->acts.len)
			return forms[i].sentence;
	return is_status(m, RUN_PREDICTED) ? kind->predicted : kind->observed;
}

/* Of a crash and the like: the first act is why, the others are what other threads do. */
bool online_shows_all_threads(enum finding_kind kind)
{
	return kind == FINDING_CRASH || kind == FINDING_ABORT || kind == FINDING_STACK_OVERFLOW ||
	       kind == FINDING_TIMEOUT;
}

/* Two actions, the older of which is taken from a history. */
bool online_is_pair(enum finding_kind kind)
{
	return !online_shows_all_threads(kind) && kind != FINDING_THREAD_LEAK &&
	       kind != FINDING_SIGNAL_UNSAFE && kind != FINDING_ERRNO_IN_HANDLER;
}

uint8_t online_mode_named(const char *kind, bool is_write)
{
	static const struct {
		const char *word;
		uint8_t mode;
	} objects[] = {
#define RUN_OBJECT(word, MODE) { word, MODE },
#include "wire/finding.def"
	};
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (!strcmp(objects[i].word, kind))
			return objects[i].mode == SYNC_WRLOCK && !is_write ? SYNC_RDLOCK
									   : objects[i].mode;
	return 0;
}

void online_add_text(const struct message *m, enum finding_kind kind, struct buf *out)
{
	const char *name = m->size < 65 ? sigabbrev_np((int)m->size) : NULL;
	bool is_access = kind == FINDING_CRASH && (m->size == SIGSEGV || m->size == SIGBUS);
	if (kind == FINDING_SIGNAL_UNSAFE)
		buf_printf(out, "%s() in a handler of ", m->text ? m->text : "a function");
	if (name)
		buf_printf(out, "SIG%s", name);
	else
		buf_printf(out, "signal %llu", (unsigned long long)m->size);
	if (kind == FINDING_SIGNAL_UNSAFE)
		buf_str(out, ", which is not async-signal-safe");
	else if (m->text && !strcmp(m->text, "sent"))
		buf_str(out, ", which was sent by a call");
	else if (m->text && !strcmp(m->text, "impossible"))
		buf_str(out, " for an access to an address that no memory can have");
	else if (is_access)
		buf_printf(out, " for an access to address 0x%llx", (unsigned long long)m->address);
}

void online_add_status(struct finding *f, const struct message *m)
{
	struct buf message = { 0 };
	if (is_status(m, RUN_PREDICTED))
		buf_printf(&message, "%s (predicted: %s)", f->message,
			   m->is_locked ? "their critical sections can come in the other order"
					: "in this run a lock ordered them, by chance");
	else if (is_status(m, RUN_POTENTIAL))
		buf_printf(&message, "%s (potential)", f->message);
	if (!message.len)
		return;
	mem_free(f->message);
	f->message = buf_take(&message);
}
