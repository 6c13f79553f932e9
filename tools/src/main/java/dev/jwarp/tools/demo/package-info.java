/** The demo: a file through RDMA Write, RDMA Read and Send/Receive, in one JVM. */
@NullMarked
package dev.jwarp.tools.demo;

import org.jspecify.annotations.NullMarked;
