/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages to the tool as text (wire/run.h), one at a time, in a buffer of their own:
 * message_begin, then parts, then message_end.  The caller prevents that two threads do so at once
 * (report.c).
 */
#ifndef HEDDLE_RUN_MESSAGE_H
#define HEDDLE_RUN_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/finding.h"

struct thr;

void message_hello(const char *how); /* whole */
void message_begin(enum finding_kind kind, enum run_status status, bool is_locked,
		   uintptr_t address, unsigned size);
void message_end(void);	       /* and send it */
unsigned message_length(void); /* of RUN_MESSAGE_MAX; a longer one is not sent */

void message_object(uint32_t kind);
void message_text(const char *text);
void message_act(unsigned number, uint32_t uid, enum finding_act act, bool is_atomic,
		 uintptr_t address, unsigned size);
void message_frames(const uintptr_t *pcs, unsigned n);
void message_stack(uint32_t stack);
void message_lock(uint32_t lock, unsigned mode);
void message_held(const struct thr *t);
void message_wait(const struct thr *t);
void message_thread_name(uint32_t uid);
void message_thread(uint32_t uid); /* and where it was created */
void message_memory(uintptr_t address);
void message_more(unsigned threads);

/* The thread that had the slot then; LIVES: it is not known any more. */
uint32_t message_uid_of(uint32_t slot, uint32_t epoch);

#endif
