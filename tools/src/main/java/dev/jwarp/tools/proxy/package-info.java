/** {@code jwarp proxy}: forwards streams between TCP and RDMA, and datagrams between UDP and RDMA. */
@NullMarked
package dev.jwarp.tools.proxy;

import org.jspecify.annotations.NullMarked;
