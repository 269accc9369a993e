/* tests/techniques/pieces: speed curves made of pieces and the intervals of acceleration profiles, against catalogue 30-40 to
 * 30-50.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "motion/acceleration_profile.h"
#include "motion/timing.h"

/* 30-46: what cannot be is refused with the interval in which it could; its ends are feasible, just beyond is not. */
static void
test_profile_intervals (void)
{
  static const struct {
    ProfileGiven given;
    AccelerationProfile profile; /* all but the quantity in question */
    size_t quantity;
    double low, high;
  } cases[] = {
    { PROFILE_TIMES, { .t1 = 0.3 }, G_STRUCT_OFFSET (AccelerationProfile, t2), 0.3, 1 },
    { PROFILE_T1_SPEED, { .t1 = 0.3 }, G_STRUCT_OFFSET (AccelerationProfile, speed), 2 / 1.7, 2 },
    { PROFILE_T2_SPEED, { .t2 = 0.75 }, G_STRUCT_OFFSET (AccelerationProfile, speed), 2 / 1.75, 2 },
    { PROFILE_ACCELERATION_T1,
      { .t1 = 0.3 },
      G_STRUCT_OFFSET (AccelerationProfile, acceleration),
      2 / (0.3 * 1.7),
      2 / 0.3 },
    { PROFILE_DECELERATION_T2,
      { .t2 = 0.75 },
      G_STRUCT_OFFSET (AccelerationProfile, deceleration),
      2 / (0.25 * 1.75),
      2 / 0.25 },
    { PROFILE_ACCELERATION_T2,
      { .t2 = 0.75 },
      G_STRUCT_OFFSET (AccelerationProfile, acceleration),
      2 / 0.75,
      INFINITY },
    { PROFILE_DECELERATION_T1, { .t1 = 0.3 }, G_STRUCT_OFFSET (AccelerationProfile, deceleration), 2 / 0.7, INFINITY },
    { PROFILE_ACCELERATION_SPEED,
      { .speed = 1.6 },
      G_STRUCT_OFFSET (AccelerationProfile, acceleration),
      1.6 * 1.6 / 1.2,
      INFINITY },
    { PROFILE_DECELERATION_SPEED,
      { .speed = 1.6 },
      G_STRUCT_OFFSET (AccelerationProfile, deceleration),
      1.6 * 1.6 / 1.2,
      INFINITY },
    { PROFILE_ACCELERATION_DECELERATION,
      { .deceleration = 6 },
      G_STRUCT_OFFSET (AccelerationProfile, acceleration),
      2 * 6 / 4.0,
      INFINITY },
    { PROFILE_ACCELERATION_DECELERATION_T1,
      { .acceleration = 2, .deceleration = 6 },
      G_STRUCT_OFFSET (AccelerationProfile, t1),
      1e-6,
      0.75 },
    { PROFILE_ACCELERATION_DECELERATION_T2,
      { .acceleration = 2, .deceleration = 6 },
      G_STRUCT_OFFSET (AccelerationProfile, t2),
      0.75,
      1 - 1e-6 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double beyond = 1e-6 * cases[i].low;

    for (int k = 0; k < 4; k++) {
      const double x = k == 0   ? cases[i].low - (cases[i].low > 1e-5 ? beyond : 1e-5)
                       : k == 1 ? cases[i].low
                       : k == 2 ? (isfinite (cases[i].high) ? cases[i].high : 1e9)
                                : cases[i].high + beyond;
      AccelerationProfile p = cases[i].profile;
      g_autoptr (GError) error = NULL;

      if (k == 3 && (!isfinite (cases[i].high) || cases[i].high == 1 - 1e-6))
        continue;
      p.distance = p.duration = 1;
      G_STRUCT_MEMBER (double, &p, cases[i].quantity) = x;
      if (k == 1 || k == 2) {
        g_assert_true (acceleration_profile_solve (&p, cases[i].given, false, &error));
        g_assert_no_error (error);
        g_assert_cmpfloat (p.t1, >=, 0);
        g_assert_cmpfloat (p.t1, <=, p.t2);
        g_assert_cmpfloat (p.t2, <=, 1);
        assert_near (p.speed * (1 + p.t2 - p.t1) / 2, p.distance, 1e-9);
      } else {
        g_assert_false (acceleration_profile_solve (&p, cases[i].given, false, &error));
        g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
        g_assert_nonnull (strstr (error->message, "must be"));
      }
    }
  }
}

/* The pieces under all of it. */
static void
test_pieces (void)
{
  g_autoptr (GError) error = NULL;
  static const double breaks[] = { 1, 2, 4 }, c[] = { 1, 0, 2, 5, 1, 0 };
  KgChannel *channel = kg_channel_new_pieces (2, 2, breaks, c, KG_EXTEND_HOLD, KG_EXTEND_LINEAR, &error);
  double x, low, high;

  g_assert_no_error (error);
  kg_channel_get_range (channel, &low, &high);
  assert_near (low, 1, 0);
  assert_near (high, 4, 0);
  /* 1 + 2 (x - 1)^2 up to 2, then a jump to 5 and (x - 2) / 2 more. */
  kg_channel_evaluate (channel, 1.5, &x);
  assert_near (x, 1.5, 1e-15);
  kg_channel_evaluate (channel, 2, &x);
  assert_near (x, 5, 0);
  kg_channel_evaluate (channel, 0, &x);
  assert_near (x, 1, 0);
  kg_channel_evaluate (channel, 6, &x);
  assert_near (x, 7, 1e-15);
  kg_channel_differentiate (channel, 1.5, &x);
  assert_near (x, 2, 1e-15);
  kg_channel_differentiate (channel, 3, &x);
  assert_near (x, 0.5, 1e-15);
  kg_channel_integrate (channel, 1, 4, &x);
  assert_near (x, 1 + 2 / 3.0 + 11, 1e-14);
  kg_channel_integrate (channel, 0, 1.5, &x);
  assert_near (x, 1 + 0.5 + 2 * 0.125 / 3, 1e-14);
  kg_channel_unref (channel);
  g_assert_null (kg_channel_new_pieces (2, 0, breaks, c, KG_EXTEND_HOLD, KG_EXTEND_HOLD, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_clear_error (&error);
  {
    static const double back[] = { 1, 1 };

    g_assert_null (kg_channel_new_pieces (2, 1, back, c, KG_EXTEND_HOLD, KG_EXTEND_HOLD, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
    g_clear_error (&error);
    g_assert_null (kg_channel_new_pieces (99, 1, breaks, c, KG_EXTEND_HOLD, KG_EXTEND_HOLD, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timing/30-46-intervals", test_profile_intervals);
  g_test_add_func ("/timing/pieces", test_pieces);
  return g_test_run ();
}
