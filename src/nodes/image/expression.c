/* image/expression: a formula for each channel.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_part.h"
#include "kg-expression.h"

typedef struct {
  IMAGE_FIELDS;
  const char *red;
  const char *green;
  const char *blue;
  const char *alpha;
  const KgImage *other;
  double p;
  double q;
  int64_t step;
} Expression;

/* Inputs of the programs: those before N_COLUMNS are columns. */
enum {
  X,
  Y,
  U,
  V,
  R,
  G,
  B,
  A,
  R2,
  G2,
  B2,
  A2,
  NEIGHBOURS,
  N_COLUMNS = NEIGHBOURS + 8 * 4,
  WIDTH = N_COLUMNS,
  HEIGHT,
  T,
  FRAME,
  P,
  Q,
  N_INPUTS
};

static const KgFormulaVariable expression_variables[] = {
  { "x", 1, true },      { "y", 1, true },       { "u", 1, true },        { "v", 1, true },
  { "r", 1, true },      { "g", 1, true },       { "b", 1, true },        { "a", 1, true },
  { "r2", 1, true },     { "g2", 1, true },      { "b2", 1, true },       { "a2", 1, true },
  { "left", 4, true },   { "right", 4, true },   { "up", 4, true },       { "down", 4, true },
  { "upleft", 4, true }, { "upright", 4, true }, { "downleft", 4, true }, { "downright", 4, true },
  { "width", 1, false }, { "height", 1, false }, { "t", 1, false },       { "frame", 1, false },
  { "p", 1, false },     { "q", 1, false },
};

static const int neighbour_places[8][2] = { { -1, 0 },  { 1, 0 },  { 0, -1 }, { 0, 1 },
                                            { -1, -1 }, { 1, -1 }, { -1, 1 }, { 1, 1 } };

typedef struct {
  KgProgram *programs[4];
  bool used[N_COLUMNS];
  double uniform[N_INPUTS];
  const float *from;
  KgImagePart in, out; /* of from, and of what is made */
  int width, height, step;
  double proxy; /* see kg_context_get_proxy: places are those of all pixels */
} Formulas;

static void
formulas_clear (Formulas *formulas)
{
  for (int c = 0; c < 4; c++)
    g_clear_pointer (&formulas->programs[c], kg_program_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Formulas, formulas_clear)

static void
fill_column (const Formulas *f, const ImageBlock *block, int input, double *to)
{
  const float *const channels[] = { block->r, block->g, block->b, block->a };

  for (size_t i = 0; i < block->n; i++) {
    const int column = f->out.x + block->x + (int) i, row = f->out.y + block->y;
    const double x = column + 0.5, y = f->height - row - 0.5;

    if (input < R) {
      to[i] = input == X ? x / f->proxy : input == Y ? y / f->proxy : input == U ? x / f->width : y / f->height;
    } else if (input < R2) {
      to[i] = (double) channels[input - R][i];
    } else if (input < NEIGHBOURS) {
      to[i] = block->others[0][input - R2] != NULL ? (double) block->others[0][input - R2][i] : 0;
    } else {
      const int *place = neighbour_places[(input - NEIGHBOURS) / 4];
      const int at = CLAMP (column + place[0] * f->step, 0, f->width - 1) - f->in.x;
      const int down = CLAMP (row + place[1] * f->step, 0, f->height - 1) - f->in.y;

      to[i] =
          (double) f
              ->from[4 * ((size_t) down * (size_t) f->in.part_width + (size_t) at) + (size_t) (input - NEIGHBOURS) % 4];
    }
  }
}

static void
expression_block (const ImageBlock *block, const void *data)
{
  const Formulas *f = (const Formulas *) data;
  float *const channels[] = { block->r, block->g, block->b, block->a };
  const double *inputs[N_INPUTS];
  double columns[N_COLUMNS][IMAGE_BLOCK], results[4][IMAGE_BLOCK];

  for (int k = 0; k < N_INPUTS; k++)
    inputs[k] = k < N_COLUMNS ? columns[k] : &f->uniform[k];
  for (int k = 0; k < N_COLUMNS; k++)
    if (f->used[k])
      fill_column (f, block, k, columns[k]);
  for (int c = 0; c < 4; c++)
    if (f->programs[c] != NULL)
      kg_program_run (f->programs[c], inputs, block->n, (double *const[]){ results[c] });
  for (int c = 0; c < 4; c++)
    for (size_t i = 0; f->programs[c] != NULL && i < block->n; i++)
      channels[c][i] =
          (float) kg_clamp (isnan (results[c][i]) ? 0 : results[c][i], -(double) FLT_MAX, (double) FLT_MAX);
}

/* Compiles the formula of a channel; an empty one leaves it as it is. */
static bool
compile (Formulas *formulas, int channel, const char *text, const char *name, GError **error)
{
  if (text[strspn (text, " \t\r\n")] == '\0')
    return true;
  formulas->programs[channel] =
      kg_formula_compile (text, expression_variables, G_N_ELEMENTS (expression_variables), error);
  if (formulas->programs[channel] == NULL) {
    g_prefix_error (error, "%s: ", name);
    return false;
  }
  if (kg_program_get_n_results (formulas->programs[channel]) != 1) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s: the formula gives %u numbers: write one", name,
                  kg_program_get_n_results (formulas->programs[channel]));
    return false;
  }
  for (guint k = 0; k < N_COLUMNS; k++)
    formulas->used[k] = formulas->used[k] || !kg_program_ignores_input (formulas->programs[channel], k);
  return true;
}

