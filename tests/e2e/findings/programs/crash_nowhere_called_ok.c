// A call leads to a function.
// EXPECT record: status 0
static void nothing(void)
{
}

static void (*volatile callee)(void) = nothing;

int main(void)
{
	callee();
	return 0;
}
