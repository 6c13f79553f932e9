package dev.jwarp.benchmarks.compare;

import dev.jwarp.tools.traffic.PingPong;
import dev.jwarp.tools.traffic.Pipeline;
import dev.jwarp.tools.traffic.Traffic;
import dev.jwarp.tools.traffic.Traffic.Moved;
import dev.jwarp.tools.traffic.Traffic.Rhythm;
import dev.jwarp.tools.traffic.TrafficEnd;
import dev.jwarp.tools.traffic.TrafficLoad;
import dev.jwarp.tools.traffic.TrafficLoad.Operation;
import dev.jwarp.tools.traffic.TrafficLoad.Telling;
import dev.jwarp.tools.traffic.TrafficLoad.Waiting;
import dev.jwarp.tools.traffic.TrafficPlace;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * jwarp: a stream of messages with several in flight, or round trips of one, over a connection or in datagrams. As in
 * perftest, all messages have the same source and the same target. The far end has a thread that alone uses its
 * context, and no listener once it is connected: only then can the connection be read with blocking calls.
 */
final class Jwarp implements Contender {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /**
     * Maximum bytes of datagrams in flight: a receive buffer of 4 MiB holds so much payload beside the kernel's own
     * data.
     */
    private static final int BYTES_BESIDE = 2 << 20;

    private static final int MOST_UNDER_WAY = 128;
    private static final int FEWEST_UNDER_WAY = 32;
    private static final int SIGNAL_EVERY = 4;
    private static final int RECEIVES = 8;
    private static final int RECEIVES_BESIDE = 512;
    /** Small Writes of a stream go to consecutive places of one page. */
    private static final int PAGE = 4096;

    private final Arguments arguments;
    private final boolean latency;
    private final TrafficLoad load;
    private final Rhythm rhythm;
    private final Turn turn = new Turn();
    private final CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
    private final CompletableFuture<TrafficPlace> nearPlace = new CompletableFuture<>();
    private final CompletableFuture<TrafficPlace> farPlace = new CompletableFuture<>();
    private final Traffic traffic;

    /**
     * @param arguments {@code op=send|write|read|fetch_and_add size=N list=N}; {@code wait=spin|block|select} (inline) or
     *     {@code threaded}; {@code crc=on|off}; {@code mtu=N} and {@code keys=ALGORITHM} of datagrams; {@code told=send} for a Send after each
     *     Write of round trips in place of a poll of the memory; settings of jwarp
     * @param latency whether to measure round trips of one message
     * @param beside whether to compare UD, RD and RC with the same number of messages in flight; {@code
     *     service=ud|rd|rc}
     */
    Jwarp(Arguments arguments, Operation otherwise, boolean latency, boolean beside) {
        this.arguments = arguments;
        this.latency = latency;
        Operation operation =
                Operation.valueOf(arguments.text("op", otherwise.name()).toUpperCase(Locale.ROOT));
        QueuePairType service = beside
                ? QueuePairType.valueOf(arguments.text("service", "ud").toUpperCase(Locale.ROOT))
                : QueuePairType.RC;
        boolean datagrams = service != QueuePairType.RC;
        boolean spin = arguments.is("wait", "spin");
        int size =
                operation == Operation.FETCH_AND_ADD ? Long.BYTES : arguments.number("size", latency ? 64 : 64 << 10);
        int list = arguments.number("list", 1);
        int window = beside
                ? Math.max(2, Math.min(MOST_UNDER_WAY, BYTES_BESIDE / size))
                : Math.min(MOST_UNDER_WAY, Math.max(FEWEST_UNDER_WAY, 4 * list));
        boolean told = operation == Operation.SEND || datagrams;
        boolean silent = (operation == Operation.WRITE && latency && !spin) || arguments.is("told", "send");
        load = new TrafficLoad(
                operation,
                service,
                1,
                size,
                operation == Operation.WRITE && !latency && !beside ? PAGE : 0,
                2 * window,
                beside ? RECEIVES_BESIDE : latency ? RECEIVES : 2 * window,
                0,
                spin ? Waiting.SPIN : datagrams ? Waiting.DOZE : Waiting.BLOCK,
                !operation.fetches() && (told || silent) ? Telling.SEND : Telling.MEMORY);
        int every = Math.max(1, window / 4);
        rhythm = latency
                ? Rhythm.oneByOne(size, 0)
                : new Rhythm(
                        size,
                        told && !operation.fetches() ? 2 * window : window,
                        window,
                        every,
                        list,
                        operation.fetches() ? 1 : list > 1 ? list : beside ? every : SIGNAL_EVERY,
                        0,
                        true,
                        false);
        Thread far = new Thread(this::serve, "far end");
        far.setDaemon(true);
        far.start();
        traffic = traffic(near());
        turn.end();
    }

