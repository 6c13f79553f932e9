/** The part of a context for datagrams: ports, queue pairs of type UD and RD, address handles, services. Internal. */
@NullMarked
package dev.jwarp.rnic.datagram;

import org.jspecify.annotations.NullMarked;
