/** Pinging: rping of rdma-core over connections, and udping over datagrams. */
@NullMarked
package dev.jwarp.tools.ping;

import org.jspecify.annotations.NullMarked;
