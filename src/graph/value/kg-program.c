/* kg-program: building programs: constant folding, numbers made twice, derivatives, columns; running them over blocks.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-program-private.h"

#include "kg-kernel.h"

#include <math.h>
#include <string.h>

#define N_NONE G_MAXUINT32
/* Places for numbers that a call keeps on the stack. */
#define SMALL 128

struct _KgProgram {
  gatomicrefcount refs;
  guint n_inputs, n_results;
  bool *columns; /* of the inputs */
  KgMade *made;  /* the inputs first; nothing that no result needs */
  guint n_made;
  guint *results; /* of made */

  /* For running.  The table of columns: the uniform numbers (inputs, constants, what is computed once), then columns that
   * are filled with one of them, then inputs that are columns, then what is computed. */
  KgInstruction *once, *each;
  guint n_once, n_each;
  double *uniform; /* the constants in their places */
  guint n_uniform, n_filled, n_temporary;
  guint16 *filled; /* the uniform number of each */
  guint16 *places; /* of the results in the table */
  guint16 *input_places;
};

/* Building. */

static guint
get_hash (const KgMade *made)
{
  guint64 bits, h;

  memcpy (&bits, &made->constant, sizeof bits);
  h = ((guint64) made->operation << 56) ^ ((guint64) made->order << 40) ^ bits;
  h = (h ^ made->a) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  h = ((h ^ h >> 29) + made->b) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  h = ((h ^ h >> 32) + made->c) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return (guint) (h >> 32);
}

static const KgMade *
get_made (const KgBuilder *builder, guint index)
{
  return &builder->made[index];
}

static void
grow_table (KgBuilder *builder)
{
  if (builder->table != builder->few_in_table)
    g_free (builder->table);
  builder->table_size *= 2;
  builder->table = g_new0 (guint16, builder->table_size);
  for (guint i = 0; i < builder->n; i++) {
    guint at = get_hash (&builder->made[i]) & (builder->table_size - 1);

    while (builder->table[at] != 0)
      at = (at + 1) & (builder->table_size - 1);
    builder->table[at] = (guint16) (i + 1);
  }
}

static void
grow_made (KgBuilder *builder)
{
  KgMade *made = g_new (KgMade, 2 * builder->n_allocated);

  memcpy (made, builder->made, builder->n * sizeof *made);
  if (builder->made != builder->few)
    g_free (builder->made);
  builder->made = made;
  builder->n_allocated *= 2;
}

/* The number as it was made before, or made now. */
static guint
make (KgBuilder *builder, KgMade made)
{
  guint at;

  if (2 * (builder->n + 1) > builder->table_size)
    grow_table (builder);
  at = get_hash (&made) & (builder->table_size - 1);
  while (builder->table[at] != 0) {
    if (memcmp (&builder->made[builder->table[at] - 1], &made, sizeof made) == 0)
      return builder->table[at] - 1u;
    at = (at + 1) & (builder->table_size - 1);
  }
  if (builder->n >= KG_PROGRAM_MAX_INSTRUCTIONS) {
    builder->full = true;
    return 0;
  }
  if (builder->n == builder->n_allocated)
    grow_made (builder);
  builder->made[builder->n++] = made;
  builder->table[at] = (guint16) builder->n;
  return builder->n - 1;
}

void
kg_builder_init (KgBuilder *builder, guint n_inputs)
{
  builder->made = builder->few;
  builder->n = 0;
  builder->n_allocated = KG_BUILDER_SMALL;
  builder->table = builder->few_in_table;
  builder->table_size = G_N_ELEMENTS (builder->few_in_table);
  builder->n_inputs = n_inputs;
  builder->full = false;
  memset (builder->few_in_table, 0, sizeof builder->few_in_table);
  for (guint i = 0; i < n_inputs; i++)
    make (builder, (KgMade){ .operation = KG_OPERATION_INPUT, .a = i });
  /* Where all is full, numbers are this one. */
  kg_build_constant (builder, 0);
}

void
kg_builder_clear (KgBuilder *builder)
{
  if (builder->made != builder->few)
    g_free (builder->made);
  if (builder->table != builder->few_in_table)
    g_free (builder->table);
}

guint
kg_build_constant (KgBuilder *builder, double value)
{
  return make (builder, (KgMade){ .operation = KG_OPERATION_CONSTANT, .constant = value });
}

guint
kg_build_input (KgBuilder *builder, guint index)
{
  (void) builder;
  return index;
}

