package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.LentMemory.Direction;
import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.stream.SocketFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits of the blocking calls of a channel: for received bytes, for room for bytes to send, and for the return of the
 * program's memory that is lent to the connection to move bytes without a copy. One thread at a time reads, and one
 * writes. A wait ends early if the channel is closed or the thread is interrupted.
 */
final class StreamWaits {
    /** Two ends that both write fail after one or two of these intervals without progress. */
    private static final Duration BOTH_WRITE = Duration.ofMillis(500);

    private static final Logger LOG = LoggerFactory.getLogger(StreamWaits.class);

    private final Readiness readiness;
    private final BooleanSupplier goesOn;

    /**
     * Waits of one channel.
     *
     * @param goesOn false: the channel is closed. Closes it if the thread was interrupted
     */
    StreamWaits(Readiness readiness, BooleanSupplier goesOn) {
        this.readiness = readiness;
        this.goesOn = goesOn;
    }

    /**
     * {@return whether the connection is established}
     *
     * @throws IOException if the connection fails, or is not established in time
     */
    boolean established(StreamConnection pending, Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        long left = patience.toNanos();
        while (!pending.established()) {
            if (left <= 0) {
                throw SocketFault.CONNECT_LATE.exception(
                        pending.remoteAddress() + " was not connected within " + patience.toMillis() + " ms");
            }
            readiness.awaitOutput(Duration.ofNanos(left));
            if (!goesOn.getAsBoolean()) {
                return false;
            }
            left = deadline - System.nanoTime();
        }
        return true;
    }

    /** {@return bytes that were read; 0: none arrived in time; -1: end of stream} */
    int read(StreamConnection from, ByteBuffer into, Duration patience) throws IOException {
        // A buffer that is lent comes back with bytes only, so a wait with a limit does not lend one.
        boolean timed = !patience.equals(SocketContext.FOR_EVER);
        int read = timed ? readNow(from, into) : take(from, into);
        if (read != 0 || !into.hasRemaining()) {
            return read;
        }
        long deadline = timed ? System.nanoTime() + patience.toNanos() : Long.MAX_VALUE;
        Duration left = patience;
        while (!left.isNegative()) {
            readiness.awaitInput(left);
            read = from.input().read(into);
            if (!goesOn.getAsBoolean() || read != 0) {
                return read;
            }
            if (timed) {
                left = Duration.ofNanos(deadline - System.nanoTime());
            }
        }
        return 0;
    }

    /**
     * {@return as {@link dev.jwarp.sockets.connection.InputHalf#read(ByteBuffer)}} Takes no lock if nothing is there; then
     * the caller has to wait, which sends what a write has left waiting.
     */
    private int readNow(StreamConnection from, ByteBuffer into) throws IOException {
        return (readiness.bits() & Readiness.INPUT) == 0 ? 0 : from.input().read(into);
    }

    /**
     * {@return how many more bytes were read of the message that the last bytes belong to, if writes are messages} A
     * fault is thrown by the next read, because these bytes have arrived.
     */
    int restOfMessage(StreamConnection from, ByteBuffer into, int before, Duration patience) {
        int begin = into.position();
        int read = before;
        try {
            while (read > 0 && into.hasRemaining() && from.input().insideMessage()) {
                read = read(from, into, patience);
            }
        } catch (IOException e) {
            LOG.debug("A message of {} has no end", from.remoteAddress(), e);
        }
        return into.position() - begin;
    }

    /** Writes all of the bytes, or fewer if the wait ends early. */
    void write(StreamConnection to, ByteBuffer from) throws IOException {
        boolean borrowed = put(to, from);
        while (from.hasRemaining() && awaitOutput()) {
            borrowed = put(to, from);
        }
        if (borrowed) {
            awaitSent(to);
        }
    }

    /** {@return whether the wait has not ended early} */
    boolean awaitOutput() {
        readiness.awaitOutput(SocketContext.FOR_EVER);
        return goesOn.getAsBoolean();
    }

    /**
     * Waits until all borrowed bytes are sent. If the wait ends early, the connection is aborted, because the program may
     * change the bytes after the call.
     */
    private void awaitSent(StreamConnection to) {
        readiness.context().flush(); // most often this sends all of it, and no input is needed
        while (to.output().borrowed() && goesOn.getAsBoolean()) {
            readiness.awaitOutput(SocketContext.FOR_EVER);
        }
        if (to.output().borrowed()) {
            to.abort();
        }
    }

    // ---- lent memory

    /**
     * {@return the result of {@link dev.jwarp.sockets.connection.InputHalf#read(ByteBuffer)}} Waits for the bytes that
     * the peer can move into the buffer.
     */
    private int take(StreamConnection from, ByteBuffer into) throws IOException {
        if (!from.lent().wouldLend(into)) {
            return readNow(from, into);
        }
        int before = into.position();
        int read;
        try {
            read = from.lent().readOrLend(into);
        } catch (IOException | RuntimeException e) {
            takeBack(from, Direction.INPUT, into);
            throw e;
        }
        if (!from.lent().lent(Direction.INPUT)) {
            return read;
        }
        await(from, Direction.INPUT, into);
        return into.position() - before;
    }

    /**
     * {@return whether the program's bytes are borrowed} Lends the buffer to the peer as long as the peer can read from
     * it, then writes as many of the remaining bytes as possible.
     */
    private boolean put(StreamConnection to, ByteBuffer from) throws IOException {
        int before = -1;
        while (to.lent().wouldLend(from) && from.position() > before && lend(to, from)) {
            before = from.position();
            await(to, Direction.OUTPUT, from);
        }
        return to.output().write(from, true);
    }

    private static boolean lend(StreamConnection to, ByteBuffer from) throws IOException {
        try {
            return to.lent().lendOutput(from);
        } catch (IOException | RuntimeException e) {
            takeBack(to, Direction.OUTPUT, from);
            throw e;
        }
    }

    /** Waits until the program has its memory back. */
    private void await(StreamConnection of, Direction which, ByteBuffer data) throws IOException {
        boolean back = of.lent().takeBack(which, data, false);
        long stuckAt = -1;
        boolean stuck = false;
        Duration patience = of.lent().tellsOfBothWrite() ? BOTH_WRITE : SocketContext.FOR_EVER;
        while (!back && !stuck && goesOn.getAsBoolean()) {
            if (which == Direction.INPUT) {
                readiness.awaitInput(SocketContext.FOR_EVER);
            } else {
                readiness.awaitOutput(patience);
                long at = of.lent().bothWriteAt();
                stuck = at >= 0 && at == stuckAt;
                stuckAt = at;
            }
            back = of.lent().takeBack(which, data, false);
        }
        if (!back && stuck) {
            String why = "both ends write, and neither reads: " + data.remaining()
                    + " bytes are left of this write; let one of them read first, or set the option BOTH_WRITE_BYTES to as many bytes as are written at once";
            of.abort(() -> new IOException(why));
            of.lent().takeBack(which, data, true);
            throw new IOException(why);
        }
        if (!back) {
            takeBack(of, which, data);
        }
    }

    /** Takes lent memory back at once. If the peer may still access the memory, the connection is aborted. */
    private static void takeBack(StreamConnection of, Direction which, ByteBuffer data) {
        if (!of.lent().takeBack(which, data, true)) {
            of.abort();
            of.lent().takeBack(which, data, true);
        }
    }
}