    private Context open() {
        String mode = arguments.text("wait", "block");
        boolean threaded = mode.equals("threaded");
        Map<String, String> settings = new HashMap<>(arguments.settings());
        if (!load.datagrams()) {
            settings.put("jwarp.mpa.crc", arguments.text("crc", "on"));
        }
        String algorithm = arguments.text("keys", "");
        if (!algorithm.isEmpty()) {
            settings.put("jwarp.udp.keys", keys(algorithm).toString());
        }
        if (!threaded) {
            settings.put("jwarp.progress.wait", mode);
        }
        return RdmaProvider.load().device("jwarp0").open(threaded ? Progress.THREADED : Progress.INLINE, settings);
    }

    /** A file with one key, which is the same at both ends. */
    private static Path keys(String algorithm) {
        try {
            Path file = Files.createTempFile("jwarp-keys", ".txt");
            file.toFile().deleteOnExit();
            return Files.writeString(file, "1 send hex:" + "5b".repeat(32) + " any " + algorithm + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TrafficEnd end() {
        TrafficEnd end = new TrafficEnd(open(), load);
        end.scribble();
        if (load.datagrams()) {
            end.bind(DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .pathMtu(arguments.number("mtu", 1500))
                    .build());
        }
        return end;
    }

    private TrafficEnd near() {
        TrafficEnd end = end();
        if (!load.datagrams()) {
            CmId id = end.context().createId();
            id.resolveAddress(null, listening.join());
            end.add(id.createQueuePair(end.domain(), end.attributes()));
            id.connect(ConnectionParameters.DEFAULT.withTimeout(PATIENCE));
        }
        nearPlace.complete(end.place());
        end.meet(farPlace.join(), InetAddress.getLoopbackAddress());
        return end;
    }

    private Traffic traffic(TrafficEnd end) {
        Traffic made = latency ? new PingPong(end, turn) : new Pipeline(end, turn);
        made.prepare(rhythm);
        return made;
    }

    private void serve() {
        try {
            TrafficEnd end = end();
            if (!load.datagrams()) {
                accept(end);
            }
            TrafficPlace here = end.place();
            farPlace.complete(here);
            end.meet(nearPlace.join(), InetAddress.getLoopbackAddress());
            Traffic served = traffic(end);
            while (true) {
                turn.await();
                served.serve();
            }
        } catch (RuntimeException e) {
            listening.completeExceptionally(e);
            farPlace.completeExceptionally(e);
            e.printStackTrace();
            Runtime.getRuntime().halt(1); // otherwise the near end would wait for ever
        }
    }

    private void accept(TrafficEnd end) {
        try (CmId listener = end.context().createId()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.listen(1);
            listening.complete(Objects.requireNonNull(listener.localAddress()));
            CmId id = Objects.requireNonNull(listener.getRequest(PATIENCE), "no connection came");
            end.add(id.createQueuePair(end.domain(), end.attributes()));
            id.accept(ConnectionParameters.DEFAULT);
        }
    }

    @Override
    public Sample round(long nanos) {
        turn.begin();
        Moved moved = traffic.run(0, nanos);
        turn.end();
        return new Sample(
                moved.messages(),
                moved.messages() * load.largest(),
                moved.nanos(),
                moved.lost(),
                latency ? traffic.latencies() : null);
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
