/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stubs of refused.S ask for: under control the run ends with the function's name and
 * its caller; natively, and before and after control, the real function is found and jumped to.
 * One that libc does not have matters only when it is called.
 */
#include "rt/enter.h"
#include "rt/failure.h"
#include "rt/hot.h"
#include "rt/libc_refused.h"
#include "rt/mem.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/start.h"
#include "rt/sys.h"

#include <dlfcn.h>

struct refused {
	void *target;
	const char *name;
};

void *refused_target(struct refused *stub, pc_t pc);

void libc_refuse(const char *what, pc_t pc)
{
	rt_enter(pc);
	rt_finding_text(FAIL_REFUSED, what, pc);
	rt_stop();
}

void *refused_target(struct refused *stub, pc_t pc)
{
	if (g.active && !g.internal)
		libc_refuse(stub->name, pc);
	g.internal++;
	void *real = REAL_FN(dlsym)(RTLD_NEXT, stub->name);
	g.internal--;
	if (!real) {
		sys3(SYS_write, 2, stub->name, rt_strlen(stub->name));
		rt_fatal(": no loaded library has this function");
	}
	if (!g.session)
		stub->target = real;
	return real;
}
