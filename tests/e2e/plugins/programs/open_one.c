/* Opens the plugins that its arguments name, calls their function plugin_step if they have one. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *plugin = dlopen(argv[i], RTLD_NOW);
		if (!plugin) {
			printf("%s\n", dlerror());
			return 1;
		}
		int (*step)(void) = (int (*)(void))dlsym(plugin, "plugin_step");
		printf("step %d\n", step ? step() : -1);
	}
	return 0;
}
