/* SPDX-License-Identifier: Apache-2.0 */
/* Questions and answers as objects; what they mean is in question.h. */
#include "oracle/question.h"

void question_release(struct question *q)
{
	vec_release(&q->include);
	vec_release(&q->orders);
	vec_release(&q->adjacent);
	vec_release(&q->pending);
	vec_release(&q->sights);
	vec_release(&q->loose);
	*q = (struct question){ 0 };
}

void question_add_sequence(struct question *q, const op_id *ops, size_t count)
{
	if (count == 1)
		vec_push(&q->include, ops[0]);
	for (size_t i = 0; i + 1 < count; i++)
		vec_push(&q->orders, ((struct op_order){ ops[i], ops[i + 1] }));
}

void answer_release(struct answer *a)
{
	vec_release(&a->witness);
	*a = (struct answer){ 0 };
}
