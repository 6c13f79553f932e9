package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Held;
import dev.jwarp.ddp.llp.datagram.DatagramAddress;

/** What one source (address and port) makes this side hold: half received messages, receives, answers to Reads. */
final class Source extends Held<Source> {
    final DatagramAddress address = new DatagramAddress();
    final RecordList records = new RecordList(RecordList.OF_SOURCE);
    int receives;
    int jobs;
}