static bool
is_constant (const KgBuilder *builder, guint made, double *value)
{
  const KgMade *m = get_made (builder, made);

  if (m->operation != KG_OPERATION_CONSTANT)
    return false;
  *value = m->constant;
  return true;
}

static bool
is_value (const KgBuilder *builder, guint made, double value)
{
  const KgMade *m = get_made (builder, made);

  return m->operation == KG_OPERATION_CONSTANT && m->constant == value;
}

/* Computes an operation on constants, by the loops that would compute it later. */
static guint
fold (KgBuilder *builder, KgMade made)
{
  const guint n = kg_operation_get_n_operands (made.operation);
  const guint operands[3] = { made.a, made.b, made.c };
  const KgInstruction instruction = {
    .operation = made.operation, .order = made.order, .a = 0, .b = 1, .c = 2, .to = 3
  };
  double values[4] = { 0 };
  double *const columns[] = { &values[0], &values[1], &values[2], &values[3] };

  for (guint i = 0; i < n; i++)
    if (!is_constant (builder, operands[i], &values[i]))
      return make (builder, made);
  kg_instructions_run (&instruction, 1, columns, 1);
  return kg_build_constant (builder, values[3]);
}

guint
kg_build1 (KgBuilder *builder, KgOperation operation, guint a)
{
  return fold (builder, (KgMade){ .operation = (guint8) operation, .a = a });
}

/* Small whole exponents are products. */
static guint
build_power (KgBuilder *builder, guint a, guint b)
{
  guint square;

  if (is_value (builder, b, 1))
    return a;
  if (is_value (builder, b, -1))
    return kg_build2 (builder, KG_OPERATION_DIVIDE, kg_build_constant (builder, 1), a);
  if (is_value (builder, b, 2))
    return kg_build2 (builder, KG_OPERATION_MULTIPLY, a, a);
  if (is_value (builder, b, 3) || is_value (builder, b, 4)) {
    square = kg_build2 (builder, KG_OPERATION_MULTIPLY, a, a);
    return kg_build2 (builder, KG_OPERATION_MULTIPLY, square, is_value (builder, b, 3) ? a : square);
  }
  return fold (builder, (KgMade){ .operation = KG_OPERATION_POW, .a = a, .b = b });
}

guint
kg_build2 (KgBuilder *builder, KgOperation operation, guint a, guint b)
{
  /* Only what leaves every bit as it is, also of what is not finite. */
  if ((operation == KG_OPERATION_MULTIPLY || operation == KG_OPERATION_DIVIDE) && is_value (builder, b, 1))
    return a;
  if (operation == KG_OPERATION_MULTIPLY && is_value (builder, a, 1))
    return b;
  if (operation == KG_OPERATION_POW)
    return build_power (builder, a, b);
  return fold (builder, (KgMade){ .operation = (guint8) operation, .a = a, .b = b });
}

guint
kg_build_select (KgBuilder *builder, guint condition, guint a, guint b)
{
  double value;

  if (a == b)
    return a;
  if (is_constant (builder, condition, &value))
    return value != 0 ? a : b;
  return make (builder, (KgMade){ .operation = KG_OPERATION_SELECT, .a = condition, .b = a, .c = b });
}

guint
kg_build_noise (KgBuilder *builder, guint order, guint x, guint y, guint z)
{
  return fold (builder, (KgMade){ .operation = KG_OPERATION_NOISE, .order = (guint16) order, .a = x, .b = y, .c = z });
}

/* Finishing. */

static void
get_operands (const KgMade *made, guint operands[3])
{
  operands[0] = made->a;
  operands[1] = made->b;
  operands[2] = made->c;
}

/* Marks what some result needs; *n: how many there are. */
static void
find_needed (const KgBuilder *builder, const guint *results, guint n_results, guint *now, guint *n)
{
  memset (now, 0, builder->n * sizeof *now);
  for (guint i = 0; i < builder->n_inputs; i++)
    now[i] = 1;
  for (guint i = 0; i < n_results; i++)
    now[results[i]] = 1;
  *n = 0;
  for (guint i = builder->n; i-- > 0;) {
    const KgMade *made = get_made (builder, i);
    guint operands[3];

    get_operands (made, operands);
    for (guint k = 0; now[i] && k < kg_operation_get_n_operands (made->operation); k++)
      now[operands[k]] = 1;
    *n += now[i];
  }
}

