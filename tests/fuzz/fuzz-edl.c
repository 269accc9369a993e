/* fuzz-edl: any bytes may be read as an edit decision list.  What is read can be written and read again, and is the same then:
 * as many clips, which show the same frames.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "edit/edit_list.h"

#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static const TimecodeRule rule = { 24, false };

/* Its clips; NULL when it cannot be read. */
static GArray *
read_list (const char *text, GArray *reels, EditClock *clock)
{
  GArray *clips = g_array_new (FALSE, FALSE, sizeof (Clip));
  g_auto (EditListNotes) notes = { .title = NULL };
  g_autoptr (GError) error = NULL;

  if (edit_list_read (text, clock, reels, clips, &notes, &error)) {
    g_assert_no_error (error);
    return clips;
  }
  g_assert_nonnull (error);
  g_array_unref (clips);
  return NULL;
}

static void
check_clips (const GArray *clips)
{
  g_autofree ClipShown *shown = g_new (ClipShown, clips->len + 1);
  const Clip *all = (const Clip *) (void *) clips->data;
  const double end = clips_get_end (all, clips->len, 1);

  g_assert_true (isfinite (end));
  for (int i = 0; i <= 10; i++) {
    const guint n = clips_find (all, clips->len, floor (1 + (end - 1) * i / 10), shown);

    g_assert_cmpuint (n, <=, clips->len);
    for (guint k = 0; k < n; k++)
      g_assert_true (isfinite (shown[k].frame) && shown[k].share >= 0 && shown[k].share <= 1);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup ((const char *) data, size), *list = NULL;
  g_autoptr (GArray) reels = edit_reels_read ("A001 01:00:00:00\nA002\n", rule, NULL), clips = NULL, again = NULL;
  EditClock clock = { rule, 1, -1 };

  if (!g_utf8_validate (text, -1, NULL))
    return 0;
  clips = read_list (text, reels, &clock);
  if (clips == NULL)
    return 0;
  check_clips (clips);
  list = edit_list_write ((const Clip *) (void *) clips->data, clips->len, reels, "list", &clock, NULL);
  g_assert_nonnull (list);
  again = read_list (list, reels, &clock);
  g_assert_nonnull (again);
  check_clips (again);
  return 0;
}
