/**
 * What every layer needs and no RFC describes: limited resources, divided fairly among peers, failures that are told, timers,
 * lists, doorbells, counters and settings. No sockets, threads or clocks.
 */
@NullMarked
package dev.jwarp.base;

import org.jspecify.annotations.NullMarked;
