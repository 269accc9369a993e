/* edit/shots: sequences and shots of a production, and the frames in them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  double frame;
  const KgTable *shots;
  int64_t find_row;
  double find_frame;
  int64_t row;
  int64_t sequence;
  int64_t shot;
  double local;
  double time;
  double found;
  double total;
  int64_t sequences;
  KgTable *starts;
} Shots;

enum { SHOTS_SEQUENCE, SHOTS_FRAMES, SHOTS_FIRST, N_SHOTS_COLUMNS };

static const KgTableColumn shots_columns[] = {
  [SHOTS_SEQUENCE] = { "sequence", N_ ("Sequence"), 0, false },
  [SHOTS_FRAMES] = { "frames", N_ ("Frames"), 0, false },
  [SHOTS_FIRST] = { "first", N_ ("First"), 1, true },
  KG_TABLE_COLUMNS_END,
};

enum { STARTS_SEQUENCE, STARTS_SHOT, STARTS_AT, STARTS_FRAMES, N_STARTS };

static const char *const starts_columns[N_STARTS] = {
  [STARTS_SEQUENCE] = "sequence",
  [STARTS_SHOT] = "shot",
  [STARTS_AT] = "at",
  [STARTS_FRAMES] = "frames",
};

static bool
shots_check (const Shots *n, GError **error)
{
  const size_t rows = kg_table_get_n_rows (n->shots);

  if (rows == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are no shots: add a row with a sequence and a number of frames");
    return false;
  }
  for (size_t i = 0; i < rows; i++) {
    const double *row = kg_table_get_row (n->shots, i), sequence = row[SHOTS_SEQUENCE], frames = row[SHOTS_FRAMES];

    if (sequence != floor (sequence) || fabs (sequence) > 1e9) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu: the sequence is %g: give a whole number", i + 1, sequence);
      return false;
    }
    if (!(frames >= 1) || frames != floor (frames) || frames > 1e9) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu: a shot has %g frames: give a whole number of at least 1",
                    i + 1, frames);
      return false;
    }
  }
  return true;
}

static bool
shots_evaluate (Shots *n, const KgContext *ctx, GError **error)
{
  const size_t rows = kg_table_get_n_rows (n->shots);
  const double asked = n->frame - ctx->start;
  double passed = 0;
  int64_t shot = 0;

  if (!shots_check (n, error))
    return false;
  if (n->find_row > (int64_t) rows) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "there is no shot in row %d: there are %zu", (int) n->find_row, rows);
    return false;
  }
  n->starts = kg_table_new (N_STARTS, starts_columns, rows, error);
  if (n->starts == NULL)
    return false;
  for (size_t i = 0; i < rows; i++) {
    const double *row = kg_table_get_row (n->shots, i), frames = row[SHOTS_FRAMES];
    const bool new_sequence = i == 0 || row[SHOTS_SEQUENCE] != kg_table_get_row (n->shots, i - 1)[SHOTS_SEQUENCE];
    double *starts = kg_table_edit (n->starts) + i * N_STARTS;

    shot = new_sequence ? 1 : shot + 1;
    n->sequences += new_sequence;
    starts[STARTS_SEQUENCE] = row[SHOTS_SEQUENCE];
    starts[STARTS_SHOT] = (double) shot;
    starts[STARTS_AT] = ctx->start + passed;
    starts[STARTS_FRAMES] = frames;
    /* Before the first shot and after the last one, these go on. */
    if (i == 0 || asked >= passed - 1e-6) {
      n->row = (int64_t) i + 1;
      n->sequence = (int64_t) row[SHOTS_SEQUENCE];
      n->shot = shot;
      n->local = row[SHOTS_FIRST] + asked - passed;
    }
    if ((int64_t) i + 1 == n->find_row) {
      n->found = ctx->start + passed + n->find_frame - row[SHOTS_FIRST];
      if (n->find_frame < row[SHOTS_FIRST] || n->find_frame >= row[SHOTS_FIRST] + frames)
        kg_context_warn (ctx, "frame %g is not in the shot of row %zu, which has the frames %g to %g", n->find_frame,
                         i + 1, row[SHOTS_FIRST], row[SHOTS_FIRST] + frames - 1);
    }
    passed += frames;
  }
  n->total = passed;
  n->time = (n->local - ctx->start) / ctx->rate;
  if (asked < -1e-6 || asked >= passed - 1e-6)
    kg_context_warn (ctx, "frame %g is outside the shots, which have the frames %g to %g", n->frame, ctx->start,
                     ctx->start + passed - 1);
  return true;
}

