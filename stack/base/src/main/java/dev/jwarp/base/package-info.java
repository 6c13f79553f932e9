/**
 * Building blocks of all layers: resources shared fairly among peers, reports of failures, timers, lists, doorbells,
 * counters and settings. No sockets, threads or clocks.
 */
@NullMarked
package dev.jwarp.base;

import org.jspecify.annotations.NullMarked;
