/* SPDX-License-Identifier: Apache-2.0 */
/* A message of wire/run.h, taken apart. */
#ifndef HEDDLE_ONLINE_MESSAGE_H
#define HEDDLE_ONLINE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct message_frame {
	size_t module; /* index of one that was announced */
	uint64_t offset;
};

struct message_stack {
	VEC(struct message_frame) frames; /* innermost first */
};

struct message_module {
	uint64_t start, size;
	char *path;
};

struct message_lock {
	uint64_t address;
	bool is_write;
	char *kind;
	struct message_stack stack; /* where it was acquired; may be empty */
};

struct message_act {
	uint64_t thread, address, size;
	char *act;
	bool is_atomic;
	struct message_stack stack;
	VEC(struct message_lock) locks;
	/* what the thread waits for: an object of that kind, or for "thread" the end of one */
	char *wait_kind; /* NULL: it does not wait */
	uint64_t wait_object;
	uint64_t wait_holder; /* RUN_NO_THREAD: not known */
};

struct message_thread {
	uint64_t number, creator;
	char *name;
	struct message_stack stack; /* where it was created */
};

struct message {
	char *kind, *status;
	char *text;    /* what the sentence quotes; NULL: nothing */
	uint64_t more; /* threads that did not fit */
	char *object;  /* kind of the synchronisation object at the address; NULL: not said */
	bool is_locked;
	uint64_t address, size, pid;
	VEC(struct message_module) modules;
	VEC(struct message_act) acts;
	VEC(struct message_thread) threads;
	struct {
		uint64_t start, size, thread;
		bool is_freed;
		struct message_stack stack;
	} block;
};

/* False if it is not a finding, or cut off.  Release it in any case. */
bool message_parse(struct message *m, const char *text, size_t len);
void message_release(struct message *m);

#endif
