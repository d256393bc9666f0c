/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling by the C++ runtime library, which is opened on first need: names to demangle come from programs that need
 * it themselves, so it is there when it matters, and a machine that runs C programs only does without.
 */
#include "base/demangle.h"

#include <dlfcn.h>
#include <string.h>

#include "base/alloc.h"

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

static demangle_function *find_function(void)
{
	static demangle_function *found;
	static bool is_known;
	if (!is_known) {
		void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
		found = library ? (demangle_function *)dlsym(library, "__cxa_demangle") : NULL;
		is_known = true;
	}
	return found;
}

bool demangle_applies(const char *symbol)
{
	return symbol[0] == '_' && symbol[1] == 'Z';
}

char *demangle(const char *name)
{
	demangle_function *function = find_function();
	int status = -1;
	char *readable = function ? function(name, NULL, NULL, &status) : NULL;
	return readable && !status ? readable : mem_strdup(name);
}
