package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import org.jspecify.annotations.Nullable;

/** What one source (address and port) makes this side hold: half received messages, receives, answers to Reads. */
final class Source {
    final DatagramAddress address = new DatagramAddress();
    final RecordList records = new RecordList(RecordList.OF_SOURCE);
    long hash;
    int receives;
    int jobs;

    /** By how many it is held: records, jobs, whoever looks at it. */
    int held;

    /** The chain of the table, or of free ones. */
    @Nullable
    Source link;
}
