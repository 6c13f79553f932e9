/** Single pieces of the data path, and a round trip between two ends in one thread, measured with JMH. */
@NullMarked
package dev.jwarp.benchmarks.pieces;

import org.jspecify.annotations.NullMarked;
