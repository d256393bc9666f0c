// The variable belongs to the creator.
// EXPECT record: status 0
#include <pthread.h>
#include <string.h>

struct answer { int number; char text[40]; };
static char text[40];

static void *work(void *arg)
{
	struct answer *answer = arg, mine = { 42, "forty-two" };
	memcpy(answer, &mine, sizeof(mine));
	return answer;
}

int main(void)
{
	pthread_t t;
	void *result;
	struct answer answer;
	pthread_create(&t, NULL, work, &answer);
	pthread_join(t, &result);
	memcpy(text, ((struct answer *)result)->text, sizeof(text));
	return text[0] == 0;
}