static const KgSlot shots_slots[] = {
  KG_INPUT (Shots, frame, NUMBER, .label = N_ ("Frame"), .unit = KG_FRAMES, .driver = KG_DRIVER_FRAME, .min = -1e9,
            .max = 1e9, .soft_min = 1, .soft_max = 240,
            .help = N_ ("Frame of the production. Without a link it is the current frame.")),
  KG_INPUT (
      Shots, shots, TABLE, .label = N_ ("Shots"), .columns = shots_columns, .def_text = "1 240 1",
      .help = N_ ("The shots in order, one per row: the number of the sequence, the number of frames in the shot, "
                  "and the number of its first frame.")),
  KG_INPUT (Shots, find_row, INTEGER, .label = N_ ("Find Row"), .def = 1, .min = 1, .max = 1000000, .soft_max = 50,
            .group = N_ ("Find"), .help = N_ ("To find a frame in the production: the row of its shot, ...")),
  KG_INPUT (Shots, find_frame, NUMBER, .label = N_ ("Find Frame"), .unit = KG_FRAMES, .def = 1, .min = -1e9, .max = 1e9,
            .soft_min = 1, .soft_max = 240, .group = N_ ("Find"), .help = N_ ("... and its frame in that shot.")),
  KG_OUTPUT (Shots, row, INTEGER, .label = N_ ("Row"), .help = N_ ("The row of the shot.")),
  KG_OUTPUT (Shots, sequence, INTEGER, .label = N_ ("Sequence"), .help = N_ ("Sequence of the shot.")),
  KG_OUTPUT (Shots, shot, INTEGER, .label = N_ ("Shot"), .help = N_ ("Number of the shot in its sequence, from 1.")),
  KG_OUTPUT (Shots, local, NUMBER, .label = N_ ("Shot frame"), .unit = KG_FRAMES,
             .help = N_ ("The frame in the shot.")),
  KG_OUTPUT (Shots, time, NUMBER, .label = N_ ("Shot time"), .unit = KG_SECONDS,
             .help = N_ ("The time of that frame, for Time Shift.")),
  KG_OUTPUT (Shots, found, NUMBER, .label = N_ ("Found frame"), .unit = KG_FRAMES,
             .help = N_ ("The frame in the production of Find Row and Find Frame.")),
  KG_OUTPUT (Shots, total, NUMBER, .label = N_ ("Total"), .unit = KG_FRAMES,
             .help = N_ ("Number of frames in all shots.")),
  KG_OUTPUT (Shots, sequences, INTEGER, .label = N_ ("Sequences"),
             .help = N_ ("Number of sequences: runs of shots with the same sequence number.")),
  KG_OUTPUT (Shots, starts, TABLE, .label = N_ ("Starts"),
             .help = N_ ("One row per shot: its sequence, its number, the frame where it begins, and its number of "
                         "frames.")),
};

KG_NODE (
    edit, shots, Shots, .label = N_ ("Shots"), .version = 1, .since = "0.1",
    .tags = N_ ("production sequence scene shot breakdown slate frame number schedule"),
    .source = "Parent, Computer Animation, 1.3",
    .help = N_ (
        "Divides a production into sequences and shots. Finds the shot that contains a frame, and the frame within "
        "that shot; or, in the other direction, the frame of the production for a frame of a shot."));
