package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A queue pair with its channels, at a port of the simulated network: one incarnation of a process. */
final class RdHost implements RdPort, SegmentWriter {
    static final int HEADERS = 24 + 12 + 18 + 4;

    final RdSim sim;
    final DatagramAddress address;
    final int number;
    final int key;
    final RdUpper upper;
    final RdEndpoint endpoint;
    final Map<UdpCounter, AtomicInteger> counters = new EnumMap<>(UdpCounter.class);
    final Set<DatagramAddress> strangers = new HashSet<>();

    /** The first results of random(). A new channel uses one for its tag, then one for its PSN. */
    final ArrayDeque<Long> randoms = new ArrayDeque<>();

    boolean limitsAnswers;
    private final Map<String, DatagramPeer> handles = new HashMap<>();
    private final ArrayDeque<RdPacket> inbox = new ArrayDeque<>();
    private final ReceivedDatagram received = new ReceivedDatagram();
    private final RdFields said = new RdFields();
    private final Runnable onTime = this::onTime;
    private @Nullable RdPacket written;
    private boolean paused;
    private boolean dead;
    private boolean pumping;
    private long wakeAt = Long.MAX_VALUE;

    RdHost(RdSim sim, int port, int number) {
        this(sim, port, number, RdSettings.DEFAULT);
    }

    RdHost(RdSim sim, int port, int number, RdSettings settings) {
        this(sim, new DatagramAddress().setIpv4(0x7f000001, port), number, settings);
    }

    RdHost(RdSim sim, DatagramAddress address, int number, RdSettings settings) {
        this.sim = sim;
        this.address = address;
        this.number = number;
        key = number * 7;
        upper = new RdUpper(number, sim::now);
        endpoint = new RdEndpoint(settings, upper, this);
        sim.add(this);
    }

    /** {@return the default settings with these limits} */
    static RdSettings limits(int window, int stash, int channels, int halfOpen) {
        return new RdSettings(
                window, stash, 64 << 20, channels, halfOpen, "cubic", 0, RdSettings.DEFAULT.giveUpNanos(), false);
    }

    /** {@return an address handle for this queue pair} */
    DatagramPeer handle() {
        return new DatagramPeer().set(address, number, key, 1472);
    }

    /** {@return the channel with a queue pair} */
    RdChannel channel(RdHost with) {
        return endpoint.find(with.address, with.number);
    }

    /** Every message to that host was successful, and was received there once, in order, and nothing else. */
    void assertDelivered(RdHost to) {
        upper.assertDelivered(to.upper, sim + ", " + this + " to " + to);
    }

    /** Gives the layer above room for that many further messages. */
    void ready(long receives) {
        upper.receives = receives;
        endpoint.ready(sim.now());
        pump();
    }

    int counted(UdpCounter counter) {
        AtomicInteger count = counters.get(counter);
        return count == null ? 0 : count.get();
    }

    /** Kills the process. */
    void kill() {
        dead = true;
        sim.remove(this);
    }

    /** Pauses the process for {@code nanos}; datagrams wait in its socket. */
    void pause(long nanos) {
        paused = true;
        sim.after(nanos, () -> {
            paused = false;
            while (!inbox.isEmpty()) {
                take(inbox.remove());
            }
            wake();
        });
    }

    /** Posts {@code count} messages of {@code segments} each, and sends. */
    void post(RdHost to, int segments, int count) {
        upper.post(handleOf(to), segments, count);
        pump();
    }

    /** {@return the handle that {@link #post} uses: one for each address and number} */
    DatagramPeer handleOf(RdHost to) {
        return handles.computeIfAbsent(to.address + " " + to.number, name -> to.handle());
    }

    void receive(RdPacket packet) {
        if (dead) {
            return;
        }
        if (paused) {
            inbox.add(packet);
            return;
        }
        take(packet);
        pump();
    }

    private void take(RdPacket p) {
        if (p.shim.destinationQpn() != number) {
            return; // rx_qpn
        }
        p.into(received, said);
        switch (p.kind) {
            case DATA -> endpoint.onData(received, said, sim.now());
            case RD_OPEN -> {
                if (p.shim.key() == key) {
                    boolean right = p.cookie && p.cookieValue == cookie(p.from);
                    boolean validated = right || !strangers.contains(p.from);
                    endpoint.opener.onOpen(received, said, validated, right, sim.now());
                }
            }
            case RD_ACCEPT -> endpoint.opener.onAccept(received, said, sim.now());
            case RD_ACK -> endpoint.onAck(received, said, sim.now());
            case PATH_PROBE -> {
                RdChannel channel = endpoint.onProbe(received, sim.now());
                if (channel != null) {
                    RdPacket reply = reply(Kind.PATH_REPLY, received, channel.peerTag(), 64);
                    reply.token = p.token;
                    reply.length = p.octets;
                    sim.send(reply);
                }
            }
            case PATH_REPLY -> endpoint.onPathReply(received, said, sim.now());
            case RD_RESET -> endpoint.onReset(received, p.reflected, p.reason, p.control, sim.now());
            case CHALLENGE -> {
                if (!endpoint.opener.onChallenge(received, 0, p.cookieValue, sim.now())) {
                    count(UdpCounter.RX_REPLY_UNMATCHED);
                }
            }
            default -> throw new IllegalArgumentException(p.kind.toString());
        }
    }

    private long cookie(DatagramAddress of) {
        return of.hashCode() * 31L + number;
    }

