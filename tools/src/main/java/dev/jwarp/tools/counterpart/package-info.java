/** Peers for rdma-core's ucmatose, rdma_server and rdma_client. */
@NullMarked
package dev.jwarp.tools.counterpart;

import org.jspecify.annotations.NullMarked;
