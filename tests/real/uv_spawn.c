/* SPDX-License-Identifier: Apache-2.0 */
/* A program with libuv: children and what they print, work for the thread pool, and SIGTERM. */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#define CHILDREN 3
#define JOBS 6

static uv_pipe_t pipes[CHILDREN];
static uv_process_t children[CHILDREN];
static uv_signal_t term;
static int ended, done;

static void work(uv_work_t *job)
{
	(void)job;
	__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

static void say_ready(void)
{
	if (ended == CHILDREN + JOBS)
		puts("ready"), fflush(stdout);
}

static void on_done(uv_work_t *job, int status)
{
	(void)status;
	free(job);
	ended++;
	say_ready();
}

static void on_exit_of(uv_process_t *child, int64_t status, int signal)
{
	printf("child %d: exit %d, signal %d\n", (int)(child - children), (int)status, signal);
	uv_close((uv_handle_t *)child, NULL);
	ended++;
	say_ready();
}

static void give_room(uv_handle_t *handle, size_t size, uv_buf_t *room)
{
	(void)handle;
	*room = uv_buf_init(malloc(size), (unsigned)size);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *text)
{
	if (n > 0)
		printf("child: %.*s", (int)n, text->base);
	else if (n < 0)
		uv_close((uv_handle_t *)stream, NULL);
	free(text->base);
}

static void on_signal(uv_signal_t *signal, int number)
{
	printf("signal %d, %d done\n", number, done);
	uv_signal_stop(signal);
	uv_close((uv_handle_t *)signal, NULL);
}

static void start(uv_loop_t *loop, int i)
{
	char command[40];
	char *argv[] = { "/bin/sh", "-c", command, NULL };
	uv_stdio_container_t io[2] = { { .flags = UV_IGNORE },
				       { .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
					 .data.stream = (uv_stream_t *)&pipes[i] } };
	uv_process_options_t options = { .file = argv[0], .args = argv, .exit_cb = on_exit_of,
					 .stdio = io, .stdio_count = 2 };
	snprintf(command, sizeof(command), "echo hello %d; exit %d", i, i);
	uv_pipe_init(loop, &pipes[i], 0);
	if (uv_spawn(loop, &children[i], &options) ||
	    uv_read_start((uv_stream_t *)&pipes[i], give_room, on_read))
		exit(1);
}

int main(void)
{
	uv_loop_t *loop = uv_default_loop();
	uv_signal_init(loop, &term);
	uv_signal_start(&term, on_signal, SIGTERM);
	for (int i = 0; i < CHILDREN; i++)
		start(loop, i);
	for (int i = 0; i < JOBS; i++)
		uv_queue_work(loop, malloc(sizeof(uv_work_t)), work, on_done);
	uv_run(loop, UV_RUN_DEFAULT);
	puts("end");
	return 0;
}
