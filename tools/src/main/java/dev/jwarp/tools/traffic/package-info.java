/** What moves messages over the verbs and measures it: under {@code jwarp perf}, under its perftest mode and under the benchmarks. */
@NullMarked
package dev.jwarp.tools.traffic;

import org.jspecify.annotations.NullMarked;