/* Leaves out what no result needs: now was found by find_needed. */
static void
take_needed (KgProgram *program, const KgBuilder *builder, const guint *results, guint *now)
{
  for (guint i = 0; i < builder->n; i++)
    if (now[i]) {
      KgMade made = *get_made (builder, i);
      const guint n_operands = kg_operation_get_n_operands (made.operation);

      made.a = n_operands > 0 ? now[made.a] : made.a;
      made.b = n_operands > 1 ? now[made.b] : 0;
      made.c = n_operands > 2 ? now[made.c] : 0;
      now[i] = program->n_made;
      program->made[program->n_made++] = made;
    }
  for (guint i = 0; i < program->n_results; i++)
    program->results[i] = now[results[i]];
}

/* What of the plan for running is being laid out. */
typedef struct {
  KgProgram *program;
  bool *varies;  /* of made */
  guint *places; /* of made in the table */
  guint *last;   /* of made: the last that needs it */
  guint *fills;  /* of made: 1 + the index of the column that is filled with it; 0: none is */
  guint *free;   /* temporary columns to be used again, relative to the first */
  guint n_free;
  guint *temporary; /* of made: its column, relative to the first */
} Layout;

/* Whether the loop can take that operand as one number for all points. */
static bool
takes_uniform (const KgMade *made, guint operand)
{
  return kg_operation_get_n_operands (made->operation) == 2 && operand < 2;
}

static void
find_varying (Layout *layout)
{
  KgProgram *p = layout->program;

  for (guint i = 0; i < p->n_made; i++) {
    const guint n_operands = kg_operation_get_n_operands (p->made[i].operation);
    guint operands[3];

    get_operands (&p->made[i], operands);
    layout->varies[i] = i < p->n_inputs && p->columns[i];
    layout->last[i] = i;
    for (guint k = 0; k < n_operands; k++) {
      layout->varies[i] |= layout->varies[operands[k]];
      layout->last[operands[k]] = i;
    }
  }
  for (guint i = 0; i < p->n_results; i++)
    layout->last[p->results[i]] = p->n_made;
}

static void
lay_out_uniform (Layout *layout)
{
  KgProgram *p = layout->program;

  for (guint i = 0; i < p->n_made; i++)
    if (!layout->varies[i])
      layout->places[i] = p->n_uniform++;
  for (guint i = 0; i < p->n_made; i++)
    if (p->made[i].operation == KG_OPERATION_CONSTANT)
      p->uniform[layout->places[i]] = p->made[i].constant;
  /* What a loop needs as a column. */
  for (guint i = 0; i < p->n_made; i++) {
    guint operands[3];

    get_operands (&p->made[i], operands);
    for (guint k = 0; layout->varies[i] && k < kg_operation_get_n_operands (p->made[i].operation); k++)
      if (!layout->varies[operands[k]] && !takes_uniform (&p->made[i], k) && layout->fills[operands[k]] == 0) {
        p->filled[p->n_filled++] = (guint16) layout->places[operands[k]];
        layout->fills[operands[k]] = p->n_filled;
      }
  }
}

/* A column that is no longer needed, or a new one. */
static guint
take_temporary (Layout *layout)
{
  return layout->n_free > 0 ? layout->free[--layout->n_free] : layout->program->n_temporary++;
}

static guint16
get_operand_place (const Layout *layout, const KgMade *made, guint operand, guint of)
{
  if (!layout->varies[of] && !takes_uniform (made, operand))
    return (guint16) (layout->program->n_uniform + layout->fills[of] - 1);
  return (guint16) layout->places[of];
}

