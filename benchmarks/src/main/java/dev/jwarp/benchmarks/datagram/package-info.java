/** Datagrams beside connections: the same operations over UD and over RC, measured in turn in one run; and their memory. */
@NullMarked
package dev.jwarp.benchmarks.datagram;

import org.jspecify.annotations.NullMarked;
