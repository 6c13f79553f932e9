/** Looks at a running process: what iproute2's {@code rdma} tells of a kernel. */
@NullMarked
package dev.jwarp.tools.stat;

import org.jspecify.annotations.NullMarked;