static void
lay_out_columns (Layout *layout)
{
  KgProgram *p = layout->program;
  guint first = p->n_uniform + p->n_filled;

  for (guint i = 0; i < p->n_inputs; i++)
    if (layout->varies[i])
      layout->places[i] = first++;
  for (guint i = p->n_inputs; i < p->n_made; i++) {
    const KgMade *made = &p->made[i];
    const guint n_operands = kg_operation_get_n_operands (made->operation);
    KgInstruction *in;
    guint operands[3];

    if (made->operation == KG_OPERATION_CONSTANT)
      continue;
    get_operands (made, operands);
    in = layout->varies[i] ? &p->each[p->n_each++] : &p->once[p->n_once++];
    *in = (KgInstruction){ .operation = made->operation, .order = made->order };
    if (!layout->varies[i]) {
      in->to = (guint16) layout->places[i];
      in->a = (guint16) layout->places[operands[0]];
      in->b = n_operands > 1 ? (guint16) layout->places[operands[1]] : in->a;
      in->c = n_operands > 2 ? (guint16) layout->places[operands[2]] : in->a;
      continue;
    }
    in->a = get_operand_place (layout, made, 0, operands[0]);
    in->b = n_operands > 1 ? get_operand_place (layout, made, 1, operands[1]) : in->a;
    in->c = n_operands > 2 ? get_operand_place (layout, made, 2, operands[2]) : in->a;
    if (n_operands == 2 && !layout->varies[operands[1]])
      in->form = KG_FORM_UNIFORM_B;
    else if (n_operands == 2 && !layout->varies[operands[0]])
      in->form = KG_FORM_UNIFORM_A;
    for (guint k = 0; k < n_operands; k++) {
      const guint of = operands[k];
      const bool again = (k > 0 && operands[0] == of) || (k > 1 && operands[1] == of);

      if (of >= p->n_inputs && layout->varies[of] && layout->last[of] == i && !again)
        layout->free[layout->n_free++] = layout->temporary[of];
    }
    layout->temporary[i] = take_temporary (layout);
    layout->places[i] = first + layout->temporary[i];
    in->to = (guint16) layout->places[i];
  }
}

static void
lay_out (KgProgram *program)
{
  const guint n = program->n_made;
  guint few[5 * KG_BUILDER_SMALL] = { 0 };
  bool few_vary[KG_BUILDER_SMALL] = { 0 };
  g_autofree guint *many = n > KG_BUILDER_SMALL ? g_new0 (guint, 5 * (gsize) n) : NULL;
  g_autofree bool *many_vary = n > KG_BUILDER_SMALL ? g_new0 (bool, n) : NULL;
  guint *numbers = many != NULL ? many : few;
  Layout layout = { .program = program,
                    .varies = many_vary != NULL ? many_vary : few_vary,
                    .places = numbers,
                    .last = numbers + n,
                    .fills = numbers + 2 * (gsize) n,
                    .temporary = numbers + 3 * (gsize) n,
                    .free = numbers + 4 * (gsize) n };

  find_varying (&layout);
  lay_out_uniform (&layout);
  lay_out_columns (&layout);
  for (guint i = 0; i < program->n_results; i++)
    program->places[i] = (guint16) layout.places[program->results[i]];
  for (guint i = 0; i < program->n_inputs; i++)
    program->input_places[i] = (guint16) layout.places[i];
}

/* All in one piece of memory, the widest elements first. */
static KgProgram *
program_alloc (guint n_inputs, guint n_made, guint n_results)
{
  const gsize sizes[] = { sizeof (KgProgram),
                          n_made * sizeof (KgMade),
                          n_made * sizeof (double),
                          (gsize) n_results * sizeof (guint),
                          n_made * sizeof (KgInstruction),
                          n_made * sizeof (KgInstruction),
                          n_made * sizeof (guint16),
                          n_results * sizeof (guint16),
                          n_inputs * sizeof (guint16),
                          n_inputs * sizeof (bool) };
  char *at[G_N_ELEMENTS (sizes)];
  gsize size = 0;
  KgProgram *program;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    size += sizes[i];
  program = (KgProgram *) g_malloc0 (size);
  at[0] = (char *) program;
  for (guint i = 1; i < G_N_ELEMENTS (sizes); i++)
    at[i] = at[i - 1] + sizes[i - 1];
  g_atomic_ref_count_init (&program->refs);
  program->n_inputs = n_inputs;
  program->n_results = n_results;
  program->made = (KgMade *) (gpointer) at[1];
  program->uniform = (double *) (gpointer) at[2];
  program->results = (guint *) (gpointer) at[3];
  program->once = (KgInstruction *) (gpointer) at[4];
  program->each = (KgInstruction *) (gpointer) at[5];
  program->filled = (guint16 *) (gpointer) at[6];
  program->places = (guint16 *) (gpointer) at[7];
  program->input_places = (guint16 *) (gpointer) at[8];
  program->columns = (bool *) at[9];
  return program;
}

KgProgram *
kg_builder_finish (const KgBuilder *builder, const bool *columns, const guint *results, guint n_results, GError **error)
{
  guint few[KG_BUILDER_SMALL], n;
  g_autofree guint *many = builder->n > KG_BUILDER_SMALL ? g_new (guint, builder->n) : NULL;
  guint *now = many != NULL ? many : few;
  KgProgram *program;

  if (builder->full) {
    kg_set_error (error, KG_ERROR_LIMIT, "the formula needs more than %d operations: split it into several nodes",
                  KG_PROGRAM_MAX_INSTRUCTIONS);
    return NULL;
  }
  find_needed (builder, results, n_results, now, &n);
  program = program_alloc (builder->n_inputs, n, n_results);
  if (columns != NULL && builder->n_inputs > 0)
    memcpy (program->columns, columns, builder->n_inputs * sizeof *columns);
  take_needed (program, builder, results, now);
  lay_out (program);
  return program;
}

