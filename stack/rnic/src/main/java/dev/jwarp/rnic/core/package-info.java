/**
 * What everything that is made from a context needs: settings, limits, counters, async events. Internal: it knows nothing of
 * what is made from it, and of the RNIC only {@code dev.jwarp.rnic.progress}.
 */
@NullMarked
package dev.jwarp.rnic.core;

import org.jspecify.annotations.NullMarked;
