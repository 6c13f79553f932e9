package dev.jwarp.tools.perf.perftest;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.SignOfLife;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Outgoing;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The first connection. The client sends, and the server answers; each message is a Send of at most 56 bytes. Each end
 * has one receive, which is posted again after the message in its buffer was checked and read, and before the end
 * sends. One thread.
 */
final class PerftestControl implements AutoCloseable {
    static final Link.Depths DEPTHS = new Link.Depths(4, 1);

    private static final Duration SLICE = Duration.ofMillis(200);

    private final Link link;
    private final Console console;
    private final boolean client;
    private final Duration limit;
    private final Outgoing ours;
    private final MemoryRegion theirs;
    private final SendWorkRequest send = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final SignOfLife life;
    private @Nullable Link data;

    /** Checks a message: {@code fault} of its class. */
    interface Check {
        @Nullable
        String fault(ByteBuffer message, int length);
    }

    /** @param link not yet connected or accepted, so that the receive is posted in time */
    PerftestControl(Link link, Console console, boolean client, PerftestSettings settings) {
        this.link = link;
        this.console = console;
        this.client = client;
        limit = settings.answerLimit();
        life = new SignOfLife(console, settings.interval());
        ours = new Outgoing(link::allocate, DEPTHS.sends(), Destination.LENGTH);
        theirs = link.allocate(Destination.LENGTH, AccessFlag.LOCAL_WRITE);
        postReceive();
    }

    Link link() {
        return link;
    }

    /** Watches the other connection, too, during waits for this one. */
    void watch(Link other) {
        data = other;
    }

    /**
     * Swaps a message in each direction; the client sends first.
     *
     * @param write writes the message of this end at index 0
     * @param read reads the checked message of the peer; the peer may overwrite the buffer after this returns
     * @return the result of {@code read}
     */
    <T> T swap(
            Consumer<ByteBuffer> write,
            int length,
            Check check,
            Function<ByteBuffer, T> read,
            String what,
            Duration patience) {
        if (client) {
            tell(write, length);
            return hear(check, read, what, patience);
        }
        T heard = hear(check, read, what, patience);
        tell(write, length);
        return heard;
    }

    /** As above, with the default time limit: the peer has no other work meanwhile. */
    <T> T swap(Consumer<ByteBuffer> write, int length, Check check, Function<ByteBuffer, T> read, String what) {
        return swap(write, length, check, read, what, limit);
    }

    /** Swaps destinations. */
    Destination swap(Destination mine, String what, Duration patience) {
        return swap(mine::write, Destination.LENGTH, Destination::fault, Destination::read, what, patience);
    }

    Destination swap(Destination mine, String what) {
        return swap(mine, what, limit);
    }

    private void tell(Consumer<ByteBuffer> write, int length) {
        int at = ours.offset();
        write.accept(ours.memory().buffer().slice(at, length));
        link.queuePair().postSend(send.clear().signaled(false).add(ours.memory(), at, length));
        ours.posted();
    }

    private <T> T hear(Check check, Function<ByteBuffer, T> read, String what, Duration patience) {
        WorkCompletion got = await(what, patience);
        if (got.status() == WorkCompletionStatus.WR_FLUSH_ERR) {
            throw brokenOff(what);
        } else if (!got.succeeded()) {
            throw link.failed(got);
        }
        String fault = got.opcode() == WorkCompletionOpcode.RECV
                ? check.fault(theirs.buffer(), got.byteLength())
                : "the message is not a Send";
        if (fault != null) {
            throw new ToolFailure(
                    ExitStatus.MISMATCH,
                    link.peer() + " sent something else instead of its " + what + ": " + fault,
                    "is the same program of perftest at the other end, with -R?");
        }
        // Read first: after the receive is posted, the next message of the peer may overwrite the buffer.
        T heard = read.apply(theirs.buffer());
        postReceive();
        return heard;
    }

    private WorkCompletion await(String what, Duration patience) {
        long deadline = console.nanoTime().getAsLong() + patience.toNanos();
        while (true) {
            long left = deadline - console.nanoTime().getAsLong();
            if (left <= 0) {
                throw ToolFailure.failed(
                        "no " + what + " from " + link.peer() + " within " + Timeout.text(patience), link.silence());
            }
            WorkCompletion got = link.next(left < SLICE.toNanos() ? Duration.ofNanos(left) : SLICE);
            if (got != null) {
                return got;
            }
            if (life.due()) {
                console.note("waiting for " + link.peer() + ": its " + what);
            }
            if (data != null && data.queuePair().state() == QueuePairState.ERR) {
                throw brokenOff(what);
            }
        }
    }

    /** Takes the reason from the second connection, if it was aborted. */
    private ToolFailure brokenOff(String what) {
        ToolFailure reason = data == null || data.queuePair().query().failure() == null ? null : data.end();
        return reason == null ? link.brokenOff("before its " + what) : reason;
    }

    private void postReceive() {
        link.queuePair().postReceive(receive.clear().add(theirs, 0, Destination.LENGTH));
    }

    @Override
    public void close() {
        link.disconnect();
        link.close();
    }
}
