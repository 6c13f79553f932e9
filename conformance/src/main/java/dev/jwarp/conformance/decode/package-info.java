/**
 * What a passive observer makes of captured traffic: TCP streams put in order, MPA, DDP, RDMAP and datagram-iWARP taken apart, and what is wrong
 * with them by the catalogue. Sans-IO: packets in, items out.
 */
@NullMarked
package dev.jwarp.conformance.decode;

import org.jspecify.annotations.NullMarked;
