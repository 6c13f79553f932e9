/** Observes a running process, as iproute2's {@code rdma} observes the kernel. */
@NullMarked
package dev.jwarp.tools.stat;

import org.jspecify.annotations.NullMarked;
