/**
 * RDMAP over a connection: Write, Read, Send, Immediate Data, Atomics and Terminate (RFC 5040, RFC 7306). {@link
 * dev.jwarp.rdmap.RdmapStream} has one object of each class below.
 *
 * <ul>
 *   <li>Send: {@code SendSide} begins and completes the operations of the send queue in order; {@code MessageWriter}
 *       and {@code UlpduSegments} write their segments. {@code OutboundTurns} chooses whether a response or an
 *       operation is next.
 *   <li>Receive: {@code InboundMessages} takes each segment. A tagged one goes to {@link dev.jwarp.ddp.TaggedAccess}, which
 *       checks STag, rights and bounds and places it; a Send goes to {@code PostedReceives}.
 *   <li>Read: {@code OutstandingRequests} holds our Reads and Atomics; {@code InboundRequests} holds and answers the
 *       peer's.
 *   <li>End: {@code StreamLife} holds the state of the stream, {@code Termination} our Terminate, {@code
 *       LowerConnection} the state of the connection.
 * </ul>
 */
@NullMarked
package dev.jwarp.rdmap;

import org.jspecify.annotations.NullMarked;
