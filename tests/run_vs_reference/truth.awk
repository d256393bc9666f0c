# SPDX-License-Identifier: Apache-2.0
# A random program for tests/run_vs_reference/truth: awk -v seed=N -f truth.awk.
#
# Three variables, two locks and a block that one thread frees; a statement is a line.  The first lock is a mutex, a recursive
# mutex (also acquired twice) or a read-write lock.  Three of four programs hand something over, inside and outside of sections:
#
#   helper   a third thread is asked, works and answers; the client waits for the answer at once or later
#   create   a third thread is created, and joined or detached
#   message  the first thread sends, the second waits for it: before, between, in or after its sections
#   flag     the first thread sets an atomic flag, which the second may see or not
#
# by a semaphore, a condition variable (signal or broadcast), a barrier, a pipe, or an atomic variable that is waited for.  In one
# of three programs without a third thread the main thread works, too, leaves by pthread_exit, and the second thread joins it.  A thread that waits in a
# section for a message is the second one, so that the observed run does not deadlock.
function below(n) { seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % n }
function pick(words,   list, n) { n = split(words, list); return list[below(n) + 1] }

function access(who, frees, keeps,   v) {
	v = substr("xyz", below(3) + 1, 1)
	if (frees && !keeps && !freed && below(3) == 0) { freed = 1; print "\tfree((void *)p);"; return }
	if (freed && frees) { print "\t" v " = " below(3) ";"; return }
	if (below(4) == 0) print "\tif (" v ") *p = 1;"
	else if (below(3) == 0) print "\t*p = 2;"
	else if (below(2)) print "\t" v " = " below(3) ";"
	else print "\tr" who " += " v ";"
}

# What crosses the border of a section: at most two in a program.
function hand_over(who) {
	if (shape == "none" || left == 0 || below(3)) return
	if (shape == "helper" && who == client) {
		left--
		print "\task();"
		if (below(2)) access(who, who == 2, 1)
		if (below(4)) print "\tanswered();"; else pending = 1
	} else if (shape == "create" && who == client) {
		left = 0; waited = 1
		print "\tpthread_create(&c, 0, t3, 0);"
		if (below(2)) access(who, who == 2, 1)
		print below(4) ? "\tpthread_join(c, 0);" : "\tpthread_detach(c);"
	} else if (shape == "message" && who == 1) {
		left = 0; print "\task();"
	} else if (shape == "flag") {
		if (who == 1) print "\tatomic_store(&flag, 1);"
		else { print "\tif (atomic_load(&flag))"; access(who, who == 2) }
	}
}

function section(who, frees,   n, reads, twice) {
	reads = lock == "rwlock" && below(3) == 0
	twice = lock == "recursive" && below(2)
	print reads ? "\tpthread_rwlock_rdlock(&m);" : acquire
	if (twice && below(2)) { print acquire; access(who, frees, 0); print release; twice = 0 }
	if (waits == who && below(2)) { waits = 0; print "\tasked();" }
	n = 1 + below(2); while (n--) access(who, frees, reads)
	if (twice) print acquire
	hand_over(who)
	if (twice) { access(who, frees, 0); print release }
	if (below(3) == 0) {
		print "\tpthread_mutex_lock(&n);"; access(who, frees, reads); print "\tpthread_mutex_unlock(&n);"
		if (below(2)) access(who, frees, reads)
	}
	print release
}

function thread(t,   k) {
	print "static void *t" t "(void *a)\n{\n\tif (late == " t ")\n\t\tusleep(3000);"
	if (shape == "create") print "\tpthread_t c;"
	pending = 0; left = shape == "flag" ? 2 : 1
	k = 2 + (shape == "none" && !main_leaves ? below(2) : 0)
	while (k--) {
		hand_over(t)
		if (disciplined || below(3)) section(t, t == 2); else access(t, t == 2)
		if (waits == t && below(2)) { waits = 0; print "\tasked();" }
	}
	if (waits == t) { waits = 0; print "\tasked();" }
	if (shape == "message" && t == 1 && left) print "\task();"
	if (pending) print "\tanswered();"
	if (shape == "helper" && t == client && left) print "\task();\n\tanswered();"
	if (main_leaves && t == 2) { print "\tpthread_join(first, 0);"; access(t, 1) }
	print "\treturn a;\n}"
}

function helper(   n) {
	print "static void *t3(void *a)\n{"
	if (shape == "helper") print "\tasked();"
	n = 1 + below(2); while (n--) access(1, 0)
	if (shape == "helper") print "\tanswer();"
	if (below(3) == 0) access(1, 0)
	if (shape == "create") print "\tsem_post(&ended);"
	print "\treturn a;\n}"
}

