// The result of a thread is the address of its own variable; it is read by the C library.
// EXPECT record: status 1, kind use-after-return
#include <pthread.h>
#include <string.h>

struct answer { int number; char text[40]; };
static char text[40];

static void *work(void *arg)
{
	struct answer answer = { 42, "forty-two" };
	memset(answer.text + 20, arg != NULL, 20);
	struct answer *volatile result = &answer;
	return result;
}

int main(void)
{
	pthread_t t;
	void *result;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, &result);
	memcpy(text, ((struct answer *)result)->text, sizeof(text));	// PLACE
	return text[0] == 0;
}
