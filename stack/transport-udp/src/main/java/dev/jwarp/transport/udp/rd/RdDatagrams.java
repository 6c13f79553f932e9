package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.port.AnswerQueue;
import dev.jwarp.transport.udp.port.PortServices;
import dev.jwarp.transport.udp.port.ProbeWriter;
import dev.jwarp.transport.udp.port.SendBuffer;
import dev.jwarp.transport.udp.wire.CookieBody;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Envelope;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdAckBody;
import dev.jwarp.transport.udp.wire.RdOpenBody;
import dev.jwarp.transport.udp.wire.RdResetBody;
import dev.jwarp.transport.udp.wire.RdResetReason;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes RD-OPEN, RD-ACCEPT, RD-ACK and RD-RESET (datagram-iWARP §4.4). Owner thread only; allocates nothing.
 */
final class RdDatagrams implements RdPort {
    private static final int RESET = DatagramLength.SHORTEST + RdResetBody.LENGTH;

    private final PortServices services;
    private final Shim shim = new Shim();
    private final RdOpenBody openBody = new RdOpenBody();
    private final RdAckBody ackBody = new RdAckBody();
    private final RdResetBody resetBody = new RdResetBody();
    private final ProbeWriter probes;
    private @Nullable SendBuffer out;
    private int begin;

    RdDatagrams(PortServices services) {
        this.services = services;
        probes = new ProbeWriter(Envelope.octets(services.settings()));
    }

    /** Sets the buffer for datagrams until the next call. */
    void into(SendBuffer buffer) {
        out = buffer;
    }

    /** {@return the shim of a datagram to that queue pair; the same object every time} */
    private Shim shim(Kind kind, int queuePairNumber, int key, int messageId, int bodyLength) {
        return shim.addressed(queuePairNumber, services.queuePairNumber(), key)
                .message(messageId, bodyLength)
                .segment(0, 0)
                .flags(kind.reply(), false, false, false);
    }

    /** Begins a datagram of this turn. Returns the offset behind the shim. */
    private int begin(Kind kind, DatagramPeer peer, Shim head, int flags) {
        begin = out().begin(peer.address());
        ShimHeader.write(out().memory(), begin, kind, head, flags);
        return begin + ShimHeader.LENGTH;
    }

    private SendBuffer out() {
        return Objects.requireNonNull(out, "into() comes first");
    }

    private void end(int length) {
        out().end(length, null);
    }

    @Override
    public void open(DatagramPeer peer, int messageId, RdFields fields, long nowNanos) {
        boolean shows = peer.hasCookie(nowNanos);
        ByteBuffer memory = out().memory();
        Shim head = shim(Kind.RD_OPEN, peer.queuePairNumber(), peer.key(), messageId, RdOpenBody.LENGTH);
        int at = begin(Kind.RD_OPEN, peer, head, shows ? ShimHeader.COOKIE : 0);
        if (shows) {
            CookieBody.write(memory, at, peer.cookieHigh(), peer.cookieLow());
            at += CookieBody.LENGTH;
        }
        openBody.wrap(memory, at);
        openBody.set(fields.tag, fields.psn, fields.previousTag, fields.window);
        end(at + RdOpenBody.LENGTH - begin);
    }

    @Override
    public void accept(DatagramPeer peer, int key, int messageId, RdFields fields) {
        Shim head = shim(Kind.RD_ACCEPT, peer.queuePairNumber(), key, messageId, RdOpenBody.LENGTH);
        openBody.wrap(out().memory(), begin(Kind.RD_ACCEPT, peer, head, 0));
        openBody.set(fields.tag, fields.psn, fields.ack, fields.window);
        end(ShimHeader.LENGTH + RdOpenBody.LENGTH);
    }

    @Override
    public void ack(DatagramPeer peer, int key, RdFields fields) {
        int length = RdAckBody.length(fields.count);
        Shim head = shim(Kind.RD_ACK, peer.queuePairNumber(), key, fields.serial, length);
        ackBody.wrap(out().memory(), begin(Kind.RD_ACK, peer, head, 0));
        ackBody.set(fields.ack, fields.window, fields.notReady, fields.firstWord, fields.count);
        ackBody.echo(fields.echo, fields.delay);
        ackBody.duplicates(fields.duplicates, fields.lastDuplicate);
        for (int i = 0; i < fields.count; i++) {
            ackBody.word(i, fields.words[i]);
        }
        end(ShimHeader.LENGTH + length);
    }

    @Override
    public void probe(DatagramPeer peer, int key, int messageId, int octets, long token) {
        probes.addressed(peer, services.queuePairNumber(), key, messageId).write(out(), peer, true, octets, token, 0);
        services.count(UdpCounter.TX_PATH_PROBE);
    }

    @Override
    public void reset(DatagramPeer peer, int key, int messageId, RdResetReason reason, int control) {
        Shim head = shim(Kind.RD_RESET, peer.queuePairNumber(), key, messageId, RdResetBody.LENGTH);
        begin = out().begin(peer.address());
        end(reset(out().memory(), begin, head, false, reason, control));
        services.count(UdpCounter.TX_RD_RESET);
    }

    @Override
    public void answer(ReceivedDatagram question, int key, boolean reflected, RdResetReason reason, long nowNanos) {
        if (services.admitsAnswer(question.source(), nowNanos)) {
            Shim asked = question.shim();
            Shim head = shim(Kind.RD_RESET, asked.sourceQpn(), key, asked.messageId(), RdResetBody.LENGTH);
            single(question.source(), head, reflected, reason);
        }
    }

    @Override
    public void displaced(DatagramPeer peer, int key) {
        Shim head = shim(Kind.RD_RESET, peer.queuePairNumber(), key, 0, RdResetBody.LENGTH);
        single(peer.address(), head, false, RdResetReason.CLOSED);
    }

    private void single(DatagramAddress to, Shim head, boolean reflected, RdResetReason reason) {
        AnswerQueue answers = services.answers();
        if (answers.hasRoom(RESET)) {
            int length = reset(answers.memory(), answers.begin(to), head, reflected, reason, 0);
            answers.end(length, UdpCounter.TX_RD_RESET);
        }
    }

    /** Writes an RD-RESET at {@code at}, and returns its length. */
    private int reset(ByteBuffer to, int at, Shim head, boolean reflected, RdResetReason reason, int control) {
        ShimHeader.write(to, at, Kind.RD_RESET, head, 0);
        resetBody.wrap(to, at + ShimHeader.LENGTH);
        resetBody.set(reflected, reason, control);
        return ShimHeader.LENGTH + RdResetBody.LENGTH;
    }

    @Override
    public void farewell(DatagramPeer peer, int key, RdResetReason reason, int control) {
        ByteBuffer octets = ByteBuffer.allocate(ShimHeader.LENGTH + RdResetBody.LENGTH);
        Shim head = shim(Kind.RD_RESET, peer.queuePairNumber(), key, 0, RdResetBody.LENGTH);
        reset(octets, 0, head, false, reason, control);
        services.answers().add(peer.address(), octets.array(), UdpCounter.TX_RD_RESET);
    }

    @Override
    public void challenge(ReceivedDatagram question, long nowNanos) {
        services.challenge(question, nowNanos);
    }

    @Override
    public void count(UdpCounter counter) {
        services.count(counter);
    }

    @Override
    public void dropped(DatagramAddress source, String cause) {
        services.dropped(source, cause);
    }

    @Override
    public long random() {
        return services.random();
    }
}
