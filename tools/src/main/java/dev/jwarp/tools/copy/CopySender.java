package dev.jwarp.tools.copy;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.Shares;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * A sender connected to {@link CopyServer}. It holds a waiting place at first, then a serving place with a thread. Only
 * the server's thread calls, except where noted.
 */
final class CopySender implements ShareHolder {
    private static final String NEEDED = "another sender needs the place: copy again to resume";

    final SocketChannel channel;
    /** The key of the sender's address, see {@link dev.jwarp.base.SourceKey}. */
    final long source;
    /** Held while a receiver sums up a part. The senders of an address share this lock. */
    final Lock summing;

    private Share share;
    private @Nullable CopyTalk talk;
    private @Nullable Thread thread;
    private long steppedAt;
    private boolean left;
    private volatile boolean ended;

    CopySender(SocketChannel channel, long source, Lock summing, Shares waiting, long nowNanos) {
        this.channel = channel;
        this.source = source;
        this.summing = summing;
        share = waiting.join(source, this, nowNanos);
    }

    /** {@return whether the sender got a waiting place} */
    boolean mayWait(long nowNanos) {
        return share.take(1, nowNanos);
    }

    /**
     * {@return whether the sender moved from its waiting place to a serving place} If so, the caller starts its thread.
     */
    boolean takePlace(Shares serving, long nowNanos) {
        Share place = serving.join(source, this, nowNanos);
        if (!place.take(1, nowNanos)) {
            place.leave();
            return false;
        }
        share.leave();
        share = place;
        return true;
    }

    /** Sets the connection and the thread that serves the sender. */
    void begins(CopyTalk with, Thread in) {
        talk = with;
        thread = in;
        steppedAt = with.steppedAt();
    }

    /** {@return whether the sender still waits for a serving place} */
    boolean waits() {
        return talk == null && !left;
    }

    /** The thread of the sender has ended. Any thread. */
    void ends() {
        ended = true;
    }

    /** Waits for the end of the sender's thread, at most so many nanoseconds. */
    void awaitEnd(long nanos) {
        Thread in = thread;
        if (in != null && nanos > 0) {
            try {
                in.join(TimeUnit.NANOSECONDS.toMillis(nanos) + 1); // join(0) would wait without limit
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** {@return whether the sender has released its place} */
    boolean hasLeft() {
        if (ended) {
            leaves();
        }
        return left;
    }

    /** Ends the connection of a late sender, and updates the time of its last progress. */
    void look(long nowNanos) {
        CopyTalk with = talk;
        if (with == null) {
            return;
        }
        with.look();
        if (!left && (!with.waits() || with.steppedAt() != steppedAt)) {
            steppedAt = with.steppedAt();
            share.moved(with.waits() ? steppedAt : nowNanos);
        }
    }

    /** Releases the sender's place. */
    void leaves() {
        left = true;
        share.leave();
    }

    @Override
    public void takeBack(long nowNanos) {
        CopyTalk with = talk;
        if (with == null) {
            turnAway();
        } else {
            with.leave(NEEDED);
        }
        leaves();
    }

    /**
     * Refuses the sender with a sentence. The channel is non-blocking: bytes of the sentence that the socket does not
     * accept at once are lost.
     */
    void turnAway() {
        byte[] words = NEEDED.getBytes(StandardCharsets.UTF_8);
        ByteBuffer answer = ByteBuffer.allocate(Byte.BYTES + Short.BYTES + words.length);
        answer.put((byte) CopyWire.REFUSED).putShort((short) words.length).put(words);
        try (channel) {
            // Closing with unread data would reset the connection, and the answer would be lost.
            channel.read(ByteBuffer.allocate(answer.capacity()));
            channel.write(answer.flip());
            channel.shutdownOutput();
        } catch (IOException e) {
            // The sender has closed the connection.
        }
    }
}
