/* Every function of the three dialects, in places where it is right; the misuse that the argument names at the end. */
#include <assert.h>
#include <sanitizer/tsan_interface.h>
#include <stdio.h>
#include <string.h>

#include "heddle/annotations.h"

#define NAMES(X) X(HappensBefore) X(HappensAfter) X(CondVarSignal) X(CondVarSignalAll) X(PCQCreate) X(PCQPut) X(PCQGet) \
	X(PCQDestroy) X(BarrierWaitBefore) X(BarrierWaitAfter) X(BarrierDestroy) X(MutexIsUsedAsCondVar) \
	X(MutexIsNotPHB) X(TraceMemory) X(NoOp)
#define DECLARE(name) void Annotate##name(const char *, int, const volatile void *);
NAMES(DECLARE)
DECLARE(RWLockCreate)
DECLARE(RWLockCreateStatic)
DECLARE(RWLockDestroy)
#define BARE(X) X(IgnoreReadsBegin) X(IgnoreReadsEnd) X(IgnoreWritesBegin) X(IgnoreWritesEnd) X(IgnoreSyncBegin) \
	X(IgnoreSyncEnd) X(FlushState) X(FlushExpectedRaces)
#define DECLARE_BARE(name) void Annotate##name(const char *, int);
BARE(DECLARE_BARE)
void AnnotateRWLockAcquired(const char *, int, const volatile void *, long);
void AnnotateRWLockReleased(const char *, int, const volatile void *, long);
void AnnotateCondVarWait(const char *, int, const volatile void *, const volatile void *);
void AnnotatePublishMemoryRange(const char *, int, const volatile void *, long);
void AnnotateUnpublishMemoryRange(const char *, int, const volatile void *, long);
void AnnotateNewMemory(const char *, int, const volatile void *, long);
void AnnotateBenignRace(const char *, int, const volatile void *, const char *);
void AnnotateBenignRaceSized(const char *, int, const volatile void *, long, const char *);
void AnnotateExpectRace(const char *, int, const volatile void *, const char *);
void AnnotateEnableRaceDetection(const char *, int, int);
void AnnotateThreadName(const char *, int, const char *);
void AnnotateBarrierInit(const char *, int, const volatile void *, long, long);
int RunningOnValgrind(void);

static int lock, object;
static char memory[100];

static void tsan(void)
{
	__tsan_mutex_create(&lock, 0);
	__tsan_mutex_pre_lock(&lock, __tsan_mutex_try_lock);
	__tsan_mutex_post_lock(&lock, __tsan_mutex_try_lock_failed, 0);
	__tsan_mutex_pre_lock(&lock, __tsan_mutex_read_lock);
	__tsan_mutex_post_lock(&lock, __tsan_mutex_read_lock, 0);
	__tsan_mutex_pre_unlock(&lock, __tsan_mutex_read_lock);
	__tsan_mutex_post_unlock(&lock, __tsan_mutex_read_lock);
	__tsan_mutex_pre_lock(&lock, 0);
	__tsan_mutex_post_lock(&lock, 0, 0);
	__tsan_mutex_pre_lock(&lock, 0);
	__tsan_mutex_post_lock(&lock, 0, 0);
	int levels = __tsan_mutex_pre_unlock(&lock, __tsan_mutex_recursive_unlock);
	__tsan_mutex_post_unlock(&lock, __tsan_mutex_recursive_unlock);
	__tsan_mutex_pre_lock(&lock, __tsan_mutex_recursive_lock);
	__tsan_mutex_post_lock(&lock, __tsan_mutex_recursive_lock, levels);
	for (; levels; levels--)
		assert(__tsan_mutex_pre_unlock(&lock, 0) == 1);
	__tsan_mutex_pre_signal(&lock, 0);
	__tsan_mutex_post_signal(&lock, 0);
	__tsan_mutex_pre_divert(&lock, 0);
	__tsan_mutex_post_divert(&lock, 0);
	__tsan_mutex_destroy(&lock, 0);
	__tsan_release(&object);
	__tsan_acquire(&object);
}

static void own(void)
{
	heddle_lock_create(&lock);
	heddle_lock_request_shared(&lock);
	heddle_lock_acquired_shared(&lock);
	heddle_lock_release_shared(&lock);
	heddle_lock_request(&lock);
	heddle_lock_failed(&lock);
	heddle_lock_acquired(&lock);
	heddle_lock_release(&lock);
	heddle_lock_destroy(&lock);
	heddle_happens_before(&object);
	heddle_happens_after(&object);
}

static void dynamic(void)
{
#define CALL(name) Annotate##name("", 0, &object);
	NAMES(CALL)
#define CALL_BARE(name) Annotate##name("", 0);
	BARE(CALL_BARE)
	AnnotateRWLockCreate("", 0, &lock);
	AnnotateRWLockAcquired("", 0, &lock, 0);
	AnnotateRWLockReleased("", 0, &lock, 0);
	AnnotateRWLockAcquired("", 0, &lock, 1);
	AnnotateRWLockReleased("", 0, &lock, 1);
	AnnotateRWLockDestroy("", 0, &lock);
	AnnotateRWLockCreateStatic("", 0, &lock);
	AnnotateCondVarWait("", 0, &object, &lock);
	AnnotatePublishMemoryRange("", 0, memory, sizeof(memory));
	AnnotateUnpublishMemoryRange("", 0, memory, sizeof(memory));
	AnnotateNewMemory("", 0, memory, sizeof(memory));
	AnnotateBenignRace("", 0, &object, "why");
	AnnotateBenignRaceSized("", 0, memory, sizeof(memory), "why");
	AnnotateExpectRace("", 0, &object, "why");
	AnnotateEnableRaceDetection("", 0, 0);
	AnnotateEnableRaceDetection("", 0, 1);
	AnnotateThreadName("", 0, "boss");
	AnnotateBarrierInit("", 0, &object, 2, 0);
	assert(!RunningOnValgrind());
}

int main(int argc, char **argv)
{
	const char *misuse = argc > 1 ? argv[1] : "";
	tsan();
	own();
	dynamic();
	heddle_lock_create(&lock);
	if (!strcmp(misuse, "release-free"))
		heddle_lock_release(&lock);
	if (!strcmp(misuse, "release-free-shared"))
		heddle_lock_release_shared(&lock);
	heddle_lock_acquired(&lock);
	if (!strcmp(misuse, "destroy-held"))
		heddle_lock_destroy(&lock);
	if (!strcmp(misuse, "shared-and-exclusive")) {
		heddle_lock_release(&lock);
		heddle_lock_acquired_shared(&lock);
		heddle_lock_acquired(&lock);
	}
	heddle_lock_release(&lock);
	heddle_lock_destroy(&lock);
	if (!strcmp(misuse, "use-destroyed"))
		heddle_lock_request(&lock);
	printf("all called\n");
	return 0;
}
