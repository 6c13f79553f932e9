/**
 * The passive decoder: puts TCP streams of captured traffic in order, parses MPA, DDP, RDMAP and datagram-iWARP, and
 * reports breaches of the catalogue's requirements. Sans-IO: packets in, items out.
 */
@NullMarked
package dev.jwarp.conformance.decode;

import org.jspecify.annotations.NullMarked;
