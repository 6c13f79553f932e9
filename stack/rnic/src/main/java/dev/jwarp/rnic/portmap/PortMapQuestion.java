package dev.jwarp.rnic.portmap;

import dev.jwarp.rnic.portmap.PortMapMessage.Kind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One question to the port mapper of a peer's host: asks each second as long as it may wait, until there is an answer. Time is
 * handed in. One thread at a time.
 */
public final class PortMapQuestion {
    /** Time before the question is repeated, as in iwpmd. */
    static final long AGAIN_NANOS = 1_000_000_000L;

    /** What has come of it. */
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
     * A question that is still to be asked.
     *
     * @param handle not zero, which iwpmd takes for none, and not to be guessed: answers are known by it
     * @param connecting our address and port, which are not mapped
     * @param accepting the address that the program wants to connect to
     * @param waitNanos how long to wait for the answer
     */
    public PortMapQuestion(
            long handle, InetSocketAddress connecting, InetSocketAddress accepting, long waitNanos, long nowNanos) {
        request = new PortMapMessage(Kind.REQUEST, handle, connecting, accepting, connecting);
        next = nowNanos;
        end = nowNanos + waitNanos;
    }

    /** {@return what has come of it so far} */
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

    /** {@return what is to be sent now; null if nothing is} */
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
     * Something has come from the address that was asked, and from its port. What is no answer to this question is not
     * looked at further.
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

    /** Another port of the host that was asked, never another host: iwpmd maps to no other, and no message shall send us to one. */
    private boolean isMapping(InetSocketAddress mapped) {
        return mapped.getPort() != 0
                && mapped.getAddress().equals(request.accepting().getAddress());
    }

    /** The peer's host, or the way to it, says that there is no port mapper. */
    public void unreachable() {
        if (state == State.ASKING) {
            state = State.UNANSWERED;
        }
    }
}
