/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling by the C++ runtime library, which is opened on first use.  Mangled names come from
 * programs that need this library themselves, so it is installed wherever there are names to
 * demangle.  A machine that runs only C programs does not need it.
 */
#include "base/demangle.h"

#include <dlfcn.h>
#include <string.h>

#include "base/alloc.h"

typedef char *library_function(const char *name, char *buffer, size_t *length, int *status);

static library_function *find_function(void)
{
	static library_function *found;
	static bool is_known;
	if (!is_known) {
		void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
		found = library ? (library_function *)dlsym(library, "__cxa_demangle") : NULL;
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
	library_function *function = find_function();
	int status = -1;
	char *readable = function ? function(name, NULL, NULL, &status) : NULL;
	return readable && !status ? readable : mem_strdup(name);
}

char *demangle_function_name(const char *symbol)
{
	char *name = demangle(symbol);
	char *end = name + strlen(name);
	/* Skip what follows the parameters: const, &, the optimiser's suffixes. */
	while (end > name && end[-1] != ')')
		end--;
	int depth = 0;
	while (end > name) {
		end--;
		depth += (*end == ')') - (*end == '(');
		if (!depth)
			break;
	}
	if (end > name)
		*end = 0;
	return name;
}
