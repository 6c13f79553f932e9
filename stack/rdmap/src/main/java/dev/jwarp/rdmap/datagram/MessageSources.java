package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Held;
import dev.jwarp.base.HeldTable;
import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.base.SourceKey;
import dev.jwarp.llp.datagram.DatagramAddress;

/**
 * The sources that make this side hold something now: half received messages, receives, answers to Reads. A source is
 * held by each of these, so there are no more sources than these. Owner thread only; allocates while it grows.
 */
final class MessageSources {
    /** What one source (address and port) makes this side hold. */
    static final class MessageSource extends Held<MessageSource> {
        final DatagramAddress address = new DatagramAddress();
        final LinkedPlaces<ListPlace<MessageRecord>> records = new LinkedPlaces<>();
        int receives;
        int jobs;

        /** UD: the turn of the answers to its Reads. */
        final ReadJob.AskerTurn asker = new ReadJob.AskerTurn();

        /** {@return whose share it has part of: that of its host, whatever its ports} */
        long sourceKey() {
            return address.ipv4() ? SourceKey.ofIpv4((int) address.low()) : SourceKey.ofIpv6(address.high());
        }
    }

    private final KeyedHash hash;
    private final HeldTable<MessageSource> table = new HeldTable<>(MessageSource::new);

    MessageSources(KeyedHash hash) {
        this.hash = hash;
    }

    /** {@return a random number, so that peers cannot choose addresses whose look-up is slow} */
    long secret() {
        return hash.number(0);
    }

    int size() {
        return table.size();
    }

    /** {@return the entry of a source, made if it is not there; {@link #release} follows} */
    MessageSource hold(DatagramAddress address) {
        long key = hash.source(address);
        for (MessageSource source = table.first(key); source != null; source = table.next(source)) {
            if (source.address.equals(address)) {
                return table.hold(source);
            }
        }
        MessageSource source = table.add(key);
        source.address.set(address);
        return source;
    }

    /** Gives one {@link #hold} back. */
    void release(MessageSource source) {
        table.release(source);
    }
}
