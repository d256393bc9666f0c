/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of <math.h> with arguments and results of one float type; the host's own are used. */
#include <math.h>

#include "interp/machine.h"

static const struct {
	const char *name;
	double (*one)(double);
	double (*two)(double, double);
	float (*one_float)(float);
	float (*two_float)(float, float);
} functions[] = {
#define ONE(name)                                \
	{                                        \
#name, name, NULL, name##f, NULL \
	}
#define TWO(name)                                \
	{                                        \
#name, NULL, name, NULL, name##f \
	}
	ONE(sqrt), ONE(sin),   ONE(cos),  ONE(tan),	  ONE(atan),	 ONE(exp),
	ONE(exp2), ONE(log),   ONE(log2), ONE(log10),	  ONE(fabs),	 ONE(floor),
	ONE(ceil), ONE(trunc), ONE(rint), ONE(nearbyint), ONE(round),	 TWO(pow),
	TWO(fmod), TWO(atan2), TWO(fmax), TWO(fmin),	  TWO(copysign), TWO(hypot),
};

static enum outcome run(struct call *c)
{
	float x, y, f;
	double a, b, d;
	uint32_t low = (uint32_t)c->args[0], other = c->count > 1 ? (uint32_t)c->args[1] : 0;
	uint64_t second = c->count > 1 ? c->args[1] : 0;
	memcpy(&a, &c->args[0], 8);
	memcpy(&b, &second, 8);
	memcpy(&x, &low, 4);
	memcpy(&y, &other, 4);
	if (type_of(c->m, c->types[0])->kind == IR_F32) {
		f = functions[c->kind].one ? functions[c->kind].one_float(x)
					   : functions[c->kind].two_float(x, y);
		memcpy(c->result, &f, 4);
		return OUTCOME_DONE;
	}
	if (type_of(c->m, c->types[0])->kind != IR_F64)
		return machine_end(c->m, INTERP_REFUSED, "%s", c->f->name);
	d = functions[c->kind].one ? functions[c->kind].one(a) : functions[c->kind].two(a, b);
	memcpy(c->result, &d, 8);
	return OUTCOME_DONE;
}

/* sqrt, sqrtf, llvm.sqrt.f64: the word up to the dot, without the f of floats. */
builtin math_find(const char *name, int *kind)
{
	static const char *const others[][2] = { { "maxnum", "fmax" },
						 { "minnum", "fmin" },
						 { "roundeven", "rint" } };
	bool is_intrinsic = !strncmp(name, "llvm.", 5);
	const char *word = is_intrinsic ? name + 5 : name;
	size_t len = strcspn(word, ".");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others) && is_intrinsic; i++)
		if (len == strlen(others[i][0]) && !strncmp(word, others[i][0], len)) {
			word = others[i][1];
			len = strlen(word);
		}
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		size_t own = strlen(functions[i].name);
		if (strncmp(functions[i].name, word, own) ||
		    (len != own && !(len == own + 1 && word[own] == 'f')))
			continue;
		*kind = (int)i;
		return run;
	}
	return NULL;
}
