/* import-profile: ICC profiles through Little CMS: what they say of colours, as numbers that no library is needed for.
 *
 * A profile of curves and a matrix is handed on as these; one with tables as a table that the library has computed for the
 * way and the rendering intent that are requested.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-import-server.h"
#include "kg-math.h"

#include <glib/gi18n-lib.h>
#include <lcms2.h>
#include <string.h>
#include <unistd.h>

/* A display's profile has kilobytes, a printer's a few megabytes. */
#define MAX_BYTES ((uint64_t) 64 << 20)
/* Entries of a curve, and along a side of a table. */
#define CURVE 4096
#define TABLE 65

typedef struct {
  char reason[256]; /* what the library said last */
} Complaint;

static void
keep_message (cmsContext context, cmsUInt32Number code, const char *text)
{
  Complaint *complaint = (Complaint *) cmsGetContextUserData (context);

  (void) code;
  g_strlcpy (complaint->reason, text, sizeof complaint->reason);
}

/* (transfer full) (nullable) */
static void *
read_file (KgImportServer *server, size_t *length, GError **error)
{
  const char *path = kg_import_get_path (server);
  const int fd = kg_import_open (server, path, error);
  const uint64_t size = kg_import_get_size (server);
  g_autofree uint8_t *bytes = NULL;
  ssize_t n = 1;

  if (fd < 0)
    return NULL;
  if (size <= MAX_BYTES)
    bytes = (uint8_t *) g_try_malloc (MAX (size, 1));
  for (*length = 0; bytes != NULL && n > 0 && *length < size; *length += (size_t) MAX (n, 0))
    n = read (fd, bytes + *length, size - *length);
  close (fd);
  if (bytes != NULL && n > 0 && size > 0)
    return g_steal_pointer (&bytes);
  kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: it is not a readable colour profile", path);
  return NULL;
}

/* Curves and a matrix, in memory: 3 CURVE numbers, then 9. */
static bool
give_curves (KgImportServer *server, cmsHPROFILE profile, KgImportProfile *reply, GError **error)
{
  static const cmsTagSignature curves[] = { cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag };
  static const cmsTagSignature colors[] = { cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag };
  float *to = (float *) kg_import_take_memory (server, (3 * CURVE + 9) * sizeof *to, error);

  if (to == NULL)
    return false;
  for (int c = 0; c < 3; c++) {
    const cmsToneCurve *curve = (const cmsToneCurve *) cmsReadTag (profile, curves[c]);
    const cmsCIEXYZ *color = (const cmsCIEXYZ *) cmsReadTag (profile, colors[c]);

    if (curve == NULL || color == NULL) {
      kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: it lacks a curve or a primary", kg_import_get_path (server));
      return false;
    }
    for (int i = 0; i < CURVE; i++)
      to[c * CURVE + i] = cmsEvalToneCurveFloat (curve, (float) i / (CURVE - 1));
    to[3 * CURVE + c] = (float) color->X;
    to[3 * CURVE + 3 + c] = (float) color->Y;
    to[3 * CURVE + 6 + c] = (float) color->Z;
  }
  *reply = (KgImportProfile){ .is_table = 0, .size = CURVE };
  return true;
}

/* Linear light of BT.709 primaries and D65.  (nullable) */
static cmsHPROFILE
make_light (cmsContext context)
{
  static const cmsCIExyY white = { 0.3127, 0.3290, 1 };
  static const cmsCIExyYTRIPLE primaries = { { 0.64, 0.33, 1 }, { 0.30, 0.60, 1 }, { 0.15, 0.06, 1 } };
  cmsToneCurve *linear = cmsBuildGamma (context, 1);
  cmsHPROFILE light = NULL;

  if (linear != NULL)
    light = cmsCreateRGBProfileTHR (context, &white, &primaries, (cmsToneCurve *[]){ linear, linear, linear });
  cmsFreeToneCurve (linear);
  return light;
}