# The two directions of a channel: s asks, r answers.
function give(c) {
	if (channel == "sem") return "sem_post(&" c ");"
	if (channel == "barrier") return "pthread_barrier_wait(&b" c ");"
	if (channel == "pipe") return "if (write(fd" c "[1], \"x\", 1) != 1) abort();"
	if (channel == "atomic") return "atomic_store(&is" c ", 1);"
	return "pthread_mutex_lock(&q); is" c " = 1; pthread_cond_" channel "(&qc); pthread_mutex_unlock(&q);"
}
function take(c) {
	if (channel == "sem") return "sem_wait(&" c ");"
	if (channel == "barrier") return "pthread_barrier_wait(&b" c ");"
	if (channel == "pipe") return "char x; if (read(fd" c "[0], &x, 1) != 1) abort();"
	if (channel == "atomic") return "while (!atomic_load(&is" c ")) sched_yield();"
	return "pthread_mutex_lock(&q); while (!is" c ") pthread_cond_wait(&qc, &q); pthread_mutex_unlock(&q);"
}

BEGIN {
	seed = (seed * 7919 + 17) % 2147483648; for (i = 0; i < 5; i++) below(2)
	shape = below(4) ? pick("helper helper helper create message message flag") : "none"
	channel = pick("sem signal broadcast pipe atomic" (shape == "message" ? "" : " barrier"))
	lock = pick("mutex mutex recursive rwlock rwlock")
	client = 1 + below(2); waits = shape == "message" ? 2 : 0; main_leaves = shape !~ /helper|create/ && below(3) == 0
	acquire = lock == "rwlock" ? "\tpthread_rwlock_wrlock(&m);" : "\tpthread_mutex_lock(&m);"
	release = lock == "rwlock" ? "\tpthread_rwlock_unlock(&m);" : "\tpthread_mutex_unlock(&m);"

	print "#define _GNU_SOURCE\n#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n#include <stdatomic.h>"
	print "#include <stdlib.h>\n#include <unistd.h>"
	if (lock == "rwlock") print "pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;"
	else print "pthread_mutex_t m = PTHREAD_" (lock == "recursive" ? "RECURSIVE_MUTEX_INITIALIZER_NP;" : "MUTEX_INITIALIZER;")
	print "pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;"
	print "volatile int x = 1, y = 1, z = 1, *volatile p, r1, r2;\nint late;"
	print "sem_t s, r, ended;\natomic_int flag;\npthread_barrier_t bs, br;\nint fds[2], fdr[2];\npthread_t first;"
	print (channel == "atomic" ? "atomic_int" : "int") " iss, isr;"
	print "pthread_mutex_t q = PTHREAD_MUTEX_INITIALIZER;\npthread_cond_t qc = PTHREAD_COND_INITIALIZER;"
	if (shape == "helper" || shape == "message") {
		print "static void ask(void) { " give("s") " }\nstatic void asked(void) { " take("s") " }"
		print "static void answer(void) { " give("r") " }\nstatic void answered(void) { " take("r") " }"
	}
	disciplined = below(2)
	if (shape == "helper" || shape == "create") helper()
	thread(1); thread(2)
	print "int main(int argc, char **argv)\n{\n\tpthread_t a, b, h;\n\tlate = argc > 1 ? atoi(argv[1]) : 0;\n\tp = malloc(4);"
	print "\tfirst = pthread_self();\n\tsem_init(&s, 0, 0);\n\tsem_init(&r, 0, 0);\n\tsem_init(&ended, 0, 0);"
	print "\tpthread_barrier_init(&bs, 0, 2);\n\tpthread_barrier_init(&br, 0, 2);\n\tif (pipe(fds) || pipe(fdr)) abort();"
	if (shape == "helper") print "\tpthread_create(&h, 0, t3, 0);"
	print "\tpthread_create(&a, 0, t1, 0);\n\tpthread_create(&b, 0, t2, 0);"
	if (main_leaves) {
		left = 0
		if (below(2)) section(1, 0); else access(1, 0)
		print "\tpthread_exit(0);\n}"
		exit
	}
	print "\tpthread_join(a, 0);\n\tpthread_join(b, 0);"
	if (shape == "helper") print "\tpthread_join(h, 0);"
	if (shape == "create" && waited) print "\tsem_wait(&ended);"
	print "\treturn 0;\n}"
}
