package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Held;
import dev.jwarp.base.HeldTable;
import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.base.SourceKey;
import dev.jwarp.llp.datagram.DatagramAddress;

/**
 * The sources that hold resources of this side: half received messages, receives, Read Responses. Each resource holds a
 * reference to its source, so there are never more sources than resources. Owner thread only; allocates while it grows.
 */
final class MessageSources {
    /** The resources that one source (address and port) holds. */
    static final class MessageSource extends Held<MessageSource> {
        final DatagramAddress address = new DatagramAddress();
        final LinkedPlaces<ListPlace<MessageRecord>> records = new LinkedPlaces<>();
        int receives;
        int jobs;

        /** UD: the turn of the responses to its Reads. */
        final ReadJob.AskerTurn asker = new ReadJob.AskerTurn();

        /** {@return the key of its share, which all ports of a host have in common} */
        long sourceKey() {
            return address.ipv4() ? SourceKey.ofIpv4((int) address.low()) : SourceKey.ofIpv6(address.high());
        }
    }

    private final KeyedHash hash;
    private final HeldTable<MessageSource> table = new HeldTable<>(MessageSource::new);

    MessageSources(KeyedHash hash) {
        this.hash = hash;
    }

    /** {@return a random number that keeps peers from choosing addresses whose hashes collide} */
    long secret() {
        return hash.number(0);
    }

    int size() {
        return table.size();
    }

    /** {@return the entry of a source, created if absent; the caller calls {@link #release} later} */
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

    /** Releases one {@link #hold}. */
    void release(MessageSource source) {
        table.release(source);
    }
}
