package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Held;
import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.base.SourceKey;
import dev.jwarp.llp.datagram.DatagramAddress;

/** What one source (address and port) makes this side hold: half received messages, receives, answers to Reads. */
final class MessageSource extends Held<MessageSource> {
    final DatagramAddress address = new DatagramAddress();
    final LinkedPlaces<RecordPlace> records = new LinkedPlaces<>();
    int receives;
    int jobs;

    /** UD: the turn of the answers to its Reads. */
    final AskerTurn asker = new AskerTurn();

    /** {@return whose share it has part of: that of its host, whatever its ports} */
    long sourceKey() {
        return address.ipv4() ? SourceKey.ofIpv4((int) address.low()) : SourceKey.ofIpv6(address.high());
    }
}
