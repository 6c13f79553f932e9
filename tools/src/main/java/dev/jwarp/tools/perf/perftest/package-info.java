/**
 * perftest's own exchange over the RDMA connection manager, so that its programs can be at the other end. What goes over
 * the wire is told in {@code docs/perftest-exchange.md}.
 */
@NullMarked
package dev.jwarp.tools.perf.perftest;

import org.jspecify.annotations.NullMarked;
