package dev.jwarp.messaging;

import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A received message. It holds memory that its sender waits for: close it soon. The endpoint closes a message that a
 * {@link MessageHandler} got when the handler returns, unless the handler calls {@link #keep}.
 *
 * <p>Threads: one at a time.
 */
public final class Message implements AutoCloseable {
    private final MessageEndpoint endpoint;
    /** Of a short message: the slot of its frame. */
    private final @Nullable Slot slot;

    private final @Nullable MessageBuffer buffer;
    private final ByteBuffer data;
    private @Nullable Peer peer;
    private long correlation;
    private int flags;
    private volatile boolean kept;
    /** Whether the message keeps something until it is closed: a reply its receive, a long message a share of memory. */
    boolean reserved;
    /** Counts the messages of a slot, because their object is one. */
    private int arrival;

    private boolean open;

    /** A short message, an object for each slot. */
    Message(MessageEndpoint endpoint, Slot slot, ByteBuffer data) {
        this.endpoint = endpoint;
        this.slot = slot;
        this.data = data;
        buffer = null;
    }

    /** A long message. */
    Message(MessageEndpoint endpoint, MessageBuffer buffer) {
        this.endpoint = endpoint;
        this.buffer = buffer;
        data = buffer.data();
        slot = null;
    }

    /** A copy of a short message. */
    private Message(Message of) {
        endpoint = of.endpoint;
        data = ByteBuffer.allocate(of.data.remaining()).put(of.data).flip();
        peer = of.peer;
        open = true;
        slot = null;
        buffer = null;
    }

    /** {@return a message that holds no receive; closes this one} A long message is its own copy. */
    Message copied() {
        if (slot == null) {
            return this;
        }
        Message made = new Message(this);
        close();
        return made;
    }

    /** Fills in a message that arrived; its bytes are {@code length} from {@code start} on. */
    Message arrived(Peer from, int start, int length, int withFlags, long withCorrelation) {
        peer = from;
        data.clear().position(start).limit(start + length);
        correlation = withCorrelation;
        flags = withFlags;
        reserved = false;
        arrival++;
        kept = false;
        open = true;
        return this;
    }

    @Nullable
    Slot slot() {
        return slot;
    }

    Peer from() {
        Peer sender = peer;
        if (!open || sender == null) {
            throw new RdmaException(RdmaErrorCode.WRONG_STATE, "This message is closed: keep() it to use it longer.");
        }
        return sender;
    }

    /** {@return the service id of the sender} */
    public int source() {
        return from().service();
    }

    /** {@return whether the message moved by RDMA} */
    public boolean isLong() {
        return buffer != null;
    }

    /** {@return the message: the bytes between position and limit; valid until the message is closed} */
    public ByteBuffer data() {
        from();
        return data;
    }

    /** {@return whether the sender waits for a reply} */
    public boolean isCall() {
        return (flags & Frame.CALL) != 0;
    }

    /**
     * Answers a call with a short message. Does not wait: the caller has room for the reply. Return buffers that came
     * with the call are the caller's again.
     *
     * @param reply the bytes between position and limit, at most {@link EndpointOptions#maxShort}; copied
     * @throws RdmaException WRONG_STATE if the message is no call, or is closed; DISCONNECTED if the caller is gone
     */
    public void reply(ByteBuffer reply) {
        endpoint.reply(from(), answering(), reply);
    }

    /**
     * Answers a call with a long message; see {@link MessageEndpoint#sendLong}.
     *
     * @param reply buffers of the endpoint's pool; the bytes between their positions and limits
     * @return completes when the buffers are free again
     * @throws RdmaException WRONG_STATE if the message is no call, or is closed; else as {@code sendLong}
     */
    public CompletableFuture<Void> replyLong(MessageBuffer... reply) {
        return endpoint.replyLong(from(), answering(), reply);
    }

    private long answering() {
        if (!isCall()) {
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE, "The sender of this message waits for no reply: send it a message.");
        }
        return correlation;
    }

    /**
     * Keeps the message open after the handler returns; the program closes it.
     *
     * @return this message
     */
    public Message keep() {
        kept = true;
        return this;
    }

    boolean isReply() {
        return (flags & Frame.REPLY) != 0;
    }

    long correlation() {
        return correlation;
    }

    int arrival() {
        return arrival;
    }

    /** The handler has returned from the message that was this one at {@code its} arrival. */
    void handled(int its) {
        if (!kept && its == arrival) { // in this order: a message that came since then has written both, kept last
            close();
        }
    }

    /** Frees the memory of the message. Further calls have no effect. */
    @Override
    public void close() {
        if (open) {
            Peer sender = from();
            open = false;
            peer = null;
            if (slot != null) {
                endpoint.released(slot, sender, isReply(), reserved);
            } else if (buffer != null) {
                endpoint.longReleased(buffer, sender, reserved);
                buffer.close();
            }
        }
    }

    /** {@return the buffer of a long message, which the caller owns from now on} The message is closed. */
    public MessageBuffer takeBuffer() {
        Peer sender = from();
        if (buffer == null) {
            throw new RdmaException(RdmaErrorCode.WRONG_STATE, "A short message has no buffer: copy its data.");
        }
        endpoint.longReleased(buffer, sender, reserved);
        open = false;
        peer = null;
        return buffer;
    }

    @Override
    public String toString() {
        return (isLong() ? "long" : "short") + " message of " + data.remaining() + " bytes"
                + (peer == null ? "" : " from service " + peer.service());
    }
}