KgProgram *
kg_program_ref (const KgProgram *program)
{
  KgProgram *p = (KgProgram *) program;

  g_atomic_ref_count_inc (&p->refs);
  return p;
}

void
kg_program_unref (KgProgram *program)
{
  if (!g_atomic_ref_count_dec (&program->refs))
    return;
  g_free (program);
}

guint
kg_program_get_n_inputs (const KgProgram *program)
{
  return program->n_inputs;
}

guint
kg_program_get_n_results (const KgProgram *program)
{
  return program->n_results;
}

guint
kg_program_get_n_operations (const KgProgram *program)
{
  return program->n_each;
}

bool
kg_program_ignores_input (const KgProgram *program, guint input)
{
  for (guint i = 0; i < program->n_results; i++)
    if (program->results[i] == input)
      return false;
  for (guint i = program->n_inputs; i < program->n_made; i++) {
    const guint n = kg_operation_get_n_operands (program->made[i].operation);
    guint operands[3];

    get_operands (&program->made[i], operands);
    for (guint k = 0; k < n; k++)
      if (operands[k] == input)
        return false;
  }
  return true;
}

bool
kg_program_equal (const KgProgram *a, const KgProgram *b)
{
  return a == b || (a->n_inputs == b->n_inputs && a->n_results == b->n_results && a->n_made == b->n_made &&
                    memcmp (a->columns, b->columns, a->n_inputs * sizeof *a->columns) == 0 &&
                    memcmp (a->made, b->made, a->n_made * sizeof *a->made) == 0 &&
                    memcmp (a->results, b->results, a->n_results * sizeof *a->results) == 0);
}

/* Derivatives. */

/* The rules with nothing where a derivative is zero, so that 0 * infinity is never met. */
typedef struct {
  KgBuilder *builder;
  guint *derivatives; /* of made; N_NONE: zero */
} Derivation;

static guint
constant (Derivation *d, double value)
{
  return kg_build_constant (d->builder, value);
}

static guint
add (Derivation *d, guint a, guint b)
{
  return a == N_NONE ? b : b == N_NONE ? a : kg_build2 (d->builder, KG_OPERATION_ADD, a, b);
}

static guint
negate (Derivation *d, guint a)
{
  return a == N_NONE ? a : kg_build1 (d->builder, KG_OPERATION_NEGATE, a);
}

static guint
subtract (Derivation *d, guint a, guint b)
{
  if (a == N_NONE || b == N_NONE)
    return a == N_NONE ? negate (d, b) : a;
  return kg_build2 (d->builder, KG_OPERATION_SUBTRACT, a, b);
}

static guint
multiply (Derivation *d, guint a, guint b)
{
  if (a == N_NONE || b == N_NONE || is_value (d->builder, a, 0) || is_value (d->builder, b, 0))
    return N_NONE;
  return kg_build2 (d->builder, KG_OPERATION_MULTIPLY, a, b);
}

static guint
divide (Derivation *d, guint a, guint b)
{
  return a == N_NONE ? a : kg_build2 (d->builder, KG_OPERATION_DIVIDE, a, b);
}

static guint
square (Derivation *d, guint a)
{
  return kg_build2 (d->builder, KG_OPERATION_MULTIPLY, a, a);
}

static guint
root (Derivation *d, guint a)
{
  return kg_build1 (d->builder, KG_OPERATION_SQRT, a);
}

static guint
choose (Derivation *d, guint condition, guint a, guint b)
{
  if (a == N_NONE && b == N_NONE)
    return N_NONE;
  return kg_build_select (d->builder, condition, a == N_NONE ? constant (d, 0) : a, b == N_NONE ? constant (d, 0) : b);
}

