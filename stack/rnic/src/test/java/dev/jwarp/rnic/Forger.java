package dev.jwarp.rnic;

import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.transport.udp.wire.Crc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * An attacker who sees the datagrams to an address, modifies them, and sends them from any address (datagram-iWARP §16,
 * §17).
 */
final class Forger {
    private static final int SOURCE_QPN = 4;
    private static final int MESSAGE_ID = 12;
    private static final int SHIM = 24;
    private static final int COOKIE = 16;
    private static final int MSN = 10;

    private final SimDatagrams datagrams;
    private final InetSocketAddress victim;
    private final List<byte[]> seen = new ArrayList<>();
    private boolean watching = true;

    Forger(DatagramWorld world, InetSocketAddress victim) {
        this.datagrams = world.datagrams();
        this.victim = victim;
        datagrams.tap((from, to, octets, now) -> {
            if (watching && to.equals(victim)) {
                byte[] copy = new byte[octets.remaining()];
                octets.get(octets.position(), copy);
                seen.add(copy);
            }
        });
    }

    /** {@return the datagrams seen since the last call} */
    List<byte[]> seen() {
        List<byte[]> all = List.copyOf(seen);
        seen.clear();
        return all;
    }

    /** Stops recording. */
    void stopWatching() {
        watching = false;
        seen.clear();
    }

    /** {@return an IPv4 address} */
    static InetSocketAddress address(int first, int number) {
        try {
            byte[] octets = {(byte) first, (byte) (number >>> 16), (byte) (number >>> 8), (byte) number};
            return new InetSocketAddress(InetAddress.getByAddress(octets), 7174);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** {@return the same message from another queue pair, with another number} */
    static byte[] as(byte[] octets, int queuePairNumber, int messageId) {
        byte[] changed = octets.clone();
        ByteBuffer out = ByteBuffer.wrap(changed);
        out.putInt(SOURCE_QPN, (out.getInt(SOURCE_QPN) & 0xff00_0000) | queuePairNumber);
        out.putInt(MESSAGE_ID, messageId);
        int behind = SHIM + ((changed[SOURCE_QPN] & 2) != 0 ? COOKIE : 0);
        boolean data = (changed[0] & 0xf) == 0;
        if (data && (changed[behind] & 0x80) == 0) { // untagged: MSN = Message Id
            out.putInt(behind + MSN, messageId);
        }
        return sealed(changed);
    }

    /** {@return the same datagram with a correct CRC} */
    static byte[] sealed(byte[] octets) {
        new Crc().seal(ByteBuffer.wrap(octets), 0, octets.length - Crc.LENGTH);
        return octets;
    }

    void send(InetSocketAddress from, byte[] octets) {
        datagrams.send(from, victim, ByteBuffer.wrap(octets));
    }
}
