package dev.jwarp.tools.ping;

import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.ping.PingClient.PingSettings;
import dev.jwarp.tools.ping.PingClient.PingVoice;
import dev.jwarp.tools.ping.PingReport.Rounds;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The server's end of one connection of rping. A round, as in rping of rdma-core:
 *
 * <pre>{@code
 *   client                                  server
 *     Send: here is my source     ------->
 *            <-- RDMA Read of the source --
 *                                 <-------  Send: go on
 *     Send: here is my sink       ------->
 *            <-- RDMA Write to the sink ---
 *                                 <-------  Send: done
 * }</pre>
 *
 * One thread.
 */
final class RpingServer implements AutoCloseable {
    private static final Link.Depths DEPTHS = new Link.Depths(16, 2);
    private static final Duration LOOK = Duration.ofMillis(100);
    /** Time after which a silent client has to make room for a waiting one. */
    static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PingSettings settings;
    private final PingVoice voice;
    private final Link link;
    private final MemoryRegion advertisement;
    private final MemoryRegion answer;
    private final MemoryRegion data;
    private final Rounds rounds;
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final SendWorkRequest send = new SendWorkRequest();
    private int size;
    private boolean met;
    private volatile long heardAt;

    /**
     * The client's message before each transfer, 16 bytes, big-endian: the buffer that the server may read or write.
     *
     * @param address of the buffer
     * @param stag of the buffer
     * @param size bytes of the buffer
     */
    record Advertisement(long address, int stag, int size) {
        static final int LENGTH = 16;

        static Advertisement of(ByteBuffer source) {
            return new Advertisement(source.getLong(0), source.getInt(8), source.getInt(12));
        }

        void write(ByteBuffer target) {
            target.putLong(0, address).putInt(8, stag).putInt(12, size);
        }

        /** Throws if a message has not the length of an advertisement or its answer. */
        static void check(WorkCompletion got, String peer, String role) {
            if (got.byteLength() != LENGTH) {
                throw new ToolFailure(
                        ExitStatus.MISMATCH,
                        peer + " sent a message of " + got.byteLength() + " bytes; rping's have " + LENGTH,
                        "is it an rping " + role + "?");
            }
        }

        @Override
        public String toString() {
            return String.format("0x%x, STag 0x%08x, %d bytes", address, stag, size);
        }
    }

    private RpingServer(Link link, PingSettings settings, PingVoice voice) {
        this.link = link;
        this.settings = settings;
        this.voice = voice;
        rounds = new Rounds(voice.console().nanoTime());
        heard();
        advertisement = link.allocate(Advertisement.LENGTH, AccessFlag.LOCAL_WRITE);
        answer = link.allocate(Advertisement.LENGTH);
        // Room for the largest size, because the client's size is not known before its first advertisement.
        data = link.allocate(PingText.MAX_SIZE, AccessFlag.LOCAL_WRITE);
    }

    /** {@return the server's end of a request that is not accepted yet} Closes the request if that fails. */
    static RpingServer of(CmId request, PingSettings settings, PingVoice voice) {
        Link link = Link.from(request, voice.console(), DEPTHS);
        return link.whole(() -> new RpingServer(link, settings, voice));
    }

    /** Accepts the connection. */
    void accept() {
        postReceive();
        link.accept(ConnectionParameters.DEFAULT);
        voice.trace("accepted " + link.peer());
        rounds.begin();
    }

    /**
     * Waits for the first advertisement, which shows that the peer is an rping client. To be called before {@link
     * #run}.
     *
     * @param others whether another client waits, for which a silent one has to make room
     * @throws ToolFailure if the peer is not an rping client
     */
    void meet(BooleanSupplier others) {
        try {
            WorkCompletion got = link.next(LOOK);
            while (got == null) {
                long silence = voice.console().nanoTime().getAsLong() - heardAt;
                if (silence >= settings.peerLimit().toNanos() || (silence >= SILENCE_NANOS && others.getAsBoolean())) {
                    throw ToolFailure.failed(link.peer() + " sent no advertisement");
                }
                got = link.next(LOOK);
            }
            if (link.expected(got, WorkCompletionOpcode.RECV, "advertisement") == null) {
                throw link.brokenOff("before its first ping");
            }
            check(got);
            sizeOf(advertised());
            met = true;
        } finally {
            if (!met) {
                link.breakOff(); // an unknown peer gets no orderly end, which takes time
            }
        }
    }