static guint
derive_power (Derivation *d, guint v, guint a, guint b, guint da, guint db)
{
  const guint zero = constant (d, 0);
  guint by_base = N_NONE, by_exponent = N_NONE;

  if (da != N_NONE) {
    const guint lower = kg_build2 (d->builder, KG_OPERATION_SUBTRACT, b, constant (d, 1));

    by_base = multiply (d, multiply (d, b, kg_build2 (d->builder, KG_OPERATION_POW, a, lower)), da);
  }
  if (db != N_NONE) {
    const guint log_a = kg_build1 (d->builder, KG_OPERATION_LOG, a);

    /* 0^b stays 0. */
    by_exponent = choose (d, kg_build2 (d->builder, KG_OPERATION_EQUAL, a, zero), N_NONE,
                          multiply (d, multiply (d, v, log_a), db));
  }
  return add (d, by_base, by_exponent);
}

static guint
derive_noise (Derivation *d, const KgMade *made)
{
  const guint operands[3] = { made->a, made->b, made->c };
  guint sum = N_NONE;

  for (guint k = 0; k < 3; k++) {
    const guint dx = d->derivatives[operands[k]];

    /* The noise is of the fifth degree, times its gradient, in each coordinate. */
    if (dx != N_NONE && (made->order >> 4 * k & 15) < 7)
      sum = add (d, sum,
                 multiply (d, kg_build_noise (d->builder, made->order + (1u << 4 * k), made->a, made->b, made->c), dx));
  }
  return sum;
}

static guint
derive_one (Derivation *d, const KgMade *made, guint v)
{
  KgBuilder *b = d->builder;
  const guint a = made->a, da = d->derivatives[a], one = constant (d, 1);

  if (da == N_NONE)
    return N_NONE;
  switch ((KgOperation) made->operation) {
  case KG_OPERATION_NEGATE:
    return negate (d, da);
  case KG_OPERATION_ABS:
    return multiply (d, da, kg_build1 (b, KG_OPERATION_SIGN, a));
  case KG_OPERATION_FRACT:
    return da;
  case KG_OPERATION_ACOS:
    return negate (d, divide (d, da, root (d, subtract (d, one, square (d, a)))));
  case KG_OPERATION_ASIN:
    return divide (d, da, root (d, subtract (d, one, square (d, a))));
  case KG_OPERATION_ATAN:
    return divide (d, da, add (d, one, square (d, a)));
  case KG_OPERATION_ACOSH:
    return divide (d, da, root (d, subtract (d, square (d, a), one)));
  case KG_OPERATION_ASINH:
    return divide (d, da, root (d, add (d, square (d, a), one)));
  case KG_OPERATION_ATANH:
    return divide (d, da, subtract (d, one, square (d, a)));
  case KG_OPERATION_CBRT:
    return divide (d, da, multiply (d, constant (d, 3), square (d, v)));
  case KG_OPERATION_SQRT:
    return divide (d, da, multiply (d, constant (d, 2), v));
  case KG_OPERATION_EXP:
    return multiply (d, da, v);
  case KG_OPERATION_LOG:
    return divide (d, da, a);
  case KG_OPERATION_LOG2:
    return divide (d, da, multiply (d, constant (d, G_LN2), a));
  case KG_OPERATION_LOG10:
    return divide (d, da, multiply (d, constant (d, G_LN10), a));
  case KG_OPERATION_SIN:
    return multiply (d, da, kg_build1 (b, KG_OPERATION_COS, a));
  case KG_OPERATION_COS:
    return negate (d, multiply (d, da, kg_build1 (b, KG_OPERATION_SIN, a)));
  case KG_OPERATION_TAN:
    return multiply (d, da, add (d, one, square (d, v)));
  case KG_OPERATION_SINH:
    return multiply (d, da, kg_build1 (b, KG_OPERATION_COSH, a));
  case KG_OPERATION_COSH:
    return multiply (d, da, kg_build1 (b, KG_OPERATION_SINH, a));
  case KG_OPERATION_TANH:
    return multiply (d, da, subtract (d, one, square (d, v)));
  default: /* steps */
    return N_NONE;
  }
}

