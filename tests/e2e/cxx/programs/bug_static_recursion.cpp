// The initialiser of a static local variable needs the variable itself.
// FINDS deadlock
struct table {
	int size;
	explicit table(int depth);
};

static table &instance(int depth)
{
	static table the_table(depth);
	return the_table;
}

table::table(int depth) : size(depth ? instance(depth - 1).size + 1 : 0) {}

int main()
{
	return instance(1).size == 1 ? 0 : 1;
}
