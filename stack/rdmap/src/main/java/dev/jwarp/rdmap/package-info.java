/**
 * RDMAP over a connection: Write, Read, Send, Immediate Data, Atomics and Terminate (RFC 5040, RFC 7306). {@link
 * dev.jwarp.rdmap.RdmapStream} has one object of each class below.
 *
 * <ul>
 *   <li>Send: {@code SendSide} begins and completes the operations of the send queue in order; {@code MessageWriter} and
 *       {@code UlpduSegments} write their segments. {@code OutboundTurns} says whether an answer or an operation is next.
 *   <li>Receive: {@code InboundMessages} takes each segment. A tagged one goes to {@link dev.jwarp.ddp.TaggedAccess}, which
 *       checks STag, rights and bounds and places it; a Send goes to {@code PostedReceives}.
 *   <li>Read: {@code OutstandingRequests} has our Reads and Atomics, {@code InboundRequests} has the peer's and answers
 *       them.
 *   <li>End: {@code StreamLife} has the state, {@code Termination} our Terminate, {@code LowerConnection} how far the
 *       connection has come.
 * </ul>
 */
@NullMarked
package dev.jwarp.rdmap;

import org.jspecify.annotations.NullMarked;