    /** Sends pending datagrams, and updates timers. */
    void pump() {
        if (dead || paused || pumping) {
            return;
        }
        pumping = true;
        boolean more = true;
        while (more) {
            more = endpoint.poll(this, sim.now());
        }
        pumping = false;
        long next = Math.min(endpoint.nextTimeout(), endpoint.nextSend());
        if (next < wakeAt) {
            wakeAt = next;
            sim.at(next, onTime);
        }
    }

    /** Works on what is due now. */
    void onTime() {
        if (wakeAt <= sim.now()) {
            wakeAt = Long.MAX_VALUE;
        }
        wake();
    }

    private void wake() {
        if (!dead && !paused) {
            if (endpoint.nextTimeout() <= sim.now()) {
                endpoint.onTimeout(sim.now());
            }
            pump();
        }
    }

    // ---- RdPort

    private RdPacket packet(Kind kind, DatagramAddress to, int qpn, int withKey, int messageId, int octets) {
        RdPacket packet = sim.packet(kind, address, to);
        packet.shim.addressed(qpn, number, withKey).message(messageId, 0).flags(kind.reply(), false, false, false);
        packet.octets = octets;
        return packet;
    }

    private RdPacket packet(Kind kind, DatagramPeer to, int withKey, int messageId, int octets) {
        return packet(kind, to.address(), to.queuePairNumber(), withKey, messageId, octets);
    }

    private RdPacket reply(Kind kind, ReceivedDatagram question, int withKey, int octets) {
        Shim asked = question.shim();
        return packet(kind, question.source(), asked.sourceQpn(), withKey, asked.messageId(), octets);
    }

    private void send(RdPacket p, RdFields fields) {
        p.say(fields);
        sim.send(p);
    }

    @Override
    public void open(DatagramPeer peer, int messageId, RdFields fields, long nowNanos) {
        RdPacket p = packet(Kind.RD_OPEN, peer, peer.key(), messageId, 60);
        p.cookie = peer.hasCookie(nowNanos);
        p.cookieValue = peer.cookieLow();
        send(p, fields);
    }

    @Override
    public void accept(DatagramPeer peer, int withKey, int messageId, RdFields fields) {
        send(packet(Kind.RD_ACCEPT, peer, withKey, messageId, 60), fields);
    }

    @Override
    public void ack(DatagramPeer peer, int withKey, RdFields fields) {
        send(packet(Kind.RD_ACK, peer, withKey, fields.serial, 60 + 8 * fields.count), fields);
    }

    @Override
    public void probe(DatagramPeer peer, int withKey, int messageId, int octets, long token) {
        RdPacket p = packet(Kind.PATH_PROBE, peer, withKey, messageId, Math.max(64, octets));
        p.token = token;
        sim.send(p);
    }

    @Override
    public void reset(DatagramPeer peer, int withKey, int messageId, RdResetReason reason, int control) {
        RdPacket p = packet(Kind.RD_RESET, peer, withKey, messageId, 36);
        p.reason = reason;
        p.control = control;
        sim.send(p);
    }

    @Override
    public void answer(ReceivedDatagram to, int withKey, boolean reflected, RdResetReason reason, long nowNanos) {
        if (limitsAnswers) {
            return;
        }
        RdPacket p = reply(Kind.RD_RESET, to, withKey, 36);
        p.reflected = reflected;
        p.reason = reason;
        sim.send(p);
    }

    @Override
    public void farewell(DatagramPeer peer, int withKey, RdResetReason reason, int control) {
        reset(peer, withKey, 0, reason, control);
    }

    @Override
    public void displaced(DatagramPeer peer, int withKey) {
        farewell(peer, withKey, RdResetReason.CLOSED, 0);
    }

    @Override
    public void challenge(ReceivedDatagram to, long nowNanos) {
        RdPacket p = reply(Kind.CHALLENGE, to, to.shim().key(), 44);
        p.cookieValue = cookie(to.source());
        sim.send(p);
    }

    @Override
    public void dropped(DatagramAddress source, String cause) {}

    @Override
    public void count(UdpCounter counter) {
        counters.computeIfAbsent(counter, c -> new AtomicInteger()).incrementAndGet();
    }

    @Override
    public long random() {
        if (!randoms.isEmpty()) {
            return randoms.remove();
        }
        return sim.random.nextLong();
    }

    // ---- SegmentWriter

    @Override
    public boolean admits(DatagramPeer peer, long nowNanos) {
        return endpoint.admits(peer, nowNanos);
    }

    @Override
    public int segmentSize(DatagramPeer peer, int headerLength, boolean cookie) {
        return 1412;
    }

    @Override
    public int begin(DatagramPeer peer, Shim shim, boolean cookie, int headerLength, int payloadLength) {
        RdFields fields = endpoint.begin(peer, shim, sim.now());
        RdPacket p = packet(Kind.DATA, peer, fields.tag, shim.messageId(), HEADERS + payloadLength);
        p.shim.message(shim.messageId(), shim.messageLength())
                .segment(shim.segmentIndex(), shim.segmentSize())
                .flags(shim.reply(), true, false, false);
        p.say(fields);
        written = p;
        return 0;
    }

    @Override
    public ByteBuffer buffer() {
        return Objects.requireNonNull(written).segment();
    }

    @Override
    public void payload(ByteBuffer source, int offset, int length, boolean stable) {
        buffer().put(RdUpper.HEADER, source, offset, RdUpper.MARKS); // the rest has no meaning
    }

    @Override
    public void end(@Nullable OutboundMessage message) {
        RdPacket p = Objects.requireNonNull(written);
        sim.send(p);
        endpoint.end(message, p.octets, sim.now());
    }

    @Override
    public String toString() {
        return "host " + address.port() + "/" + number + " " + counters;
    }
}
