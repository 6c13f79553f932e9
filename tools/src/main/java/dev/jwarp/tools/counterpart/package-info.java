/** The ends that rdma-core's ucmatose, rdma_server and rdma_client talk to. */
@NullMarked
package dev.jwarp.tools.counterpart;

import org.jspecify.annotations.NullMarked;
