/** The demo: moves a file by RDMA Write, RDMA Read and Send/Receive, and in datagrams, within one JVM. */
@NullMarked
package dev.jwarp.tools.demo;

import org.jspecify.annotations.NullMarked;
