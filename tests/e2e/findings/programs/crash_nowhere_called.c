// A call leads to an address without code.
// EXPECT record: status 1, kind crash
static void (*volatile callee)(void) = (void (*)(void))16;

static void call(void)
{
	callee();	// PLACE
}

int main(void)
{
	call();
	return 0;
}
