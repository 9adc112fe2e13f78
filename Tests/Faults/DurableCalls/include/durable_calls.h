#pragma once

/// Records the calls by which this process makes files below a folder durable, gives them names and removes them, in order.
///
/// A recording that has begun is ended with `durable_calls_end`.
struct durable_calls *_Nonnull durable_calls_begin(const char *_Nonnull folder);

/// Ends a recording and returns its calls, a line each: `sync PATH`, `name PATH` or `remove PATH`, with paths below the
/// folder; the caller frees the text.
char *_Nonnull durable_calls_end(struct durable_calls *_Nonnull recording);
