/** What a peer costs in memory: datagrams and connections. */
@NullMarked
package dev.jwarp.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
