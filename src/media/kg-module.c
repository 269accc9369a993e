/* kg-module: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-module.h"

#include "kg-data.h"

#include <dlfcn.h>

/* (nullable) What the module exports under this name.  It stays loaded: libraries like those of FFmpeg do not let themselves be
 * unloaded. */
static gconstpointer
load (const char *name, const char *symbol, GError **error)
{
  g_autofree char *file = g_strconcat (name, ".so", NULL), *path = kg_data_find_module (file);
  void *module = path != NULL ? dlopen (path, RTLD_NOW | RTLD_LOCAL) : NULL;
  gconstpointer found = module != NULL ? dlsym (module, symbol) : NULL;

  if (found != NULL)
    return found;
  if (path == NULL)
    kg_set_error (error, KG_ERROR_IO, "the module %s is missing: install Kineograph again", file);
  else
    kg_set_error (error, KG_ERROR_IO, "the module %s cannot be loaded: %s", path, dlerror ());
  return NULL;
}

const KgMovieModule *
kg_module_get_movie (GError **error)
{
  static gconstpointer module;
  gconstpointer found = g_atomic_pointer_get (&module);

  if (found == NULL) {
    found = load ("kineograph-encode-movie", "kg_encode_movie", error);
    g_atomic_pointer_set (&module, found);
  }
  return (const KgMovieModule *) found;
}

const KgMeshModule *
kg_module_get_mesh (GError **error)
{
  static gconstpointer module;
  gconstpointer found = g_atomic_pointer_get (&module);

  if (found == NULL) {
    found = load ("kineograph-encode-mesh", "kg_encode_mesh", error);
    g_atomic_pointer_set (&module, found);
  }
  return (const KgMeshModule *) found;
}
