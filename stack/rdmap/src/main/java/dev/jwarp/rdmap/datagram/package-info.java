/**
 * RDMAP over datagrams: Sends, Writes, Write-Records and Reads without a connection (datagram-iWARP). {@link
 * dev.jwarp.rdmap.datagram.DatagramEndpoint} has one object of each class below.
 *
 * <ul>
 *   <li>Send: {@code DatagramSends} begins operations and lets destinations take turns ({@code PeerTurns}); {@code
 *       OutboundSegments} writes segments; {@code SendEnds} completes operations.
 *   <li>Receive: {@code InboundSegments} takes each segment and makes checks 11 to 16. Then {@code InboundSends}, {@code
 *       InboundWrites} and {@code InboundReads} make checks 17 to 19; STag, rights and bounds are checked by {@link
 *       dev.jwarp.ddp.TaggedAccess}. {@code InboundSegment} is the segment, {@code Refusal} what is wrong with it.
 *   <li>Records: {@code Records} has the half received messages; {@code MessageEnds} ends them; {@code RecordLog} tells of
 *       Write-Records; {@code SeenMessages} knows what has ended.
 *   <li>Read: {@code OutstandingReads} has our Reads, {@code ReadAnswers} their answers, {@code PeerReplies} all else that
 *       peers say of our messages; {@code ReadJobs} has the Reads of peers.
 * </ul>
 */
@NullMarked
package dev.jwarp.rdmap.datagram;

import org.jspecify.annotations.NullMarked;
