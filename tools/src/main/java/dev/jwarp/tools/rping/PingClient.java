package dev.jwarp.tools.rping;

import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The client's end; {@link PingServer} has the picture of a round. One thread. */
final class PingClient implements AutoCloseable {
    private static final Link.Depths DEPTHS = new Link.Depths(16, 2);
    private static final long SIGN_OF_LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** One RDMA Read at a time in each direction, as the original. */
    private static final ConnectionParameters ONE_READ =
            ConnectionParameters.DEFAULT.withResponderResources(1).withInitiatorDepth(1);

    private final PingSettings settings;
    private final PingVoice voice;
    private final boolean quiet;
    private final Link link;
    private final MemoryRegion received;
    private final MemoryRegion advertisement;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private final Statistics statistics;
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final SendWorkRequest send = new SendWorkRequest();

    /** @param quiet whether to leave out the sign of life of a run that shows nothing else */
    PingClient(
            Context context,
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            PingSettings settings,
            PingVoice voice,
            boolean quiet) {
        this.settings = settings;
        this.voice = voice;
        this.quiet = quiet;
        statistics = new Statistics(voice.console().nanoTime());
        link = Link.to(remote, local, context, voice.console(), DEPTHS);
        received = link.allocate(Advertisement.LENGTH, AccessFlag.LOCAL_WRITE);
        advertisement = link.allocate(Advertisement.LENGTH);
        source = link.allocate(settings.size(), AccessFlag.REMOTE_READ);
        sink = link.allocate(settings.size(), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    }

    /** Connects, pings as often as asked, and ends the connection. */
    void run() {
        postReceive();
        link.connect(ONE_READ, settings.answerLimit());
        voice.trace("connected to " + link.peer());
        statistics.begin();
        long lastSign = now();
        long lastStart = lastSign;
        for (long done = 0; settings.count() == 0 || done < settings.count(); done++) {
            if (done > 0) {
                rest(lastStart);
            }
            lastStart = now();
            // The text has room for 31 bits: a run without end counts round.
            round((int) (done % Integer.MAX_VALUE));
            if (!quiet && now() - lastSign >= SIGN_OF_LIFE_NANOS) {
                lastSign = now();
                voice.console().note(statistics.rounds() + " rounds with " + link.peer());
            }
        }
        link.disconnect();
        voice.trace("disconnected from " + link.peer());
    }

    private void round(int ping) {
        long start = now();
        PingText.write(ping, source.buffer().duplicate());
        advertise(source);
        awaitAnswer("go-ahead after the RDMA Read");
        advertise(sink);
        awaitAnswer("go-ahead after the RDMA Write");
        statistics.round(now() - start);
        ByteBuffer echo = sink.buffer().duplicate();
        if (settings.validate()) {
            int wrong = source.buffer().duplicate().mismatch(echo);
            statistics.compared(wrong < 0);
            if (wrong >= 0) {
                throw ToolFailure.failed(String.format(
                        "round %d: the data came back changed, first at offset %d: 0x%02x became 0x%02x",
                        ping + 1, wrong, source.buffer().get(wrong), echo.get(wrong)));
            }
        }
        if (settings.verbose()) {
            voice.data("ping data: " + PingText.read(echo));
        }
    }

    /** Waits for the next round's turn, and sees meanwhile if the server goes. */
    private void rest(long roundStart) {
        voice.console().endIfAsked();
        Duration left = settings.interval().minusNanos(now() - roundStart);
        if (left.isNegative() || left.isZero()) {
            return;
        }
        WorkCompletion unexpected = link.next(left);
        if (unexpected != null) {
            throw unexpected.succeeded() ? strange() : ended(unexpected);
        }
    }

    private ToolFailure ended(WorkCompletion completion) {
        return completion.status() == WorkCompletionStatus.WR_FLUSH_ERR
                ? link.brokenOff(afterRounds())
                : link.failed(completion);
    }

    private String afterRounds() {
        return "after " + statistics.rounds() + (statistics.rounds() == 1 ? " round" : " rounds");
    }

    private ToolFailure strange() {
        return new ToolFailure(
                ExitStatus.MISMATCH, link.peer() + " sent a message that was not asked for", "is it an rping server?");
    }

    private void advertise(MemoryRegion region) {
        int length = (int) region.length(); // as long as a ping
        Advertisement.write(advertisement.buffer(), region.address(), region.rkey(), length);
        voice.trace(String.format("advertise 0x%x, STag 0x%08x, %d bytes", region.address(), region.rkey(), length));
        link.queuePair().postSend(send.clear().id(1).signaled(false).add(advertisement, 0, Advertisement.LENGTH));
    }

    private void awaitAnswer(String what) {
        WorkCompletion got = link.expect(WorkCompletionOpcode.RECV, settings.answerLimit(), what);
        if (got == null) {
            throw link.brokenOff(afterRounds());
        }
        if (got.byteLength() != Advertisement.LENGTH) {
            throw new ToolFailure(
                    ExitStatus.MISMATCH,
                    link.peer() + " sent a message of " + got.byteLength() + " bytes; rping's have "
                            + Advertisement.LENGTH,
                    "is it an rping server?");
        }
        postReceive();
    }

    private void postReceive() {
        link.queuePair().postReceive(receive.clear().add(received, 0, Advertisement.LENGTH));
    }

    private long now() {
        return voice.console().nanoTime().getAsLong();
    }

    String peerHost() {
        return link.peerHost();
    }

    Statistics statistics() {
        return statistics;
    }

    Statistics.Summary summary() {
        return statistics.summary(link.peer(), settings.size());
    }

    @Override
    public void close() {
        link.disconnect();
        link.close();
    }
}