static bool
give_table (KgImportServer *server, cmsContext context, cmsHPROFILE profile, const KgImportRequest *request,
            KgImportProfile *reply, GError **error)
{
  const bool to_device = request->space != 0;
  cmsHPROFILE light = make_light (context);
  const cmsUInt32Number flags = cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE | cmsFLAGS_BLACKPOINTCOMPENSATION;
  cmsHTRANSFORM transform = light != NULL ? cmsCreateTransformTHR (context, to_device ? light : profile, TYPE_RGB_FLT,
                                                                   to_device ? profile : light, TYPE_RGB_FLT,
                                                                   request->join, flags)
                                          : NULL;
  float *to = transform != NULL
                  ? (float *) kg_import_take_memory (server, 3 * TABLE * TABLE * TABLE * sizeof *to, error)
                  : NULL;
  float line[3 * TABLE];

  for (int b = 0; to != NULL && b < TABLE; b++)
    for (int g = 0; g < TABLE; g++) {
      for (int r = 0; r < TABLE; r++) {
        const int places[] = { r, g, b };

        for (int c = 0; c < 3; c++) {
          const double x = (double) places[c] / (TABLE - 1);

          /* Light has its entries where the eye sees steps alike. */
          line[3 * r + c] = (float) (!to_device ? x : x <= 0.04045 ? x / 12.92 : pow ((x + 0.055) / 1.055, 2.4));
        }
      }
      cmsDoTransform (transform, line, to + 3 * TABLE * (TABLE * b + g), TABLE);
    }
  if (transform == NULL)
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  to_device ? N_ ("%s: it has no transform from light to its colours")
                            : N_ ("%s: it has no transform from its colours to light"),
                  kg_import_get_path (server));
  if (transform != NULL)
    cmsDeleteTransform (transform);
  if (light != NULL)
    cmsCloseProfile (light);
  *reply = (KgImportProfile){ .is_table = 1, .size = TABLE };
  return to != NULL;
}

static bool
give (KgImportServer *server, cmsContext context, cmsHPROFILE profile, const KgImportRequest *request,
      KgImportReply *reply, GError **error)
{
  const char *path = kg_import_get_path (server);

  if (cmsGetColorSpace (profile) != cmsSigRgbData) {
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "%s: it describes no colours of red, green and blue: choose the profile of a display, a camera or a "
                  "working space",
                  path);
    return false;
  }
  return cmsIsMatrixShaper (profile) ? give_curves (server, profile, &reply->profile, error)
                                     : give_table (server, context, profile, request, &reply->profile, error);
}

static bool
answer (KgImportServer *server, const KgImportRequest *request, KgImportReply *reply, GError **error)
{
  Complaint complaint = { "" };
  g_autofree void *bytes = NULL;
  cmsHPROFILE profile;
  cmsContext context;
  size_t length;
  bool good = false;

  if (request->operation != KG_IMPORT_READ || request->join > INTENT_ABSOLUTE_COLORIMETRIC) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the request is not for a colour profile");
    return false;
  }
  bytes = read_file (server, &length, error);
  if (bytes == NULL)
    return false;
  context = cmsCreateContext (NULL, &complaint);
  cmsSetLogErrorHandlerTHR (context, keep_message);
  profile = cmsOpenProfileFromMemTHR (context, bytes, (cmsUInt32Number) length);
  if (profile == NULL)
    kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: it is not a readable colour profile%s%s",
                  kg_import_get_path (server), complaint.reason[0] != '\0' ? ": " : "", complaint.reason);
  else {
    good = give (server, context, profile, request, reply, error);
    cmsCloseProfile (profile);
  }
  cmsDeleteContext (context);
  return good;
}

int
main (int argc, char **argv)
{
  static const KgImportReader reader = { .memory = (uint64_t) 512 << 20, .answer = answer };

  return kg_import_serve (argc, argv, &reader);
}