    /**
     * Answers until the client disconnects.
     *
     * @throws ToolFailure if the connection was aborted
     */
    void run() {
        boolean asked = met || awaitRound();
        while (asked) {
            if (!answerOne()) {
                throw link.brokenOff("in the middle of round " + (rounds.rounds() + 1));
            }
            asked = awaitRound();
        }
        ToolFailure reason = link.end();
        if (reason != null) {
            throw reason;
        }
        voice.trace(link.peer() + " closed the connection");
        link.disconnect();
    }

    /** {@return whether the client begins another round; false if it has disconnected} */
    private boolean awaitRound() {
        voice.console().endIfAsked();
        WorkCompletion got = link.expect(WorkCompletionOpcode.RECV, settings.peerLimit(), "advertisement");
        if (got != null) {
            check(got);
            heard();
        }
        return got != null;
    }

    private void heard() {
        heardAt = voice.console().nanoTime().getAsLong();
    }

    /** {@return the time of the client's last advertisement, by the console's clock} Any thread. */
    long heardAt() {
        return heardAt;
    }

    /** Aborts the connection, because another client needs the place. Any thread. */
    void breakOff() {
        link.breakOff();
    }

    private boolean answerOne() {
        Advertisement source = advertised();
        size = sizeOf(source);
        voice.trace("source at " + source);
        link.queuePair()
                .postSend(send.clear()
                        .id(1)
                        .rdmaRead(source.address(), source.stag())
                        .add(data, 0, size));
        postReceive();
        if (link.expect(WorkCompletionOpcode.RDMA_READ, settings.answerLimit(), "data for the RDMA Read") == null) {
            return false;
        }
        show(data.buffer().duplicate().limit(size));
        postAnswer();
        WorkCompletion got = link.expect(WorkCompletionOpcode.RECV, settings.answerLimit(), "advertisement of a sink");
        if (got == null) {
            return false;
        }
        check(got);
        heard();
        Advertisement sink = advertised();
        voice.trace("sink at " + sink);
        // Text and NUL only, as in rping of rdma-core.
        int length = Math.min(PingText.length(data.buffer().duplicate().limit(size)) + 1, size);
        link.queuePair()
                .postSend(send.clear()
                        .id(2)
                        .signaled(false)
                        .rdmaWrite(sink.address(), sink.stag())
                        .add(data, 0, length));
        postReceive();
        postAnswer();
        rounds.round();
        return true;
    }

    private void show(ByteBuffer text) {
        if (settings.verbose()) {
            voice.data("server ping data: " + PingText.read(text));
        }
        if (settings.validate()) {
            boolean right = PingText.valid(text);
            rounds.compared(right);
            if (!right) {
                throw ToolFailure.failed(
                        "round " + (rounds.rounds() + 1) + " from " + link.peer() + ": the data are not a ping's text");
            }
        }
    }

    private void postReceive() {
        link.queuePair().postReceive(receive.clear().add(advertisement, 0, Advertisement.LENGTH));
    }

    private void postAnswer() {
        link.queuePair().postSend(send.clear().id(3).signaled(false).add(answer, 0, Advertisement.LENGTH));
    }

    private void check(WorkCompletion got) {
        Advertisement.check(got, link.peer(), "client");
    }

    private Advertisement advertised() {
        return Advertisement.of(advertisement.buffer());
    }

    private int sizeOf(Advertisement source) {
        int wanted = source.size();
        if (wanted < 1 || wanted > PingText.MAX_SIZE) {
            throw new ToolFailure(
                    ExitStatus.MISMATCH,
                    link.peer() + " offers a buffer of " + Integer.toUnsignedString(wanted)
                            + " bytes; rping's have 1 to " + PingText.MAX_SIZE,
                    "is it an rping client?");
        }
        return wanted;
    }

    String peerHost() {
        return link.peerHost();
    }

    Rounds rounds() {
        return rounds;
    }

    Object summary() {
        return rounds.summary(link.peer(), size);
    }

    @Override
    public void close() {
        link.disconnect();
        link.close();
    }
}
