package dev.jwarp.rdmap.datagram;

import org.jspecify.annotations.Nullable;

/** A Read of ours that is not answered. Reused; owner thread only. */
final class OutstandingRead {
    final Deadline<OutstandingRead> deadline = new Deadline<>(this);

    @Nullable
    DatagramOperation operation;

    int messageId;

    long size;
    int challenges;

    /** What has arrived, once a segment of an answer of several has. */
    @Nullable
    MessageRecord record;

    /** The chain of the table, or of free ones. */
    @Nullable
    OutstandingRead link;
}
