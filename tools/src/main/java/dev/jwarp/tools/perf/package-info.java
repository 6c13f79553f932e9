/** {@code jwarp perf}: bandwidth, message rate and latency of each operation, in the format of perftest. */
@NullMarked
package dev.jwarp.tools.perf;

import org.jspecify.annotations.NullMarked;