/* Neighbours are read wherever they are within the image. */
static bool
expression_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  const Expression *n = (const Expression *) job;

  (void) ctx;
  if (field == offsetof (Expression, image))
    *needed = kg_image_part_grow (*needed, (int) MIN (n->step, KG_IMAGE_MAX_SIDE));
  return true;
}

static bool
expression_evaluate (Expression *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const ImageParts parts = image_parts_of (ctx, offsetof (Expression, image), n->image);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = parts.in.width, height = parts.in.height;
  g_auto (Formulas) formulas = { .from = kg_image_get_pixels (before),
                                 .in = parts.in,
                                 .out = parts.out,
                                 .width = width,
                                 .height = height,
                                 .step = (int) n->step,
                                 .proxy = kg_context_get_proxy (ctx) };
  ImageSource other;

  formulas.uniform[WIDTH] = width / formulas.proxy;
  formulas.uniform[HEIGHT] = height / formulas.proxy;
  formulas.uniform[T] = ctx->time;
  formulas.uniform[FRAME] = ctx->frame;
  formulas.uniform[P] = n->p;
  formulas.uniform[Q] = n->q;
  if (!compile (&formulas, 0, n->red, "red", error) || !compile (&formulas, 1, n->green, "green", error) ||
      !compile (&formulas, 2, n->blue, "blue", error) || !compile (&formulas, 3, n->alpha, "alpha", error))
    return false;
  n->result = image_parts_cut (&parts, before, error);
  if (n->result == NULL)
    return false;
  g_clear_pointer (&n->image, kg_image_unref);
  other = image_source (n->other != NULL ? n->other : n->result, n->result, 0, 0);
  kg_image_make_writable (&n->result);
  return image_combine (&n->result, &other, n->other != NULL ? 1 : 0, &wear, expression_block, &formulas, &monitor);
}

#define FORMULA(name_, label_, def_, help_)                                                                            \
  KG_INPUT (Expression, name_, TEXT, .label = label_, .def_text = def_, .multiline = true, .manual = "expressions",    \
            .help = help_)

static const KgSlot expression_slots[] = {
  IMAGE_INPUT (Expression, N_ ("The image that the formulas read; the result is as large.")),
  FORMULA (
      red, N_ ("Red"), "r",
      N_ ("Formula of the red channel. For example, \"r * p\" multiplies it by the number p, and \"left.r\" is the red of the pixel to the left. Empty: the channel stays as it is.")),
  FORMULA (green, N_ ("Green"), "g", N_ ("Formula of the green channel.")),
  FORMULA (blue, N_ ("Blue"), "b", N_ ("Formula of the blue channel.")),
  FORMULA (alpha, N_ ("Alpha"), "a", N_ ("Formula of alpha.")),
  KG_INPUT (Expression, other, IMAGE, .label = N_ ("Other Image"), .optional = true,
            .help = N_ ("An image that the formulas read as r2, g2, b2 and a2. It is centred.")),
  KG_INPUT (Expression, p, NUMBER, .label = N_ ("p"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formulas: key it or link it.")),
  KG_INPUT (Expression, q, NUMBER, .label = N_ ("q"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formulas.")),
  KG_INPUT (Expression, step, INTEGER, .label = N_ ("Neighbours"), .unit = KG_PIXELS, .def = 1, .min = 0,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 16, .help = N_ ("Distance to the neighbouring pixels.")),
  IMAGE_WEAR (Expression, N_ ("The computed image.")),
};

KG_NODE (
    image, expression, Expression, .label = N_ ("Image Expression"), .version = 1, .since = "0.1",
    .region = expression_region, .time = KG_TIME_READS,
    .tags = N_ ("expression formula seexpr math channels shader code pixel shuffle swap copy invert procedural"),
    .help = N_ (
        "Computes each channel by a formula of the pixel, its place, its neighbours and another image. Formulas are compiled "
        "and run over blocks of pixels; where one has no value the channel is 0. Channels are shuffled by writing another "
        "channel's name."));
