package dev.jwarp.transport.udp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.DatagramDriver;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.port.PortQueuePair;
import dev.jwarp.transport.udp.port.PortServices;
import dev.jwarp.transport.udp.port.SendBuffer;
import dev.jwarp.transport.udp.seal.PortSeal;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.PathProbeBody;
import dev.jwarp.transport.udp.wire.PathReplyBody;
import dev.jwarp.transport.udp.wire.ResolveBody;
import dev.jwarp.transport.udp.wire.Samples;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An engine on a driver without a socket: tests pass datagrams in and inspect sent ones. Time stands still. */
final class EngineRig implements DatagramDriver {
    private static final Set<UdpCounter> ALWAYS =
            EnumSet.of(UdpCounter.RX_DATAGRAMS, UdpCounter.RX_READS, UdpCounter.TX_DATAGRAMS, UdpCounter.TX_WRITES);

    static final int NUMBER = 0xABCD;
    static final int KEY = 0x11223344;
    static final DatagramAddress STRANGER = DatagramAddress.of(new InetSocketAddress("192.0.2.7", 4000));
    static final DatagramAddress LOOPBACK =
            DatagramAddress.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 4001));
    static final int PEER_NUMBER = 0x12345;

    /** One sent datagram. */
    record Sent(@Nullable DatagramAddress to, byte[] octets, boolean mayBeCut) {
        @Nullable
        Kind kind() {
            return octets[0] == Kind.VERSION_LIST.octet() ? Kind.VERSION_LIST : Kind.of(octets[0] & 0xf);
        }

        Shim shim() {
            Shim shim = new Shim();
            ShimHeader.read(ByteBuffer.wrap(octets), 0, shim);
            return shim;
        }

        int word(int at) {
            return ByteBuffer.wrap(octets).getInt(at);
        }

        /** Parses the datagram, which must be well formed. */
        DatagramParser parsed() {
            DatagramParser parser = new DatagramParser();
            assertThat(parser.parse(ByteBuffer.wrap(octets), 0, octets.length, LOOPBACK))
                    .isNull();
            return parser;
        }

        /** Checks that the datagram is well formed, and all fields of its shim. */
        void hasShim(Shim shim) {
            assertThat(parsed().shim()).usingRecursiveComparison().isEqualTo(shim);
        }

        PathReplyBody pathReply() {
            return Samples.view(new PathReplyBody(), ByteBuffer.wrap(octets), ShimHeader.LENGTH);
        }
    }

    final Tally<UdpCounter> counters = new Tally<>(UdpCounter.class);
    final List<List<Sent>> batches = new ArrayList<>();
    final List<DatagramAddress> joined = new ArrayList<>();
    final ToyUpper upper = new ToyUpper(NUMBER);
    final UdpEngine engine;
    final RecordingReliable reliable = new RecordingReliable();
    long now = 1_000_000_000L;
    /** Datagrams that the system still accepts before it has no room. */
    int room = Integer.MAX_VALUE;
    /** The broadcast address of the host's network; null if it has none. */
    @Nullable
    InetAddress broadcast;

    /** The largest datagram that the system accepts, bytes. */
    int largest = DatagramLength.LARGEST;
    /** The MTUs of interface and route, and whether the system never fragments. */
    int interfaceMtu;

    int routeMtu;
    boolean keepsWhole;

    private final boolean segments;
    private final Map<UdpCounter, Long> before = new EnumMap<>(UdpCounter.class);

    EngineRig() {
        this(Map.of(), true);
    }

    EngineRig(Map<String, String> settings, boolean segments) {
        this(settings, segments, null);
    }

    EngineRig(Map<String, String> settings, boolean segments, @Nullable Supplier<PortSeal> seals) {
        this.segments = segments;
        Map<String, String> all = new HashMap<>(Map.of("jwarp.udp.controlled", "0.0.0.0/0,::/0"));
        all.putAll(settings);
        UdpEngineFactory factory = new UdpEngineFactory(UdpSettings.of(all), counters, reliable, new Random(1), seals);
        engine = (UdpEngine) factory.open(this, now);
        engine.port().attach(DatagramService.UD, NUMBER, KEY, false, upper);
    }

    void attach(DatagramService service, int number, int key, boolean byDefault, DatagramUpperLayer above) {
        engine.port().attach(service, number, key, byDefault, above);
    }

    // ---- datagrams

    static Shim shim(int destination, int key) {
        return new Shim().addressed(destination, PEER_NUMBER, key).message(7, 5).segment(0, 5);
    }

    /** A complete datagram: shim, the bytes behind it, CRC. */
    static byte[] datagram(Kind kind, Shim shim, int moreFlags, byte[] behind) {
        ByteBuffer out = ByteBuffer.allocate(ShimHeader.LENGTH + behind.length + Crc.LENGTH);
        ShimHeader.write(out, 0, kind, shim, moreFlags);
        out.put(ShimHeader.LENGTH, behind);
        new Crc().seal(out, 0, ShimHeader.LENGTH + behind.length);
        return out.array();
    }

    /** A Send of 5 bytes. */
    static byte[] data(Shim shim) {
        return datagram(Kind.DATA, shim, 0, segment());
    }

    static byte[] toGroup(int key) {
        return data(shim(Shim.GROUP_QPN, key).flags(false, false, true, false));
    }

    /** A Send in a datagram of another version. */
    static byte[] version(int version, Shim shim) {
        byte[] octets = data(shim);
        octets[0] = (byte) (version << 4);
        new Crc().seal(ByteBuffer.wrap(octets), 0, octets.length - Crc.LENGTH);
        return octets;
    }

    static byte[] resolve(int destination, int key, int messageId, long service) {
        ByteBuffer behind = ByteBuffer.allocate(ResolveBody.DATAGRAM_LENGTH - ShimHeader.LENGTH - Crc.LENGTH);
        Samples.view(new ResolveBody(), behind, 0).set(service, 1, ShimHeader.VERSIONS);
        Shim shim = new Shim().addressed(destination, Shim.RESOLVER_QPN, key).message(messageId, ResolveBody.LENGTH);
        return datagram(Kind.RESOLVE, shim, 0, behind.array());
    }

    static byte[] pathProbe(Shim shim, long token, int takes) {
        ByteBuffer behind = ByteBuffer.allocate((int) shim.messageLength());
        Samples.view(new PathProbeBody(), behind, 0).set(token, takes);
        return datagram(Kind.PATH_PROBE, shim, 0, behind.array());
    }

    /** The peer's answer to a sent PATH-PROBE. */
    static byte[] pathReply(Sent probe, int lengthReceived, int datagramsReceived) {
        PathProbeBody asked = Samples.view(new PathProbeBody(), ByteBuffer.wrap(probe.octets()), ShimHeader.LENGTH);
        ByteBuffer behind = ByteBuffer.allocate(PathReplyBody.LENGTH);
        PathReplyBody body = Samples.view(new PathReplyBody(), behind, 0);
        body.set(asked.token(), lengthReceived, DatagramLength.LARGEST);
        body.received(datagramsReceived, 0, 0);
        return reply(Kind.PATH_REPLY, NUMBER, KEY, probe.shim().messageId(), behind.array());
    }

    static byte[] segment() {
        ByteBuffer segment = ByteBuffer.allocate(ToyUpper.HEADER + 5);
        segment.putShort(0, (short) 0x4143);
        return segment.array();
    }

    static byte[] reply(Kind kind, int destination, int key, byte[] body) {
        return reply(kind, destination, key, 7, body);
    }

    private static byte[] reply(Kind kind, int destination, int key, int messageId, byte[] body) {
        Shim shim = new Shim()
                .addressed(destination, PEER_NUMBER, key)
                .message(messageId, body.length)
                .flags(true, false, false, false);
        return datagram(kind, shim, 0, body);
    }

    static DatagramPeer peer(DatagramAddress where) {
        return new DatagramPeer().set(where, PEER_NUMBER, KEY, 1_472);
    }

    /** Receives a datagram. Returns the datagrams sent afterwards. */
    List<Sent> receive(byte[] octets, DatagramAddress source) {
        return receive(octets, source, null, false);
    }

    /** Receives a Send with the right Key. Returns the datagrams sent afterwards. */
    List<Sent> receiveFrom(DatagramAddress source) {
        return receive(data(shim(NUMBER, KEY)), source);
    }

    /** Receives a datagram that gets no answer, and changes only these counters. */
    void receiveSilently(byte[] octets, DatagramAddress source, UdpCounter... changed) {
        assertThat(receive(octets, source)).isEmpty();
        assertThat(moved()).containsExactly(changed);
    }

    /** Receives a Send with the right Key {@code count} times; {@return the number of answers} */
    int answers(DatagramAddress source, int count) {
        return answers(data(shim(NUMBER, KEY)), source, count);
    }

    int answers(byte[] octets, DatagramAddress source, int count) {
        int answers = 0;
        for (int i = 0; i < count; i++) {
            answers += receive(octets, source).size();
        }
        return answers;
    }

    /** Receives datagrams that the kernel has joined. Returns the datagrams sent afterwards. */
    List<Sent> receiveJoined(DatagramAddress source, byte[]... datagrams) {
        return receive(joined(datagrams), source, null, true);
    }

    static byte[] joined(byte[]... datagrams) {
        ByteBuffer all = ByteBuffer.allocate(
                Arrays.stream(datagrams).mapToInt(one -> one.length).sum());
        Arrays.stream(datagrams).forEach(all::put);
        return all.array();
    }

    List<Sent> receive(byte[] octets, DatagramAddress source, @Nullable DatagramAddress group, boolean coalesced) {
        for (UdpCounter counter : UdpCounter.values()) {
            before.put(counter, counters.get(counter));
        }
        ByteBuffer in = ByteBuffer.allocate(octets.length + 6);
        in.put(3, octets);
        engine.receive(in.limit(octets.length + 3).position(3), coalesced, source, group, now);
        return send();
    }

    /** The counters that changed since the last {@link #receive} began, without those that always change. */
    List<UdpCounter> moved() {
        List<UdpCounter> moved = new ArrayList<>();
        for (UdpCounter counter : UdpCounter.values()) {
            for (long i = before.get(counter); i < counters.get(counter); i++) {
                moved.add(counter);
            }
        }
        moved.removeIf(ALWAYS::contains);
        return moved;
    }

    /** Sends the engine's output, as far as there is room. */
    List<Sent> send() {
        List<Sent> all = new ArrayList<>();
        while (room > 0 && engine.prepareOutput(now)) {
            List<Sent> batch = new ArrayList<>();
            DatagramBatch output = engine.output();
            while (output.length() > 0 && room > 0) {
                byte[] octets = new byte[output.firstLength()];
                output.memory().get(output.offset(), octets);
                if (octets.length > largest) {
                    engine.onUnsendable("Message too long", now);
                } else {
                    batch.add(new Sent(output.destination().copy(), octets, output.mayBeCut()));
                    room--;
                    engine.onWritten(octets.length, now);
                }
            }
            batches.add(batch);
            all.addAll(batch);
        }
        return all;
    }

    /** Sends as far as the pace allows, probes included; {@return the number of DATA datagrams} */
    int dataSent() {
        return (int) send().stream().filter(sent -> sent.kind() == Kind.DATA).count();
    }

    /** Sends {@code datagrams} as the pace allows; {@return the time in milliseconds} */
    long millisUntilSent(int datagrams) {
        long begin = now;
        int sent = dataSent();
        while (sent < datagrams) {
            assertThat(engine.nextSend()).isGreaterThan(now).isNotEqualTo(Long.MAX_VALUE);
            now = engine.nextSend();
            sent += dataSent();
        }
        return TimeUnit.NANOSECONDS.toMillis(now - begin);
    }

    // ---- DatagramDriver

    @Override
    public int interfaceMtu(DatagramAddress to) {
        return interfaceMtu;
    }

    @Override
    public int routeMtu(DatagramAddress to) {
        return routeMtu;
    }

    @Override
    public boolean keepsWhole() {
        return keepsWhole;
    }

    @Override
    public InetSocketAddress localAddress() {
        return new InetSocketAddress("192.0.2.1", 9000);
    }

    @Override
    public long systemDrops() {
        return -1;
    }

    @Override
    public int receiveBuffer() {
        return 1 << 20;
    }

    @Override
    public boolean segments() {
        return segments;
    }

    @Override
    public long nowNanos() {
        return now;
    }

    @Override
    public void wakeup() {}

    @Override
    public void afterCall(AfterCalls.Task task) {
        throw new UnsupportedOperationException("no handler is tested here");
    }

    @Override
    public void execute(Runnable task) {
        task.run();
    }

    @Override
    public boolean broadcast(InetAddress address) {
        return address.equals(broadcast);
    }

    @Override
    public void join(DatagramAddress group, @Nullable NetworkInterface on) {
        joined.add(group);
    }

    @Override
    public void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop) {}

    @Override
    public void leave(DatagramAddress group) {
        joined.remove(group);
    }

    @Override
    public void close() {
        engine.onClosed(now);
    }

    /** The lower layer of reliable queue pairs, which records received Kinds. */
    static final class RecordingReliable implements PortQueuePair.Factory {
        final List<Kind> kinds = new ArrayList<>();

        @Nullable
        PortServices port;

        @Override
        public PortQueuePair open(PortServices services, DatagramUpperLayer upper, long nowNanos) {
            port = services;
            return new PortQueuePair() {
                @Override
                public void receive(DatagramParser parsed, long time) {
                    kinds.add(parsed.kind());
                }

                @Override
                public boolean fill(SendBuffer out, long time) {
                    return false;
                }

                @Override
                public void onReady(long time) {}

                @Override
                public void refuse(DatagramPeer peer, Shim question, TerminateCode code, long time) {}
            };
        }
    }
}
