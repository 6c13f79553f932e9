package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** An endpoint connected directly to another one, always with work; allocates nothing after construction. */
final class DirectHost implements RdPort, SegmentWriter, DatagramUpperLayer {
    /** One datagram in flight, allocated once. */
    private static final class Slot {
        final ReceivedDatagram datagram = new ReceivedDatagram();
        final RdFields said = new RdFields();
        Kind kind = Kind.DATA;
    }

    private static final int SLOTS = 1024;

    final RdEndpoint endpoint;
    final DatagramPeer handle = new DatagramPeer();

    @Nullable
    DirectHost other;

    long accepted;
    long received;
    long repeats;

    private final SplittableRandom random;
    private final DatagramAddress address = new DatagramAddress();
    private final int number;
    private final Slot[] ring = new Slot[SLOTS];
    private final OutboundMessage message = new OutboundMessage() {};
    private final ByteBuffer segment = ByteBuffer.allocateDirect(128);
    private final Shim shim = new Shim();
    private int head;
    private int size;
    private int sent;
    private long now;

    DirectHost(int number) {
        this.number = number;
        random = new SplittableRandom(number);
        address.setIpv4(number, number);
        for (int i = 0; i < SLOTS; i++) {
            ring[i] = new Slot();
        }
        endpoint = new RdEndpoint(RdSettings.DEFAULT, this, this);
    }

    private DirectHost other() {
        DirectHost there = other;
        if (there == null) {
            throw new IllegalStateException("nobody there");
        }
        return there;
    }

    /** Receives pending datagrams, then sends a batch. */
    void turn(long nowNanos) {
        now = nowNanos;
        if (handle.maximumDatagram() == 0) {
            handle.set(other().address, other().number, 0, 1472);
        }
        for (; size > 0; size--) {
            take(ring[head]);
            head = (head + 1) % SLOTS;
        }
        if (endpoint.nextTimeout() <= now) {
            endpoint.onTimeout(now);
        }
        for (int i = 0; i < 32 && endpoint.poll(this, now); i++) {
            sent++;
        }
    }

    private void take(Slot s) {
        ReceivedDatagram came = s.datagram.from(other().address);
        switch (s.kind) {
            case DATA -> endpoint.onData(came.body(segment, 0, 100), s.said, now);
            case RD_OPEN -> endpoint.opener.onOpen(came, s.said, true, false, now);
            case RD_ACCEPT -> endpoint.opener.onAccept(came, s.said, now);
            case RD_ACK -> endpoint.onAck(came, s.said, now);
            default -> throw new IllegalStateException("a channel was reset");
        }
    }

    private Slot slot(Kind kind, int key) {
        DirectHost to = other();
        Slot s = to.ring[(to.head + to.size) % SLOTS];
        if (kind != Kind.DATA || sent % 20 != 7) { // else the datagram is lost: overwritten by the next one
            to.size++;
        }
        s.kind = kind;
        s.datagram
                .shim()
                .addressed(to.number, number, key)
                .message(1, 100)
                .segment(0, 100)
                .flags(false, true, false, false);
        return s;
    }

    @Override
    public void open(DatagramPeer to, int id, RdFields fields, long nowNanos) {
        say(slot(Kind.RD_OPEN, 0), fields);
    }

    private static void say(Slot slot, RdFields fields) {
        RdFields said = slot.said;
        said.tag = fields.tag;
        said.previousTag = 0;
        said.psn = fields.psn;
        said.ack = fields.ack;
        said.window = fields.window;
        said.ackWanted = fields.ackWanted;
        said.notReady = false;
        said.count = fields.count;
        System.arraycopy(fields.words, 0, said.words, 0, fields.count);
        said.alone = slot.kind == Kind.RD_ACK;
        said.serial = fields.serial;
        said.firstWord = fields.firstWord;
        said.echo = fields.echo;
        said.delay = fields.delay;
        said.duplicates = fields.duplicates;
        said.lastDuplicate = fields.lastDuplicate;
    }

