package dev.jwarp.llp.datagram;

/**
 * A message as the port below sees it: what the segments given to {@link SegmentWriter} belong to. The port compares it by
 * identity and hands it back to the {@link DatagramUpperLayer} that made it, and does nothing else with it.
 */
public interface OutboundMessage {}