static guint
derive_two (Derivation *d, const KgMade *made, guint v)
{
  KgBuilder *builder = d->builder;
  const guint a = made->a, b = made->b, da = d->derivatives[a], db = d->derivatives[b];

  if (da == N_NONE && db == N_NONE)
    return N_NONE;
  switch ((KgOperation) made->operation) {
  case KG_OPERATION_ADD:
    return add (d, da, db);
  case KG_OPERATION_SUBTRACT:
    return subtract (d, da, db);
  case KG_OPERATION_MULTIPLY:
    return add (d, multiply (d, da, b), multiply (d, a, db));
  case KG_OPERATION_DIVIDE:
    return divide (d, subtract (d, da, multiply (d, v, db)), b);
  case KG_OPERATION_MIN:
    return choose (d, kg_build2 (builder, KG_OPERATION_LESS, b, a), db, da);
  case KG_OPERATION_MAX:
    return choose (d, kg_build2 (builder, KG_OPERATION_LESS, a, b), db, da);
  case KG_OPERATION_ATAN2:
    return divide (d, subtract (d, multiply (d, b, da), multiply (d, a, db)), add (d, square (d, a), square (d, b)));
  case KG_OPERATION_HYPOT:
    return divide (d, add (d, multiply (d, a, da), multiply (d, b, db)), v);
  case KG_OPERATION_MOD: {
    const guint times = kg_build1 (builder, KG_OPERATION_FLOOR, kg_build2 (builder, KG_OPERATION_DIVIDE, a, b));

    return subtract (d, da, multiply (d, times, db));
  }
  case KG_OPERATION_POW:
    return derive_power (d, v, a, b, da, db);
  default: /* comparisons */
    return N_NONE;
  }
}

static guint
derive (Derivation *d, guint v)
{
  /* The array moves when something is built. */
  const KgMade made = *get_made (d->builder, v);

  switch (kg_operation_get_n_operands (made.operation)) {
  case 1:
    return derive_one (d, &made, v);
  case 2:
    return derive_two (d, &made, v);
  case 3:
    return made.operation == KG_OPERATION_NOISE ? derive_noise (d, &made)
                                                : choose (d, made.a, d->derivatives[made.b], d->derivatives[made.c]);
  default:
    return N_NONE;
  }
}

KgProgram *
kg_program_add_derivatives (const KgProgram *program, guint first, guint n, guint input, GError **error)
{
  g_auto (KgBuilder) builder = { .made = NULL };
  g_autofree guint *results = g_new (guint, program->n_results + n + 1);
  g_autofree guint *now = g_new (guint, program->n_made), *derivatives = g_new (guint, program->n_made + 1);
  g_autofree bool *needed = g_new0 (bool, program->n_made + 1);
  g_autofree guint *by_built = NULL;
  Derivation derivation = { .builder = &builder };
  guint n_built;

  g_return_val_if_fail (input < program->n_inputs && first + n <= program->n_results, NULL);
  kg_builder_init (&builder, program->n_inputs);
  for (guint i = 0; i < program->n_made; i++) {
    KgMade made = program->made[i];
    const guint n_operands = kg_operation_get_n_operands (made.operation);

    made.a = n_operands > 0 ? now[made.a] : made.a;
    made.b = n_operands > 1 ? now[made.b] : 0;
    made.c = n_operands > 2 ? now[made.c] : 0;
    now[i] = make (&builder, made);
  }
  n_built = builder.n;
  by_built = g_new (guint, n_built);
  memset (by_built, 0xff, n_built * sizeof *by_built);
  derivation.derivatives = by_built;
  for (guint i = 0; i < n; i++)
    needed[program->results[first + i]] = true;
  for (guint i = program->n_made; i-- > 0;) {
    guint operands[3];

    get_operands (&program->made[i], operands);
    for (guint k = 0; needed[i] && k < kg_operation_get_n_operands (program->made[i].operation); k++)
      needed[operands[k]] = true;
  }
  by_built[input] = kg_build_constant (&builder, 1);
  for (guint i = program->n_inputs; i < program->n_made; i++)
    if (needed[i] && !builder.full)
      by_built[now[i]] = derive (&derivation, now[i]);
  for (guint i = 0; i < program->n_results; i++)
    results[i] = now[program->results[i]];
  for (guint i = 0; i < n; i++) {
    const guint made = by_built[now[program->results[first + i]]];

    results[program->n_results + i] = made == N_NONE ? kg_build_constant (&builder, 0) : made;
  }
  return kg_builder_finish (&builder, program->columns, results, program->n_results + n, error);
}

/* Running. */

static void
compute_once (const KgProgram *p, const double *const *inputs, double *uniform, double **table)
{
  memcpy (uniform, p->uniform, p->n_uniform * sizeof *uniform);
  for (guint i = 0; i < p->n_uniform; i++)
    table[i] = &uniform[i];
  for (guint i = 0; i < p->n_inputs; i++)
    if (!p->columns[i])
      uniform[p->input_places[i]] = *inputs[i];
  kg_instructions_run (p->once, p->n_once, table, 1);
}

