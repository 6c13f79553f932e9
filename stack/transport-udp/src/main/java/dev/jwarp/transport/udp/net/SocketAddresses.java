package dev.jwarp.transport.udp.net;

import dev.jwarp.llp.datagram.DatagramAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A cache from numeric addresses to socket addresses, which saves allocations. Two-way set associative, so that two
 * peers never evict each other. Owner thread only.
 */
public final class SocketAddresses {
    private static final int ENTRIES = 1_024;

    private final @Nullable DatagramAddress[] numbers = new DatagramAddress[ENTRIES];
    private final @Nullable InetSocketAddress[] addresses = new InetSocketAddress[ENTRIES];

    /** {@return the socket address} */
    public InetSocketAddress of(DatagramAddress address) {
        int newer = address.hashCode() & (ENTRIES - 2);
        int older = newer + 1;
        InetSocketAddress known = known(newer, address);
        if (known == null) {
            known = known(older, address);
        }
        if (known == null) {
            numbers[older] = numbers[newer];
            addresses[older] = addresses[newer];
            known = address.toSocketAddress();
            numbers[newer] = address.copy();
            addresses[newer] = known;
        }
        return known;
    }

    private @Nullable InetSocketAddress known(int index, DatagramAddress address) {
        return address.equals(numbers[index]) ? addresses[index] : null;
    }
}