    @Override
    public void accept(DatagramPeer to, int key, int id, RdFields fields) {
        say(slot(Kind.RD_ACCEPT, key), fields);
    }

    @Override
    public void probe(DatagramPeer to, int key, int messageId, int octets, long token) {} // not supported

    @Override
    public void ack(DatagramPeer to, int key, RdFields fields) {
        say(slot(Kind.RD_ACK, key), fields);
    }

    @Override
    public boolean admits(DatagramPeer to, long nowNanos) {
        return endpoint.admits(to, nowNanos);
    }

    @Override
    public int begin(DatagramPeer to, Shim of, boolean cookie, int headerLength, int payloadLength) {
        RdFields fields = endpoint.begin(to, of, now);
        say(slot(Kind.DATA, fields.tag), fields);
        return 0;
    }

    @Override
    public void end(@Nullable OutboundMessage of) {
        endpoint.end(of, 158, now);
    }

    @Override
    public boolean pollSegment(SegmentWriter out, long nowNanos) {
        if (!out.admits(handle, nowNanos)) {
            return false;
        }
        shim.message(1, 100_000).segment(0, 100);
        out.begin(handle, shim, false, 18, 82);
        out.end(message);
        return true;
    }

    @Override
    public boolean repeatSegment(OutboundMessage of, int index, SegmentWriter out, long nowNanos) {
        repeats++;
        out.begin(handle, shim, false, 18, 82);
        out.end(of);
        return true;
    }

    @Override
    public void onAccepted(OutboundMessage of, int segments, long nowNanos) {
        accepted += segments;
    }

    @Override
    public SegmentFate onSegment(ReceivedDatagram of, long nowNanos) {
        received++;
        return SegmentFate.ACCEPTED;
    }

    @Override
    public long random() {
        return random.nextLong();
    }

    @Override
    public void onChannelLost(
            DatagramPeer peer, OperationStatus status, @Nullable TerminateCode code, boolean all, long nowNanos) {
        throw new IllegalStateException("lost: " + status);
    }

    @Override
    public void reset(DatagramPeer to, int key, int id, RdResetReason reason, int control) {
        slot(Kind.RD_RESET, key);
    }

    @Override
    public void answer(ReceivedDatagram to, int key, boolean mirror, RdResetReason why, long nowNanos) {
        slot(Kind.RD_RESET, key);
    }

    @Override
    public void farewell(DatagramPeer to, int key, RdResetReason reason, int control) {}

    @Override
    public void displaced(DatagramPeer to, int key) {}

    @Override
    public void challenge(ReceivedDatagram to, long nowNanos) {}

    @Override
    public void count(UdpCounter counter) {}

    @Override
    public void dropped(DatagramAddress source, String cause) {}

    @Override
    public String cause() {
        throw new IllegalStateException("nothing is dropped");
    }

    @Override
    public int segmentSize(DatagramPeer to, int headerLength, boolean cookie) {
        return 100;
    }

    @Override
    public ByteBuffer buffer() {
        return segment;
    }

    @Override
    public void payload(ByteBuffer source, int offset, int length, boolean stable) {}

    @Override
    public TerminateCode refusal() {
        throw new IllegalStateException("nothing is refused");
    }

    @Override
    public boolean asked(ReceivedDatagram reply) {
        return false;
    }

    @Override
    public void onAttached(DatagramLowerLayer lower, long nowNanos) {}

    @Override
    public void onNotify(ReceivedDatagram reply, int control, long nowNanos) {}

    @Override
    public void onChallenge(ReceivedDatagram reply, long high, long low, long nowNanos) {}

    @Override
    public void onTransmitted(long nowNanos) {}

    @Override
    public void onUnsendable(OutboundMessage of, String sentence, long nowNanos) {}

    @Override
    public void onVersionList(ReceivedDatagram reply, int versions, long nowNanos) {}

    @Override
    public long nextTimeout() {
        return Long.MAX_VALUE;
    }

    @Override
    public void onTimeout(long nowNanos) {}

    @Override
    public void onDetached(long nowNanos) {}
}
