/* SPDX-License-Identifier: Apache-2.0 */
/* The table of descriptors of `heddle run` (run/descriptor.c); the kernel's part is played here. */
#include "run/channel.h"
#include "run/descriptor.h"
#include "run/files.h"
#include "run/start.h"
#include "run/wrap.h"
#include "unit/run_samples.h"

static uint32_t inode; /* the channel of every descriptor, as the kernel would answer now */
static unsigned asked, closed;
static uint32_t sent_to, received_from, changed;

uint32_t channel_of_inode(int fd, uint32_t base)
{
	(void)fd;
	asked++;
	return base + inode;
}

bool channel_are_others(void)
{
	return false;
}

void channel_send(struct thr *t, uint32_t channel)
{
	(void)t;
	sent_to = channel;
}

void channel_receive(struct thr *t, uint32_t channel)
{
	(void)t;
	received_from = channel;
}

void files_before_close(struct thr *t, int fd)
{
	(void)t, (void)fd;
	closed++;
}

void files_changed(struct thr *t, uint32_t channel)
{
	(void)t;
	changed = channel;
}

void signal_receive(struct thr *t, int number)
{
	(void)t, (void)number;
}

#define ALL 3
static struct thr *t[ALL];
static int last_fd = 20;

static int open_one(void)
{
	return descriptor_made(++last_fd);
}

static void close_while_it_is_used(void **state)
{
	(void)state;
	core_threads(t, ALL);
	int fd = open_one();
	descriptor_use(t[0], fd, 0);
	descriptor_close(t[1], fd, 5);
	assert_int_equal(found_count, 1);
	assert_int_equal(found_list[0].kind, FINDING_CLOSE_IN_USE);
	assert_int_equal(found_list[0].status, RUN_UNORDERED);
	assert_int_equal(found_list[0].address, fd);
	assert_int_equal(found_list[0].past.slot, 0);
	assert_int_equal(found_list[0].past.act, ACT_USE);
	assert_int_equal(found_list[0].stack, 5);
}

static void close_after_all_uses(void **state)
{
	(void)state;
	core_threads(t, ALL);
	int fd = open_one();
	uintptr_t message = fresh_address();
	descriptor_use(t[0], fd, 0);
	descriptor_use(t[1], fd, 0);
	send(t[0], message);
	receive(t[1], message);
	descriptor_close(t[1], fd, 0);
	assert_int_equal(found_count, 0);
	/* One of the users is not known to the thread that closes. */
	fd = open_one();
	descriptor_use(t[0], fd, 0);
	descriptor_use(t[2], fd, 0);
	send(t[0], message);
	receive(t[1], message);
	descriptor_close(t[1], fd, 0);
	assert_int_equal(found_count, 1);
	assert_int_equal(found_list[0].past.slot, 2);
}

/* The number is given out again: uses of what it was do not count. */
static void a_number_that_comes_again(void **state)
{
	(void)state;
	core_threads(t, ALL);
	int fd = open_one();
	descriptor_use(t[0], fd, 0);
	descriptor_close(t[0], fd, 0);
	assert_true(descriptor_is_closed(fd));
	descriptor_made(fd);
	assert_false(descriptor_is_closed(fd));
	descriptor_close(t[1], fd, 0);
	assert_int_equal(found_count, 0);
	/* It becomes another one without a close, as by dup2. */
	fd = open_one();
	descriptor_use(t[0], fd, 0);
	descriptor_forget(fd);
	descriptor_close(t[1], fd, 0);
	assert_int_equal(found_count, 0);
}

