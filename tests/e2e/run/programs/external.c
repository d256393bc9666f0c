// expect: race:observed
// Objects of a library, whose uses the library declares.
// TSAN: race on external object
#include <pthread.h>
void *__tsan_external_register_tag(const char *kind);
void __tsan_external_assign_tag(void *object, void *tag);
void __tsan_external_write(void *object, void *caller, void *tag);
static char object[16] __attribute__((aligned(16)));
static void *tag;
__attribute__((noinline)) static void change(void)
{
	__tsan_external_write(object, __builtin_return_address(0), tag);
}
static void *work(void *a)
{
	change();
	return a;
}
int main(void)
{
	pthread_t t, u;
	tag = __tsan_external_register_tag("list");
	__tsan_external_assign_tag(object, tag);
	pthread_create(&t, 0, work, 0);
	pthread_create(&u, 0, work, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
