/**
 * RDMAP over datagrams: Sends, Writes, Write-Records and Reads without a connection (datagram-iWARP). {@link
 * dev.jwarp.rdmap.datagram.DatagramEndpoint} has one object of each class below.
 *
 * <ul>
 *   <li>Send: {@code DatagramSends} begins operations, with a round robin of the destinations ({@code PeerTurns});
 *       {@code OutboundSegments} writes segments; {@code SendEnds} completes operations.
 *   <li>Receive: {@code InboundSegments} makes checks 11 to 16 on each segment; {@code InboundSends}, {@code
 *       InboundWrites} and {@code InboundReads} make checks 17 to 19; STag, rights and bounds are checked by {@link
 *       dev.jwarp.ddp.TaggedAccess}. {@code InboundSegment} is the segment, {@code Refusal} the error in it.
 *   <li>Records: {@code Records} holds the half received messages; {@code MessageEnds} ends them; {@code RecordLog}
 *       reports Write-Records; {@code SeenMessages} remembers ended messages.
 *   <li>Read: {@code OutstandingReads} holds our Reads, {@code ReadAnswers} processes the responses, {@code
 *       PeerReplies} all other replies of peers; {@code ReadJobs} answers the Reads of peers.
 * </ul>
 */
@NullMarked
package dev.jwarp.rdmap.datagram;

import org.jspecify.annotations.NullMarked;
