/* kg-settings: preferences, and what windows remember.
 *
 * Everything is a property, so that widgets bind to it and "notify" reports changes.  The values are kept by
 * GSettings where the schema is installed; without it they last as long as the program.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gio/gio.h>
#include <glib-object.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef enum { KG_THEME_FOLLOW, KG_THEME_DARK, KG_THEME_LIGHT } KgTheme;
#define KG_TYPE_THEME (kg_theme_get_type ())
GType kg_theme_get_type (void);

/* Which nodes begin with a small image. */
typedef enum { KG_THUMBNAILS_NONE, KG_THUMBNAILS_MOTIONS, KG_THUMBNAILS_ALL } KgThumbnails;
#define KG_TYPE_THUMBNAILS (kg_thumbnails_get_type ())
GType kg_thumbnails_get_type (void);

/* Properties:
 *   theme                KgTheme
 *   autosave-seconds     guint, 5 to 600
 *   snap-to-grid         gboolean: nodes on the canvas
 *   thumbnails           KgThumbnails: on the canvas
 *   cache-megabytes      guint, 64 to 1048576: memory for results, of each window
 *   recent-folder        char *: where files were opened or saved last; "" at first
 *   favourite-presets    char *: their ids with blanks between; "" at first
 *   sound-volume         double, 0 to 1: of what is played
 *   sound-mute           gboolean
 *   window-width, window-height  int
 *   window-maximized     gboolean
 *   side-position        int: pane between the canvas and what is beside it; -1: as the window likes
 *   lower-position       int: pane between the viewport and the canvas; -1 */
#define KG_TYPE_SETTINGS (kg_settings_get_type ())
G_DECLARE_FINAL_TYPE (KgSettings, kg_settings, KG, SETTINGS, GObject)

/* (transfer none) The one of the program. */
KgSettings *kg_settings_get_default (void);
/* False when nothing outlasts the program. */
bool kg_settings_are_saved (KgSettings *settings);

KgTheme kg_settings_get_theme (KgSettings *settings);
guint kg_settings_get_autosave_seconds (KgSettings *settings);
bool kg_settings_get_snap_to_grid (KgSettings *settings);
KgThumbnails kg_settings_get_thumbnails (KgSettings *settings);
/* Bytes. */
guint64 kg_settings_get_cache_budget (KgSettings *settings);
const char *kg_settings_get_recent_folder (KgSettings *settings);
void kg_settings_set_recent_folder (KgSettings *settings, const char *folder);
bool kg_settings_is_favourite (KgSettings *settings, const char *preset_id);
void kg_settings_set_favourite (KgSettings *settings, const char *preset_id, bool favourite);

/* The node types that were added last, the last one first. */
#define KG_MOST_RECENT_NODES 6
/* (transfer full) */
char **kg_settings_dup_recent_nodes (KgSettings *settings);
void kg_settings_add_recent_node (KgSettings *settings, const char *type_id);

/* Frames are kept to be played: 0: none; else the pixels along a side for one that is kept (1, 2, 4). */
guint kg_settings_get_keep_frames (KgSettings *settings);

G_END_DECLS
