/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything of C++ that orders two threads, each with a racy twin; used like orders.c.
 */
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <unistd.h>

static bool is_racy;
static struct alignas(64) {
	int value;
	char rest[60];
} alone;
static volatile int used;

static void before() { if (!is_racy) alone.value++; }
static void after() { if (is_racy) alone.value++; }
static void use() { used = alone.value; }

static void two(std::function<void()> a, std::function<void()> b)
{
	std::thread x(a), y(b);
	x.join();
	y.join();
}

static void thread_create()
{
	before();
	std::thread t(use);
	after();
	t.join();
}

static void thread_join()
{
	std::thread t([] { alone.value++; });
	if (is_racy)
		use();
	t.join();
	use();
}

static void jthread_join()
{
	{
		std::jthread t([] { alone.value++; });
		if (is_racy)
			use();
	}
	use();
}

template <class M> static void lock_by()
{
	static M m;
	two([] { std::lock_guard<M> l(m); alone.value++; },
	    [] {
		    if (is_racy) {
			    use();
			    return;
		    }
		    std::lock_guard<M> l(m);
		    use();
	    });
}

static void shared_lock()
{
	static std::shared_mutex m;
	two([] { std::unique_lock l(m); alone.value++; },
	    [] {
		    if (is_racy) {
			    use();
			    return;
		    }
		    std::shared_lock l(m);
		    use();
	    });
}

static void scoped_lock()
{
	static std::mutex m, n;
	two([] { std::scoped_lock l(m, n); alone.value++; },
	    [] {
		    if (is_racy) {
			    use();
			    return;
		    }
		    std::scoped_lock l(n, m);
		    use();
	    });
}

template <class C> static void condition_by()
{
	static std::mutex m;
	static C c;
	static bool is_ready;
	two([] {
		before();
		{
			std::lock_guard<std::mutex> l(m);
			is_ready = true;
		}
		c.notify_one();
		after();
	},
	    [] {
		    std::unique_lock<std::mutex> l(m);
		    c.wait(l, [] { return is_ready; });
		    l.unlock();
		    use();
	    });
}

static void promise()
{
	std::promise<int> p;
	two([&] { before(); p.set_value(1); after(); }, [&] { p.get_future().get(); use(); });
}

static void promise_exception()
{
	std::promise<int> p;
	two([&] { before(); p.set_exception(std::make_exception_ptr(1)); after(); },
	    [&] {
		    try {
			    p.get_future().get();
		    } catch (int) {
		    }
		    use();
	    });
}

static void shared_future()
{
	std::promise<void> p;
	std::shared_future<void> f = p.get_future().share(), g = f;
	two([&] { before(); p.set_value(); after(); }, [&] { g.wait(); use(); });
}

static void async()
{
	auto f = std::async(std::launch::async, [] { alone.value++; });
	if (is_racy)
		use();
	f.get();
	use();
}

static void packaged_task()
{
	std::packaged_task<void()> task([] { before(); });
	auto f = task.get_future();
	two([&] { task(); after(); }, [&] { f.get(); use(); });
}

static void call_once()
{
	static std::once_flag flag;
	two([] { std::call_once(flag, before); after(); }, [] { std::call_once(flag, before); use(); });
}

static int *made()
{
	static int *p = (before(), new int(1));
	return p;
}

static void static_local()
{
	two([] { made(); after(); }, [] { made(); use(); });
}

static void latch()
{
	static std::latch l(1);
	two([] { before(); l.count_down(); after(); }, [] { l.wait(); use(); });
}

static void barrier()
{
	static std::barrier<> b(2);
	two([] { before(); b.arrive_and_wait(); after(); }, [] { b.arrive_and_wait(); use(); });
}

static void semaphore()
{
	static std::counting_semaphore<4> s(0);
	two([] { before(); s.release(); after(); }, [] { s.acquire(); use(); });
}

static void atomic_wait()
{
	static std::atomic<int> a;
	two([] { before(); a.store(1); a.notify_one(); after(); }, [] { a.wait(0); use(); });
}

static void atomic_flag_wait()
{
	static std::atomic_flag f;
	two([] { before(); f.test_and_set(); f.notify_all(); after(); }, [] { f.wait(false); use(); });
}

/* The function of a barrier runs in one of the threads that come, before any of them goes on. */
static void barrier_function()
{
	auto f = []() noexcept { alone.value++; };
	static std::barrier<decltype(f)> b(2, f);
	two([] { b.arrive_and_wait(); after(); }, [] { b.arrive_and_wait(); use(); });
}

static void arrive_and_drop()
{
	static std::barrier<> b(2);
	two([] { before(); b.arrive_and_drop(); after(); }, [] { b.arrive_and_wait(); use(); });
}

static void latch_try()
{
	static std::latch l(1);
	two([] { before(); l.count_down(); after(); }, [] { while (!l.try_wait()) std::this_thread::yield(); use(); });
}

static void binary_semaphore()
{
	static std::binary_semaphore s(0);
	two([] { before(); s.release(); after(); },
	    [] { while (!s.try_acquire_for(std::chrono::seconds(1000))) std::this_thread::yield(); use(); });
}

static void atomic_ref()
{
	static int word;
	two([] { before(); std::atomic_ref<int>(word).store(1); after(); },
	    [] { while (!std::atomic_ref<int>(word).load()) std::this_thread::yield(); use(); });
}

