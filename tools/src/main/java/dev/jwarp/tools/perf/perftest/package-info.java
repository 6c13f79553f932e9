/**
 * perftest's own exchange over the RDMA connection manager, so that the other end can be a program of perftest. {@code
 * docs/perftest-exchange.md} specifies the messages.
 */
@NullMarked
package dev.jwarp.tools.perf.perftest;

import org.jspecify.annotations.NullMarked;
