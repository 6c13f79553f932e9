/** {@code jwarp perf}: bandwidth, message rate and latency of each operation, in perftest's habits. */
@NullMarked
package dev.jwarp.tools.perf;

import org.jspecify.annotations.NullMarked;
