package dev.jwarp.verbs;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Converts the numeric form of a sender's address to an {@link InetSocketAddress}. */
final class SourceAddress {
    private static final long MAPPED = 0xffff;

    private SourceAddress() {}

    static InetSocketAddress of(long high, long low, int port, int scope) {
        try {
            if (high == 0 && low >>> Integer.SIZE == MAPPED) {
                byte[] four =
                        ByteBuffer.allocate(Integer.BYTES).putInt((int) low).array();
                return new InetSocketAddress(InetAddress.getByAddress(four), port);
            }
            byte[] sixteen = ByteBuffer.allocate(2 * Long.BYTES)
                    .putLong(high)
                    .putLong(low)
                    .array();
            return new InetSocketAddress(Inet6Address.getByAddress(null, sixteen, scope), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("4 and 16 bytes are always an address", e);
        }
    }
}