/* columns: of so many numbers each, for what is filled and what is computed. */
static void
lay_columns (const KgProgram *p, double *columns, size_t length, double **table)
{
  guint place = p->n_uniform;

  for (guint i = 0; i < p->n_filled; i++, place++, columns += length) {
    const double value = *table[p->filled[i]];

    table[place] = columns;
    for (size_t k = 0; k < length; k++)
      columns[k] = value;
  }
  for (guint i = 0; i < p->n_inputs; i++)
    place += p->columns[i];
  for (guint i = 0; i < p->n_temporary; i++, columns += length)
    table[place++] = columns;
}

static guint
get_table_size (const KgProgram *p)
{
  return p->n_uniform + p->n_filled + p->n_inputs + p->n_temporary + 1;
}

void
kg_program_call (const KgProgram *program, const double *inputs, double *results)
{
  const guint n_numbers = program->n_uniform + program->n_filled + program->n_temporary;
  const guint n_table = get_table_size (program);
  double numbers_small[SMALL], *table_small[SMALL];
  const double *inputs_small[SMALL];
  g_autofree double *numbers_large = n_numbers > SMALL ? g_new (double, n_numbers) : NULL;
  g_autofree double **table_large = n_table > SMALL ? g_new (double *, n_table) : NULL;
  g_autofree const double **inputs_large = program->n_inputs > SMALL ? g_new (const double *, program->n_inputs) : NULL;
  double *numbers = numbers_large != NULL ? numbers_large : numbers_small;
  double **table = table_large != NULL ? table_large : table_small;
  const double **pointers = inputs_large != NULL ? inputs_large : inputs_small;

  for (guint i = 0; i < program->n_inputs; i++)
    pointers[i] = &inputs[i];
  compute_once (program, pointers, numbers, table);
  lay_columns (program, numbers + program->n_uniform, 1, table);
  for (guint i = 0; i < program->n_inputs; i++)
    if (program->columns[i])
      table[program->input_places[i]] = (double *) &inputs[i];
  kg_instructions_run (program->each, program->n_each, table, 1);
  for (guint i = 0; i < program->n_results; i++)
    results[i] = *table[program->places[i]];
}

static void
run_block (const KgProgram *p, const double *const *inputs, size_t start, size_t n, double **table,
           double *const *results)
{
  guint n_fixed = p->n_uniform + p->n_filled;

  for (guint i = 0; i < p->n_inputs; i++)
    if (p->columns[i]) {
      table[p->input_places[i]] = (double *) inputs[i] + start;
      n_fixed++;
    }
  /* What is computed for a result is written where it belongs; of two that are the same number the second is copied. */
  for (guint i = 0; i < p->n_results; i++)
    if (p->places[i] >= n_fixed)
      table[p->places[i]] = results[i] + start;
  kg_instructions_run (p->each, p->n_each, table, n);
  for (guint i = 0; i < p->n_results; i++) {
    const double *from = table[p->places[i]];

    if (from == results[i] + start)
      continue;
    if (p->places[i] >= p->n_uniform)
      memcpy (results[i] + start, from, n * sizeof *from);
    else
      for (size_t k = 0; k < n; k++)
        results[i][start + k] = *from;
  }
}

/* Blocks that a thread takes at once. */
#define BLOCKS_AT_ONCE 16

/* Runs it for the values [start, end), block by block. once: see compute_once. */
static void
run_blocks (const KgProgram *program, const double *const *inputs, size_t start, size_t end, double *const *once,
            guint n_table, double *const *results)
{
  const size_t length = MIN (KG_PROGRAM_BLOCK, end - start);
  g_autofree double **table = (double **) g_memdup2 (once, n_table * sizeof *once);
  g_autofree double *columns = g_new (double, (program->n_filled + program->n_temporary) * length + 1);

  lay_columns (program, columns, length, table);
  for (; start < end; start += KG_PROGRAM_BLOCK)
    run_block (program, inputs, start, MIN (KG_PROGRAM_BLOCK, end - start), table, results);
}

void
kg_program_run (const KgProgram *program, const double *const *inputs, size_t n, double *const *results)
{
  const guint n_table = get_table_size (program);
  g_autofree double *uniform = g_new (double, program->n_uniform + 1);
  g_autofree double **once = g_new (double *, n_table);

  compute_once (program, inputs, uniform, once);
  KG_PARALLEL (n, BLOCKS_AT_ONCE * KG_PROGRAM_BLOCK, n >= KG_PARALLEL_FROM,
               run_blocks (program, inputs, first, end, once, n_table, results));
}
