/** Single pieces of the data path, measured with JMH, without sockets. */
@NullMarked
package dev.jwarp.benchmarks.pieces;

import org.jspecify.annotations.NullMarked;
