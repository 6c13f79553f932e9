package dev.jwarp.tools.ping;

import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.ping.PingReport.Rounds;
import dev.jwarp.tools.ping.RpingServer.Advertisement;
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
import org.jspecify.annotations.Nullable;

/** The client of rping; {@link RpingServer} has the picture of a round. One thread. */
final class RpingClient extends PingClient<Rounds> {
    private static final Link.Depths DEPTHS = new Link.Depths(16, 2);
    /** One RDMA Read at a time in each direction, as in rping of rdma-core. */
    private static final ConnectionParameters ONE_READ =
            ConnectionParameters.DEFAULT.withResponderResources(1).withInitiatorDepth(1);

    private final Link link;
    private final MemoryRegion received;
    private final MemoryRegion advertisement;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final SendWorkRequest send = new SendWorkRequest();

    RpingClient(
            Context context,
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            PingSettings settings,
            PingVoice voice) {
        super(settings, voice, new Rounds(voice.console().nanoTime()));
        link = Link.to(remote, local, context, voice.console(), DEPTHS);
        received = link.allocate(Advertisement.LENGTH, AccessFlag.LOCAL_WRITE);
        advertisement = link.allocate(Advertisement.LENGTH);
        source = link.allocate(settings.size(), AccessFlag.REMOTE_READ);
        sink = link.allocate(settings.size(), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    }

    /** Connects, pings as often as asked, and ends the connection. */
    @Override
    void run() {
        postReceive();
        link.connect(ONE_READ, settings.answerLimit());
        voice.trace("connected to " + link.peer());
        super.run();
        link.disconnect();
        voice.trace("disconnected from " + link.peer());
    }

    @Override
    void ping(long number) {
        long start = now();
        // The number in the text has 31 bits, and wraps in a run without end.
        PingText.write((int) (number % Integer.MAX_VALUE), source.buffer().duplicate());
        advertise(source);
        awaitAnswer("go-ahead after the RDMA Read");
        advertise(sink);
        awaitAnswer("go-ahead after the RDMA Write");
        report.round();
        report.took(now() - start);
        ByteBuffer echo = sink.buffer().duplicate();
        if (settings.validate()) {
            int wrong = source.buffer().duplicate().mismatch(echo);
            report.compared(wrong < 0);
            if (wrong >= 0) {
                throw ToolFailure.failed(String.format(
                        "round %d: the data came back changed, first at offset %d: 0x%02x became 0x%02x",
                        number + 1, wrong, source.buffer().get(wrong), echo.get(wrong)));
            }
        }
        if (settings.verbose()) {
            voice.data("ping data: " + PingText.read(echo));
        }
    }

    /** Waits, and fails if the server ends the connection meanwhile. */
    @Override
    void rest(Duration left) {
        WorkCompletion unexpected = link.next(left);
        if (unexpected != null) {
            throw unexpected.succeeded() ? strange() : ended(unexpected);
        }
    }

    private ToolFailure ended(WorkCompletion completion) {
        return completion.status() == WorkCompletionStatus.WR_FLUSH_ERR
                ? link.brokenOff("after " + report.soFar())
                : link.failed(completion);
    }

    private ToolFailure strange() {
        return new ToolFailure(
                ExitStatus.MISMATCH, link.peer() + " sent an unexpected message", "is it an rping server?");
    }

    private void advertise(MemoryRegion region) {
        Advertisement where = new Advertisement(region.address(), region.rkey(), settings.size());
        where.write(advertisement.buffer());
        voice.trace("advertise " + where);
        link.queuePair().postSend(send.clear().id(1).signaled(false).add(advertisement, 0, Advertisement.LENGTH));
    }

    private void awaitAnswer(String what) {
        WorkCompletion got = link.expect(WorkCompletionOpcode.RECV, settings.answerLimit(), what);
        if (got == null) {
            throw link.brokenOff("after " + report.soFar());
        }
        Advertisement.check(got, link.peer(), "server");
        postReceive();
    }

    private void postReceive() {
        link.queuePair().postReceive(receive.clear().add(received, 0, Advertisement.LENGTH));
    }

    @Override
    Object summary(String peer) {
        return report.summary(peer, settings.size());
    }

    @Override
    public void close() {
        link.disconnect();
        link.close();
    }
}