static void double_close(void **state)
{
	(void)state;
	core_threads(t, ALL);
	int fd = open_one();
	/* The kernel says that it is not open; no close was seen. */
	descriptor_close_again(t[1], fd, 0);
	assert_int_equal(found_count, 0);
	descriptor_close(t[0], fd, 7);
	uint32_t epoch = t[0]->epoch;
	descriptor_close_again(t[1], fd, 8);
	assert_int_equal(found_count, 1);
	assert_int_equal(found_list[0].kind, FINDING_DOUBLE_CLOSE);
	assert_int_equal(found_list[0].status, RUN_HAPPENED);
	assert_int_equal(found_list[0].stack, 8);
	assert_int_equal(found_list[0].past.slot, 0);
	assert_int_equal(found_list[0].past.epoch, epoch);
	assert_int_equal(found_list[0].past.stack, 7);
}

static void what_is_not_followed(void **state)
{
	(void)state;
	core_threads(t, ALL);
	assert_true(descriptor_is_tracked(0));
	assert_false(descriptor_is_tracked(-1));
	assert_false(descriptor_is_tracked(1 << 20));
	assert_int_equal(descriptor_made(-1), -1);
	assert_int_equal(channel_of_descriptor(-1), CHANNEL_NONE);
	run_state.options.finds_fd = false;
	assert_false(descriptor_is_tracked(0));
	int fd = open_one();
	descriptor_use(t[0], fd, 0);
	descriptor_close(t[1], fd, 0);
	assert_int_equal(found_count, 0);
	assert_false(descriptor_is_closed(fd));
}

/* The kernel is asked once for each life of a number. */
static void channels(void **state)
{
	(void)state;
	core_threads(t, ALL);
	int fd = open_one();
	inode = 3;
	asked = closed = 0;
	assert_int_equal(channel_of_descriptor(fd), CHANNEL_INODES + 3);
	inode = 4;
	assert_int_equal(channel_of_descriptor(fd), CHANNEL_INODES + 3);
	assert_int_equal(asked, 1);
	descriptor_close(t[0], fd, 0);
	assert_int_equal(sent_to, CHANNEL_INODES + 3);
	assert_int_equal(closed, 1);
	descriptor_made(fd);
	assert_int_equal(channel_of_descriptor(fd), CHANNEL_INODES + 4);
	/* A number gets a new meaning without a close that is checked. */
	inode = 5;
	descriptor_forget(fd);
	assert_int_equal(channel_of_descriptor(fd), CHANNEL_INODES + 5);
	/* One that has no room in the table. */
	assert_int_equal(channel_of_descriptor(1 << 20), CHANNEL_INODES + 5);
}

/* Data goes through the channel, and from and to memory. */
static void data(void **state)
{
	(void)state;
	core_threads(t, ALL);
	int fd = open_one();
	static char buffer[64];
	inode = 6;
	sent_to = received_from = changed = 0;
	run_self = t[0];
	descriptor_write(t[0], fd, buffer, 8, 0);
	assert_int_equal(sent_to, CHANNEL_INODES + 6);
	assert_int_equal(changed, CHANNEL_INODES + 6);
	assert_int_equal(received_from, 0);
	run_self = t[1];
	descriptor_read(t[1], fd, buffer + 32, -1, 0);
	assert_int_equal(received_from, 0);
	assert_int_equal(found_count, 0);
	/* What another thread writes is read here, by the call; nothing orders them in this test.
	 */
	descriptor_read(t[1], fd, buffer, 8, 0);
	assert_int_equal(received_from, CHANNEL_INODES + 6);
	assert_int_equal(found_count, 1);
	assert_int_equal(found_list[0].kind, FINDING_RACE);
	assert_int_equal(found_list[0].act, ACT_WRITE);
	assert_int_equal(found_list[0].past.act, ACT_READ);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(close_while_it_is_used),
		cmocka_unit_test(close_after_all_uses),
		cmocka_unit_test(a_number_that_comes_again),
		cmocka_unit_test(double_close),
		cmocka_unit_test(what_is_not_followed),
		cmocka_unit_test(channels),
		cmocka_unit_test(data),
	};
	return cmocka_run_group_tests(tests, core_setup, NULL);
}
