/** Ports, datagram queue pairs and services. Internal. */
@NullMarked
package dev.jwarp.rnic.datagram;

import org.jspecify.annotations.NullMarked;
