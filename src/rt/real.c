/* SPDX-License-Identifier: Apache-2.0 */
/* Resolution of libc's own functions; see real.h. */
#include <dlfcn.h>

#include "rt/real.h"
#include "rt/rt.h"

#define REAL(name) RT_STATE __typeof__(name) *real_##name;
#include "rt/real.def"
#include "rt/real_libc.def"
#undef REAL

void real_resolve(void)
{
	g.internal++;
#define REAL(name) real_##name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);
#include "rt/real.def"
#include "rt/real_libc.def"
#undef REAL
	/* Two symbol versions exist; the old one has another layout of the object. */
#define VERSIONED(name) real_##name = (__typeof__(name) *)dlvsym(RTLD_NEXT, #name, "GLIBC_2.3.2");
	VERSIONED(pthread_cond_init)
	VERSIONED(pthread_cond_destroy)
	VERSIONED(pthread_cond_wait)
	VERSIONED(pthread_cond_signal)
	VERSIONED(pthread_cond_broadcast)
#undef VERSIONED
	g.internal--;
}
