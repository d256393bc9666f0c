/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded modules; see module.c. */
#ifndef HEDDLE_RT_MODULE_H
#define HEDDLE_RT_MODULE_H

#include <link.h>

#include "rt/rt.h"

struct loaded_module {
	uintptr_t low, high;
	uintptr_t code_low, code_high; /* its first executable piece */
	uint64_t name;		       /* hash of the dynamic linker's name for it */
	bool has_hooks;
	bool is_loader; /* the dynamic linker itself */
	bool is_loaded; /* still there at the last look */
};

const struct loaded_module *module_find(uintptr_t pc); /* NULL: in no known module */
void module_scan(void); /* announce what has been loaded and unloaded */

bool rt_is_libc_code(uintptr_t pc);	    /* of libc or another uninstrumented library? */
bool module_is_loader(pc_t pc);		    /* of the dynamic linker? */
bool module_is_c_library(const char *path); /* libc and what belongs to it */

/* The pieces of a segment that are not the runtime's own code or data. */
void module_outside_runtime(uintptr_t start, uintptr_t end,
			    void (*each)(uintptr_t start, uintptr_t end, void *arg), void *arg);

/* libc_dl.c: the runtime's own function of that name, also where the program has one in its place;
 * NULL: there is none. */
void *runtime_function(const char *name);
/* libc_dl.c: may the running thread ask the dynamic linker without waiting for another one? */
bool loader_is_free(void);
void loader_wait(pc_t pc); /* until no thread is inside the dynamic linker */

#endif
