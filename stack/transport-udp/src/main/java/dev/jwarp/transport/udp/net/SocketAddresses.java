package dev.jwarp.transport.udp.net;

import dev.jwarp.ddp.DatagramAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Turns addresses as numbers into addresses for sockets, without an allocation for those used lately: one entry for each
 * value of a hash, the last one asked for. Owner thread only.
 */
public final class SocketAddresses {
    private static final int ENTRIES = 1_024;

    private final @Nullable DatagramAddress[] numbers = new DatagramAddress[ENTRIES];
    private final @Nullable InetSocketAddress[] addresses = new InetSocketAddress[ENTRIES];

    /** Knows none yet. */
    public SocketAddresses() {}

    /** {@return the same end, for sockets} */
    public InetSocketAddress of(DatagramAddress address) {
        int index = address.hashCode() & (ENTRIES - 1);
        InetSocketAddress known = addresses[index];
        if (known == null || !address.equals(numbers[index])) {
            known = address.toSocketAddress();
            numbers[index] = address.copy();
            addresses[index] = known;
        }
        return known;
    }
}
