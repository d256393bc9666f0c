/* A plugin whose thread variables lie in every thread's own block, beside the program's. */
__attribute__((tls_model("initial-exec"))) static _Thread_local int value = 5;

int plugin_step(void)
{
	return value++;
}
