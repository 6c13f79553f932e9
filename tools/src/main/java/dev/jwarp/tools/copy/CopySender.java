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

/** A sender at {@link CopyServer}, with what it holds there: room to wait, and then a place. The server's thread. */
final class CopySender implements ShareHolder {
    private static final String NEEDED = "another sender needs the place: copy again, to go on from what is there";

    final SocketChannel channel;
    /** Its address, see {@link dev.jwarp.base.SourceKey}. */
    final long source;
    /** Held by the one of its address that sums up what is there. */
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

    /** {@return whether there is room for it to wait} */
    boolean mayWait(long nowNanos) {
        return share.take(1, nowNanos);
    }

    /** {@return whether it has a place among these now, in which its thread begins} */
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

    /** That thread talks to it through this. */
    void begins(CopyTalk with, Thread in) {
        talk = with;
        thread = in;
        steppedAt = with.steppedAt();
    }

    /** {@return whether it has no place yet} */
    boolean waits() {
        return talk == null && !left;
    }

    /** Its thread is over. Any thread. */
    void ends() {
        ended = true;
    }

    /** Waits for its thread, but not longer than that. */
    void awaitEnd(long nanos) {
        Thread in = thread;
        if (in != null && nanos > 0) {
            try {
                in.join(TimeUnit.NANOSECONDS.toMillis(nanos) + 1); // 0 would be without end
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** {@return whether it holds nothing any more} */
    boolean hasLeft() {
        if (ended) {
            leaves();
        }
        return left;
    }

    /** Ends it if it is late, and notes whether it is idle. */
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

    /** It holds nothing any more. */
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

    /** Its channel does not block: what does not go at once does not go. */
    void turnAway() {
        byte[] words = NEEDED.getBytes(StandardCharsets.UTF_8);
        ByteBuffer answer = ByteBuffer.allocate(Byte.BYTES + Short.BYTES + words.length);
        answer.put((byte) CopyWire.REFUSED).putShort((short) words.length).put(words);
        try (channel) {
            channel.read(
                    ByteBuffer.allocate(answer.capacity())); // what is not read when it is closed takes the answer away
            channel.write(answer.flip());
            channel.shutdownOutput();
        } catch (IOException e) {
            // It has gone by itself.
        }
    }
}
