package dev.jwarp.transport.udp.rd;

import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import dev.jwarp.ddp.llp.datagram.Shim;
import dev.jwarp.transport.udp.AnswerQueue;
import dev.jwarp.transport.udp.CookieBody;
import dev.jwarp.transport.udp.DatagramLength;
import dev.jwarp.transport.udp.Kind;
import dev.jwarp.transport.udp.PortServices;
import dev.jwarp.transport.udp.RdAcceptBody;
import dev.jwarp.transport.udp.RdAckBody;
import dev.jwarp.transport.udp.RdOpenBody;
import dev.jwarp.transport.udp.RdResetBody;
import dev.jwarp.transport.udp.RdResetReason;
import dev.jwarp.transport.udp.SendBuffer;
import dev.jwarp.transport.udp.ShimHeader;
import dev.jwarp.transport.udp.UdpCounter;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The octets of RD-OPEN, RD-ACCEPT, RD-ACK and RD-RESET (datagram-iWARP §4.4). Owner thread only; allocates nothing. */
final class RdDatagrams implements RdPort {
    private static final int RESET = DatagramLength.SHORTEST + RdResetBody.LENGTH;

    private final PortServices services;
    private final Shim shim = new Shim();
    private final RdOpenBody openBody = new RdOpenBody();
    private final RdAcceptBody acceptBody = new RdAcceptBody();
    private final RdAckBody ackBody = new RdAckBody();
    private final RdResetBody resetBody = new RdResetBody();
    private final CookieBody cookieBody = new CookieBody();
    private @Nullable SendBuffer out;
    private int begin;

    RdDatagrams(PortServices services) {
        this.services = services;
    }

    /** Says where datagrams go until the next call. */
    void into(SendBuffer buffer) {
        out = buffer;
    }

    /** Begins a datagram of this turn; answers where what follows the shim begins. */
    private int begin(
            Kind kind, DatagramPeer peer, int key, int messageId, int bodyLength, int flags, ByteBuffer memory) {
        begin = out().begin(peer.address());
        head(kind, peer.queuePairNumber(), key, messageId, bodyLength, flags, memory, begin);
        return begin + ShimHeader.LENGTH;
    }

    private void head(
            Kind kind,
            int queuePairNumber,
            int key,
            int messageId,
            int bodyLength,
            int flags,
            ByteBuffer memory,
            int offset) {
        shim.addressed(queuePairNumber, services.queuePairNumber(), key)
                .message(messageId, bodyLength)
                .segment(0, 0)
                .flags(kind.reply(), false, false, false);
        ShimHeader.write(memory, offset, kind, shim, flags);
    }

    private SendBuffer out() {
        return Objects.requireNonNull(out, "into() comes first");
    }

    private void end(int length) {
        out().end(length, null);
    }

    @Override
    public void open(
            DatagramPeer peer, int messageId, int tag, int firstPsn, int previousTag, int window, long nowNanos) {
        boolean shows = peer.hasCookie(nowNanos);
        ByteBuffer memory = out().memory();
        int flags = shows ? ShimHeader.COOKIE : 0;
        int at = begin(Kind.RD_OPEN, peer, peer.key(), messageId, RdOpenBody.LENGTH, flags, memory);
        if (shows) {
            cookieBody.wrap(memory, at);
            cookieBody.set(peer.cookieHigh(), peer.cookieLow());
            at += CookieBody.LENGTH;
        }
        openBody.wrap(memory, at);
        openBody.set(tag, firstPsn, previousTag, window);
        end(at + RdOpenBody.LENGTH - begin);
    }

    @Override
    public void accept(DatagramPeer peer, int key, int messageId, int tag, int firstPsn, int ack, int window) {
        ByteBuffer memory = out().memory();
        int at = begin(Kind.RD_ACCEPT, peer, key, messageId, RdAcceptBody.LENGTH, 0, memory);
        acceptBody.wrap(memory, at);
        acceptBody.set(tag, firstPsn, ack, window);
        end(ShimHeader.LENGTH + RdAcceptBody.LENGTH);
    }

    @Override
    public void ack(DatagramPeer peer, int key, int ack, int window, boolean notReady, long[] words, int count) {
        ByteBuffer memory = out().memory();
        int length = RdAckBody.length(count);
        int at = begin(Kind.RD_ACK, peer, key, 0, length, 0, memory);
        ackBody.wrap(memory, at);
        ackBody.set(ack, window, notReady, count);
        for (int i = 0; i < count; i++) {
            ackBody.word(i, words[i]);
        }
        end(ShimHeader.LENGTH + length);
    }

    @Override
    public void reset(DatagramPeer peer, int key, int messageId, RdResetReason reason, int control) {
        ByteBuffer memory = out().memory();
        int at = begin(Kind.RD_RESET, peer, key, messageId, RdResetBody.LENGTH, 0, memory);
        resetBody.wrap(memory, at);
        resetBody.set(false, reason, control);
        end(ShimHeader.LENGTH + RdResetBody.LENGTH);
        services.count(UdpCounter.TX_RD_RESET);
    }

    @Override
    public void answer(
            Shim question, DatagramAddress source, int key, boolean reflected, RdResetReason reason, long nowNanos) {
        if (services.admitsAnswer(source, nowNanos)) {
            single(source, question.sourceQpn(), key, question.messageId(), reflected, reason);
        }
    }

    @Override
    public void displaced(DatagramPeer peer, int key) {
        single(peer.address(), peer.queuePairNumber(), key, 0, false, RdResetReason.CLOSED);
    }

    private void single(
            DatagramAddress to, int queuePairNumber, int key, int messageId, boolean reflected, RdResetReason reason) {
        AnswerQueue answers = services.answers();
        if (answers.hasRoom(RESET)) {
            ByteBuffer memory = answers.memory();
            int at = answers.begin(to);
            head(Kind.RD_RESET, queuePairNumber, key, messageId, RdResetBody.LENGTH, 0, memory, at);
            resetBody.wrap(memory, at + ShimHeader.LENGTH);
            resetBody.set(reflected, reason, 0);
            answers.end(ShimHeader.LENGTH + RdResetBody.LENGTH, UdpCounter.TX_RD_RESET);
        }
    }

    @Override
    public void farewell(DatagramPeer peer, int key, RdResetReason reason, int control) {
        ByteBuffer octets = ByteBuffer.allocate(ShimHeader.LENGTH + RdResetBody.LENGTH);
        head(Kind.RD_RESET, peer.queuePairNumber(), key, 0, RdResetBody.LENGTH, 0, octets, 0);
        resetBody.wrap(octets, ShimHeader.LENGTH);
        resetBody.set(false, reason, control);
        services.answers().add(peer.address(), octets.array(), UdpCounter.TX_RD_RESET);
    }

    @Override
    public void challenge(Shim question, DatagramAddress source, long nowNanos) {
        services.challenge(question, source, nowNanos);
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
