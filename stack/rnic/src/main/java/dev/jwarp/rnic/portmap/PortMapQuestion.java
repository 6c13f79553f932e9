package dev.jwarp.rnic.portmap;

import dev.jwarp.rnic.portmap.PortMapMessage.Kind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One question to the port mapper of a peer's host. The REQUEST is repeated each second until an answer or the
 * time-out. The caller passes the time. One thread at a time.
 */
public final class PortMapQuestion {
    /** Time before the question is repeated, as in iwpmd. */
    static final long AGAIN_NANOS = 1_000_000_000L;

    /** The outcome. */
    public enum State {
        /** No answer yet. */
        ASKING,
        /** There is a mapping. */
        MAPPED,
        /** The peer's port mapper knows of no mapping. */
        REJECTED,
        /** No answer came. */
        UNANSWERED
    }

    private final PortMapMessage request;
    private final long end;
    private long next;
    private State state = State.ASKING;
    private @Nullable PortMapMessage accept;
    private boolean acknowledged;

    /**
     * A question that has not been sent.
     *
     * @param handle identifies the answer, so it must be hard to guess; not zero, which iwpmd takes for none
     * @param connecting local address and port, which are not mapped
     * @param accepting the address that the program wants to connect to
     * @param waitNanos time-out of the answer
     */
    public PortMapQuestion(
            long handle, InetSocketAddress connecting, InetSocketAddress accepting, long waitNanos, long nowNanos) {
        request = new PortMapMessage(Kind.REQUEST, handle, connecting, accepting, connecting);
        next = nowNanos;
        end = nowNanos + waitNanos;
    }

    /** {@return the outcome so far} */
    public State state() {
        return state;
    }

    /** {@return the port of the mapping} In state MAPPED. */
    public int mappedPort() {
        if (accept == null) {
            throw new IllegalStateException("no mapping in state " + state);
        }
        return accept.accepting().getPort();
    }

    /** {@return when {@link #output} is to be called again, at the latest} In state ASKING. */
    public long nextTimeout() {
        return next - end < 0 ? next : end;
    }

    /** {@return the next datagram to send; null if there is none now} */
    public @Nullable ByteBuffer output(long nowNanos) {
        if (accept != null && !acknowledged) {
            acknowledged = true;
            return accept.answer(Kind.ACK, accept.accepting()).encode();
        }
        if (state != State.ASKING) {
            return null;
        }
        if (nowNanos - end >= 0) {
            state = State.UNANSWERED;
            return null;
        }
        if (nowNanos - next < 0) {
            return null;
        }
        next = nowNanos + AGAIN_NANOS;
        return request.encode();
    }

    /**
     * Processes a datagram from the address and port that were asked. Ignores anything that is no answer to this
     * question.
     */
    public void input(ByteBuffer datagram) {
        PortMapMessage message = PortMapMessage.parse(datagram);
        if (state != State.ASKING
                || message == null
                || message.handle() != request.handle()
                || !message.connecting().equals(request.connecting())) {
            return;
        }
        if (message.kind() == Kind.REJECT) {
            state = State.REJECTED;
        } else if (message.kind() == Kind.ACCEPT && isMapping(message.accepting())) {
            accept = message;
            state = State.MAPPED;
        }
    }

    /**
     * Whether the mapping is a port of the host that was asked. iwpmd never maps to another host, and no message may
     * redirect this side to one.
     */
    private boolean isMapping(InetSocketAddress mapped) {
        return mapped.getPort() != 0
                && mapped.getAddress().equals(request.accepting().getAddress());
    }

    /** Processes an ICMP error: the peer's host has no port mapper, or is unreachable. */
    public void unreachable() {
        if (state == State.ASKING) {
            state = State.UNANSWERED;
        }
    }
}