template <class M> static void lock_in_time()
{
	static M m;
	two([] { std::lock_guard<M> l(m); alone.value++; },
	    [] {
		    if (is_racy) {
			    use();
			    return;
		    }
		    std::unique_lock<M> l(m, std::defer_lock);
		    while (!l.try_lock_for(std::chrono::seconds(1000)))
			    ;
		    use();
	    });
}

static void shared_lock_in_time()
{
	static std::shared_timed_mutex m;
	two([] { std::unique_lock l(m); alone.value++; },
	    [] {
		    if (is_racy) {
			    use();
			    return;
		    }
		    std::shared_lock l(m, std::chrono::seconds(1000));
		    use();
	    });
}

/* A wait that a request to stop ends. */
static void stopped_wait()
{
	static std::mutex m;
	static std::condition_variable_any c;
	std::jthread t([](std::stop_token stop) {
		std::unique_lock l(m);
		c.wait(l, stop, [] { return false; });
		l.unlock();
		use();
	});
	before();
	t.request_stop();
	after();
}

static void at_thread_exit()
{
	static std::promise<int> p;
	auto f = p.get_future();
	std::thread t([] { before(); p.set_value_at_thread_exit(1); });
	f.get();
	use();
	after();
	if (is_racy) {
		std::thread u(use);
		after();
		u.join();
	}
	t.join();
}

static void notify_at_thread_exit()
{
	static std::mutex m;
	static std::condition_variable c;
	static bool is_ready;
	two([] {
		before();
		std::unique_lock<std::mutex> l(m);
		is_ready = true;
		std::notify_all_at_thread_exit(c, std::move(l));
		after();
	},
	    [] {
		    std::unique_lock<std::mutex> l(m);
		    c.wait(l, [] { return is_ready; });
		    l.unlock();
		    if (!is_racy)
			    use();
	    });
	if (is_racy) {
		std::thread u(use);
		after();
		u.join();
	}
}

struct of_thread {
	~of_thread() { alone.value++; }
};

/* Objects of a thread are destroyed at its end, before the join. */
static void thread_local_object()
{
	std::thread t([] { static thread_local of_thread o; (void)&o; });
	if (is_racy)
		use();
	t.join();
	use();
}

static void stream()
{
	int fd[2];
	if (pipe(fd))
		std::exit(9);
	two([&] { before(); if (write(fd[1], "x", 1) != 1) std::exit(9); after(); },
	    [&] { char c; if (read(fd[0], &c, 1) != 1) std::exit(9); use(); });
}

struct last {
	~last() { use(); }
};

/* The last owner destroys: after everything that the others did before they let go. */
static void shared_pointer()
{
	auto p = std::make_shared<last>();
	std::thread t([q = p]() mutable { before(); q.reset(); after(); });
	p.reset();
	if (is_racy)
		use();
	t.join();
	use();
}

static void stop_callback()
{
	std::stop_source source;
	std::atomic<bool> is_called = false;
	std::stop_callback call(source.get_token(), [&] { is_called = true; });
	two([&] { before(); source.request_stop(); after(); },
	    [&] {
		    while (!source.stop_requested())
			    std::this_thread::yield();
		    use();
	    });
}

static const struct {
	const char *name;
	void (*run)();
} all[] = {
	{ "thread-create", thread_create }, { "thread-join", thread_join }, { "jthread", jthread_join },
	{ "mutex", lock_by<std::mutex> }, { "recursive-mutex", lock_by<std::recursive_mutex> },
	{ "timed-mutex", lock_by<std::timed_mutex> }, { "shared-mutex", shared_lock },
	{ "scoped-lock", scoped_lock }, { "condition", condition_by<std::condition_variable> },
	{ "condition-any", condition_by<std::condition_variable_any> }, { "promise", promise },
	{ "promise-exception", promise_exception }, { "shared-future", shared_future }, { "async", async },
	{ "packaged-task", packaged_task }, { "call-once", call_once }, { "static-local", static_local },
	{ "latch", latch }, { "barrier", barrier }, { "semaphore", semaphore }, { "atomic-wait", atomic_wait },
	{ "atomic-flag-wait", atomic_flag_wait }, { "shared-pointer", shared_pointer },
	{ "stop-token", stop_callback }, { "barrier-function", barrier_function },
	{ "arrive-and-drop", arrive_and_drop }, { "latch-try", latch_try },
	{ "binary-semaphore", binary_semaphore }, { "atomic-ref", atomic_ref },
	{ "timed-mutex-for", lock_in_time<std::timed_mutex> },
	{ "recursive-timed-mutex-for", lock_in_time<std::recursive_timed_mutex> },
	{ "shared-timed-mutex-for", shared_lock_in_time }, { "stopped-wait", stopped_wait },
	{ "value-at-thread-exit", at_thread_exit }, { "notify-at-thread-exit", notify_at_thread_exit },
	{ "thread-local", thread_local_object }, { "pipe", stream },
};

int main(int argc, char **argv)
{
	is_racy = argc > 2;
	for (const auto &a : all) {
		if (argc < 2)
			std::printf("%s\n", a.name);
		else if (!std::strcmp(argv[1], a.name))
			a.run();
	}
	return 0;
}
