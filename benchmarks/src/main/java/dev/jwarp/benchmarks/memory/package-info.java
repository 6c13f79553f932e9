/** Memory cost of a peer: datagrams and connections. */
@NullMarked
package dev.jwarp.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
