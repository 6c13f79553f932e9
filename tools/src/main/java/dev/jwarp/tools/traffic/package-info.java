/** Moves messages over the verbs and measures that, for {@code jwarp perf}, its perftest mode and the benchmarks. */
@NullMarked
package dev.jwarp.tools.traffic;

import org.jspecify.annotations.NullMarked;
