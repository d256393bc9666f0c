/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of events that a switch takes together, as case labels: all operations on one sort of
 * object.  A switch that takes some of a group and leaves others names them one by one.
 */
#ifndef HEDDLE_WIRE_KINDS_H
#define HEDDLE_WIRE_KINDS_H

#define CASES_OF_ATTEMPTS \
	case EV_REQUEST:  \
	case EV_TRY_FAIL: \
	case EV_TIMEOUT

#define CASES_OF_CONDITIONS \
	case EV_WAIT:       \
	case EV_WAKE:       \
	case EV_SIGNAL:     \
	case EV_BROADCAST

#define CASES_OF_BARRIERS   \
	case EV_BARRIER_IN: \
	case EV_BARRIER_OUT

#define CASES_OF_SEMAPHORES \
	case EV_SEM_POST:   \
	case EV_SEM_WAIT

#define CASES_OF_ONCE       \
	case EV_ONCE_BEGIN: \
	case EV_ONCE_END

#define CASES_OF_OBJECT_LIFE \
	case EV_SYNC_INIT:   \
	case EV_SYNC_DESTROY

#define CASES_OF_SIGNALS       \
	case EV_CANCEL:        \
	case EV_CANCELLED:     \
	case EV_KILL:          \
	case EV_HANDLER_BEGIN: \
	case EV_SIGNAL_TAKEN

#define CASES_OF_BLOCKS \
	case EV_ALLOC:  \
	case EV_FREE:   \
	case EV_RESIZE

#endif
