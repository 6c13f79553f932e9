package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.HeldTable;
import dev.jwarp.llp.datagram.DatagramAddress;

/**
 * The sources that make this side hold something now: no more than there are records and Reads of peers. They are held by
 * these, and by whoever looks at them. Owner thread only; allocates while it grows.
 */
final class MessageSources {
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
