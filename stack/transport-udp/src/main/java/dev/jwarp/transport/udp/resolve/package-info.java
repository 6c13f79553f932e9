/**
 * Look-up of queue pairs by the id of their service (datagram-iWARP §R.1): questions to other ports, and answers to
 * them.
 */
@NullMarked
package dev.jwarp.transport.udp.resolve;

import org.jspecify.annotations.NullMarked;
