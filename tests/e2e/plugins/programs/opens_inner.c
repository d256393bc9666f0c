/* A plugin in a directory of its own that opens another one there, found by its own search path. */
#include <dlfcn.h>

int plugin_step(void)
{
	void *inner = dlopen("inner.so", RTLD_NOW);
	int (*step)(void) = inner ? (int (*)(void))dlsym(inner, "plugin_step") : 0;
	return step ? step() : -2;
}
