/** {@code jwarp proxy}: streams go over TCP on one side and over RDMA on the other, or datagrams over UDP. */
@NullMarked
package dev.jwarp.tools.proxy;

import org.jspecify.annotations.NullMarked;
