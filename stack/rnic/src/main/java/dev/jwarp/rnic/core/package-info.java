/** What everything that is made from a context needs: settings, limits, counters, async events. Internal. */
@NullMarked
package dev.jwarp.rnic.core;

import org.jspecify.annotations.NullMarked;
