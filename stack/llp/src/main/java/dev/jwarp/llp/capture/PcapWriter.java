package dev.jwarp.llp.capture;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes TCP segments and UDP datagrams to a capture file for Wireshark: classic pcap with nanoseconds, raw IPv4. The
 * IP, TCP and UDP headers are synthetic; addresses other than IPv4 are mapped to 10.0.0.0/8.
 *
 * <p>Any thread; calls are serialized. A write failure, for instance on a full disk, does not affect the captured
 * traffic: it is reported once, and the rest is omitted.
 */
public final class PcapWriter implements Closeable {
    /** Bytes of payload in the largest IPv4 packet: 65,535 less the two headers. */
    public static final int LARGEST_PAYLOAD = 65_535 - PcapPacket.IP_HEADER - PcapPacket.TCP_HEADER;

    private static final int MAGIC_NANOSECONDS = 0xa1b2_3c4d;
    private static final short MAJOR = 2;
    private static final short MINOR = 4;
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;
    private static final int SNAP_LENGTH = 1 << 18;
    private static final int LINK_TYPE_RAW = 101;
    private static final int MADE_UP_NET = 10 << 24;

    private final OutputStream out;
    private final long epochNanos;
    private final PcapPacket packet = new PcapPacket();
    private final Map<String, PcapFlow> flows = new HashMap<>();
    private final Map<InetAddress, Integer> madeUp = new HashMap<>();
    private final Set<InetSocketAddress> tappedPorts = new HashSet<>();
    private final Consumer<IOException> onFailure;
    private @Nullable IOException failure;
    /** The time of the last packet; times never decrease. */
    private long latest;

    /** Creates a writer that reports write failures only by {@link #close}. */
    public PcapWriter(OutputStream out, long epochNanos) {
        this(out, epochNanos, failure -> {});
    }

    /**
     * Creates a writer.
     *
     * @param out closed by {@link #close}
     * @param epochNanos offset of all times to nanoseconds since 1970: 0 for virtual time; for
     *     {@code System.nanoTime()} its difference to the time of day
     * @param onFailure called once, by the writing thread, at the first write failure
     */
    public PcapWriter(OutputStream out, long epochNanos, Consumer<IOException> onFailure) {
        this.out = new BufferedOutputStream(out, 1 << 16);
        this.epochNanos = epochNanos;
        this.onFailure = onFailure;
        ByteBuffer header = ByteBuffer.allocate(FILE_HEADER)
                .putInt(MAGIC_NANOSECONDS)
                .putShort(MAJOR)
                .putShort(MINOR)
                .putInt(0)
                .putInt(0)
                .putInt(SNAP_LENGTH)
                .putInt(LINK_TYPE_RAW);
        write(header.array(), FILE_HEADER);
    }

    /** {@return the connection between two addresses, the same object for both sides while it is open} */
    public synchronized PcapFlow flow(InetSocketAddress initiator, InetSocketAddress responder) {
        String key = initiator + " " + responder;
        flows.values().removeIf(PcapFlow::over);
        PcapFlow flow = flows.get(key);
        if (flow == null) {
            flow = new PcapFlow(this, ipv4(initiator), initiator.getPort(), ipv4(responder), responder.getPort());
            flows.put(key, flow);
        }
        return flow;
    }

    private int ipv4(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        if (host instanceof Inet4Address) {
            return ByteBuffer.wrap(host.getAddress()).getInt();
        }
        return madeUp.computeIfAbsent(host, key -> MADE_UP_NET + madeUp.size() + 1);
    }

    /** Writes one TCP segment. */
    synchronized void segment(
            PcapPacket.Addresses addresses, int flags, int sequence, int acknowledged, ByteBuffer payload, long nanos) {
        record(packet.build(addresses, flags, sequence, acknowledged, payload), nanos);
    }

    /** A datagram port is captured: its traffic is written there. */
    synchronized void tapped(InetSocketAddress port) {
        tappedPorts.add(port);
    }

    synchronized boolean isTapped(InetSocketAddress port) {
        return tappedPorts.contains(port);
    }

    /** Writes one UDP datagram, the bytes between position and limit, which do not change. */
    public synchronized void datagram(InetSocketAddress from, InetSocketAddress to, ByteBuffer octets, long nanos) {
        PcapPacket.Addresses addresses = new PcapPacket.Addresses(ipv4(from), from.getPort(), ipv4(to), to.getPort());
        record(packet.build(addresses, octets.duplicate()), nanos);
    }

    private void record(int length, long nanos) {
        long when = Math.max(latest, nanos + epochNanos); // another thread may have read its clock earlier
        latest = when;
        long second = TimeUnit.SECONDS.toNanos(1);
        ByteBuffer header = ByteBuffer.allocate(RECORD_HEADER)
                .putInt((int) (when / second))
                .putInt((int) (when % second))
                .putInt(length)
                .putInt(length);
        write(header.array(), RECORD_HEADER);
        write(packet.octets(), length);
    }

    private void write(byte[] octets, int length) {
        if (failure == null) {
            try {
                out.write(octets, 0, length);
            } catch (IOException e) {
                fail(e);
            }
        }
    }

    private void fail(IOException e) {
        failure = e;
        onFailure.accept(e);
    }

    /**
     * Closes the file.
     *
     * @throws IOException if this or an earlier write failed
     */
    @Override
    public synchronized void close() throws IOException {
        try {
            out.close();
        } catch (IOException e) {
            if (failure == null) {
                fail(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
