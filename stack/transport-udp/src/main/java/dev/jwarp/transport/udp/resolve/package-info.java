/** Queue pairs that are found by the id of their service (datagram-iWARP §10): questions to other ports, and answers of this one. */
@NullMarked
package dev.jwarp.transport.udp.resolve;

import org.jspecify.annotations.NullMarked;
