/** The interface of a lower layer for datagrams: without connections, unordered and lossy. */
@NullMarked
package dev.jwarp.llp.datagram;

import org.jspecify.annotations.NullMarked;
