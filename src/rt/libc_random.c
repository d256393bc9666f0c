/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generators of random numbers.  Those without _r share one state inside libc, an object;
 * random() can be made to keep it in memory that the program gives, which it then changes with
 * every number.
 */
#include "rt/libc_wrap.h"
#include "wire/wire.h"

static RT_STATE char *given_state;
static RT_STATE size_t given_size;

static void tell_state(pc_t pc)
{
	if (given_state)
		libc_wrote_if_changed(given_state, given_size, pc);
}

#define DRAW(type, name, OBJECT, after) WRAP(type, name, (void), (), CHANGES(OBJECT), after)
#define SEED(name, type, OBJECT, after) WRAP_VOID(name, (type seed), (seed), CHANGES(OBJECT), after)
DRAW(int, rand, RAND, tell_state(PC))
DRAW(long, random, RAND, tell_state(PC))
DRAW(double, drand48, RAND48, NOTHING)
DRAW(long, lrand48, RAND48, NOTHING)
DRAW(long, mrand48, RAND48, NOTHING)
SEED(srand, unsigned, RAND, tell_state(PC))
SEED(srandom, unsigned, RAND, tell_state(PC))
SEED(srand48, long, RAND48, NOTHING)
WRAP(int, rand_r, (unsigned *seed), (seed), READS_OBJECT(seed);
     ROOM_OBJECT(seed), WROTE_OBJECT(seed))

WRAP(char *, initstate, (unsigned seed, char *state, size_t size), (seed, state, size),
     CHANGES(RAND);
     ROOM(state, size), given_state = state; given_size = size; tell_state(PC))

/* The size is not given again; it is known if the state is the last one. */
RT_EXPORT char *setstate(char *state)
{
	if (!libc_enter(PC))
		return REAL_FN(setstate)(state);
	libc_hidden(HIDDEN_RAND, true, PC);
	char *before = REAL_FN(setstate)(state);
	tell_state(PC);
	if (before && state != given_state) {
		const size_t smallest = 8;
		given_state = state;
		given_size = smallest;
	}
	return before;
}

/* ---- 48 bits ---- */

#define NUMBER48 (3 * sizeof(unsigned short))
#define DRAW48(type, name)                                                     \
	WRAP(type, name, (unsigned short state[3]), (state), LOOKS_AT(RAND48); \
	     READS(state, NUMBER48); ROOM(state, NUMBER48), WROTE(state, NUMBER48))
DRAW48(double, erand48)
DRAW48(long, nrand48)
DRAW48(long, jrand48)
WRAP(unsigned short *, seed48, (unsigned short state[3]), (state), CHANGES(RAND48);
     READS(state, NUMBER48), WROTE(result, NUMBER48))
WRAP_VOID(lcong48, (unsigned short parameters[7]), (parameters), CHANGES(RAND48);
	  READS(parameters, 7 * sizeof(*parameters)), NOTHING)

/* ---- states that the program holds ---- */

static void wrote_generator(const struct random_data *generator, pc_t pc)
{
	libc_wrote_if_changed(generator, sizeof(*generator), pc);
	if (generator->state)
		libc_wrote_if_changed(generator->state - 1,
				      ((size_t)generator->rand_deg + 1) * sizeof(*generator->state),
				      pc);
}

WRAP(int, random_r, (struct random_data *restrict generator, int32_t *restrict to), (generator, to),
     READS_OBJECT(generator);
     ROOM_OBJECT(to), wrote_generator(generator, PC); WROTE_OBJECT_IF(!result, to))
WRAP(int, srandom_r, (unsigned seed, struct random_data *generator), (seed, generator),
     READS_OBJECT(generator), wrote_generator(generator, PC))
WRAP(int, initstate_r,
     (unsigned seed, char *restrict state, size_t size, struct random_data *restrict generator),
     (seed, state, size, generator), READS_OBJECT(generator);
     ROOM(state, size), wrote_generator(generator, PC); WROTE_CHANGES(state, size))
WRAP(int, setstate_r, (char *restrict state, struct random_data *restrict generator),
     (state, generator), READS_OBJECT(generator), wrote_generator(generator, PC))

#define DRAW48_R(name, type)                                                          \
	WRAP(int, name, (struct drand48_data *restrict generator, type *restrict to), \
	     (generator, to), READS_OBJECT(generator);                                \
	     ROOM_OBJECT(to), WROTE_OBJECT(generator); WROTE_OBJECT_IF(!result, to))
#define DRAW48_FROM_R(name, type)                                               \
	WRAP(int, name,                                                         \
	     (unsigned short state[3], struct drand48_data *restrict generator, \
	      type *restrict to),                                               \
	     (state, generator, to), READS(state, NUMBER48);                    \
	     READS_OBJECT(generator); ROOM_OBJECT(to), WROTE(state, NUMBER48);  \
	     WROTE_CHANGES(generator, sizeof(*generator)); WROTE_OBJECT_IF(!result, to))
DRAW48_R(drand48_r, double)
DRAW48_R(lrand48_r, long)
DRAW48_R(mrand48_r, long)
DRAW48_FROM_R(erand48_r, double)
DRAW48_FROM_R(nrand48_r, long)
DRAW48_FROM_R(jrand48_r, long)
WRAP(int, srand48_r, (long seed, struct drand48_data *generator), (seed, generator),
     ROOM_OBJECT(generator), WROTE_CHANGES(generator, sizeof(*generator)))
