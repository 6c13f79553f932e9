package dev.jwarp.transport.udp.resolve;

import dev.jwarp.base.Moment;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.ServiceAnswer;
import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.port.AnswerQueue;
import dev.jwarp.transport.udp.wire.CookieBody;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.ResolveBody;
import dev.jwarp.transport.udp.wire.ResolvedBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A RESOLVE of this side without an answer so far: repeated with the same Message Id (datagram-iWARP §R.3). Owner only.
 */
public final class Question {
    /** The time to the first repetition; doubles with each further one (datagram-iWARP §14, DG-R.3-1). */
    static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    /** The CHALLENGEs that a RESOLVE answers at most (datagram-iWARP §R.3, DG-5.5-2). */
    static final int CHALLENGES = 2;

    int messageId;
    final DatagramAddress where;
    private final long serviceId;
    private final int wanted;
    private final byte[] privateData;
    private final long timeoutNanos;
    private final Consumer<ServiceAnswer> handler;
    private long deadline;
    private long nextSend;
    private long pause = REPEAT_NANOS;
    private int challenges;
    private boolean cookie;
    private long cookieHigh;
    private long cookieLow;

    /**
     * A question that is not asked yet.
     *
     * @param where the port to ask
     * @param wanted the types of queue pairs that are acceptable
     */
    public Question(
            InetSocketAddress where,
            long serviceId,
            Set<DatagramService> wanted,
            byte[] privateData,
            long timeoutNanos,
            Consumer<ServiceAnswer> handler) {
        this.where = DatagramAddress.of(where);
        this.serviceId = serviceId;
        this.wanted = wanted.stream().mapToInt(DatagramService::number).sum();
        this.privateData = privateData.clone();
        this.timeoutNanos = timeoutNanos;
        this.handler = handler;
    }

    void begin(int id, long nowNanos) {
        messageId = id;
        deadline = Moment.after(nowNanos, timeoutNanos);
        nextSend = nowNanos;
    }

    long nextTimeout() {
        return Math.min(nextSend, deadline);
    }

    /** {@return whether no answer came in time} Repeats the RESOLVE if a repetition is due. */
    boolean expired(AnswerQueue out, long nowNanos) {
        if (nowNanos >= deadline) {
            return true;
        }
        if (nowNanos >= nextSend) {
            send(out);
            nextSend = nowNanos + pause;
            pause *= 2;
        }
        return false;
    }

    /** Whether this reply, which has the Message Id, comes from the resolver that was asked (DG-5.5-1). */
    boolean matches(ReceivedDatagram reply) {
        return reply.shim().sourceQpn() == Shim.RESOLVER_QPN
                && reply.shim().key() == ShimHeader.RESOLVER_KEY
                && reply.source().equals(where);
    }

    /** A CHALLENGE has come: repeats the RESOLVE at once with the cookie (DG-R.3-2). */
    void challenged(long high, long low, AnswerQueue out) {
        if (challenges < CHALLENGES) {
            challenges++;
            cookie = true;
            cookieHigh = high;
            cookieLow = low;
            send(out);
        }
    }

    private void send(AnswerQueue out) {
        if (!out.hasRoom(0)) {
            return; // the next repetition will be sent
        }
        ByteBuffer memory = out.memory();
        int at = out.begin(where);
        int body = at + ShimHeader.LENGTH + (cookie ? CookieBody.LENGTH : 0);
        Shim shim = new Shim()
                .addressed(Shim.RESOLVER_QPN, Shim.RESOLVER_QPN, ShimHeader.RESOLVER_KEY)
                .message(messageId, (long) ResolveBody.LENGTH + privateData.length);
        ShimHeader.write(memory, at, Kind.RESOLVE, shim, cookie ? ShimHeader.COOKIE : 0);
        if (cookie) {
            CookieBody.write(memory, at + ShimHeader.LENGTH, cookieHigh, cookieLow);
        }
        ResolveBody resolve = new ResolveBody();
        resolve.wrap(memory, body);
        resolve.set(serviceId, wanted, ShimHeader.VERSIONS);
        resolve.privateData(ByteBuffer.wrap(privateData), 0, privateData.length);
        int end = at + ResolveBody.DATAGRAM_LENGTH - Crc.LENGTH;
        for (int i = body + ResolveBody.PRIVATE_DATA_OFFSET + privateData.length; i < end; i++) {
            memory.put(i, (byte) 0); // datagram-iWARP §4.4 (DG-R.2-1): pad, so that no answer is longer
        }
        out.end(end - at, UdpCounter.TX_RESOLVE);
    }

    /** Ends the question without an answer. */
    void answered(ServiceStatus status, byte[] said) {
        handler.accept(ServiceAnswer.without(status, said));
    }

    /** Ends the question with the answer that came. */
    void answered(ResolvedBody said) {
        ServiceStatus status = ServiceStatus.of(said.status());
        if (status != ServiceStatus.FOUND) {
            answered(status == null ? ServiceStatus.REFUSED : status, said.privateData());
            return;
        }
        handler.accept(new ServiceAnswer(
                status,
                said.qpType() == DatagramService.RD.number() ? DatagramService.RD : DatagramService.UD,
                said.qpn(),
                said.key(),
                said.port(),
                said.largestPayload(),
                said.maximumMessage(),
                said.maximumRead(),
                said.privateData()));
    }
}
