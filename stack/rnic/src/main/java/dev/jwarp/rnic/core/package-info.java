/**
 * The parts of a context that all its objects use: settings, limits, counters, async events. Internal. In the RNIC,
 * this package depends only on {@code dev.jwarp.rnic.progress}.
 */
@NullMarked
package dev.jwarp.rnic.core;

import org.jspecify.annotations.NullMarked;
