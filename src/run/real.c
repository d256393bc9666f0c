/* SPDX-License-Identifier: Apache-2.0 */
/* Finding libc's functions; see real.h. */
#include "run/real.h"

#define REAL_VERSION(name, version) REAL(name)
#define REAL(name) __typeof__(name) *real_##name;
#include "run/real.def"
#undef REAL
#undef REAL_VERSION

void *real_find(const char *name, const char *version, void **slot)
{
	void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
	found = found ? found : dlsym(RTLD_NEXT, name);
	__atomic_store_n(slot, found, __ATOMIC_RELAXED);
	return found;
}

void real_resolve(void)
{
#define REAL_VERSION(name, version) real_find(#name, version, (void **)&real_##name);
#define REAL(name) REAL_VERSION(name, NULL)
#include "run/real.def"
#undef REAL
#undef REAL_VERSION
}
