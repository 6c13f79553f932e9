/** {@code jwarp proxy}: streams go over TCP on one side and over RDMA on the other. */
@NullMarked
package dev.jwarp.tools.proxy;

import org.jspecify.annotations.NullMarked;
