package dev.jwarp.benchmarks.memory;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The process whose memory is measured: one end that all peers of a {@link Crowd} talk to. Prints its footprint. */
final class MeasuredEnd {
    private static final int DEPTH = 1 << 14;
    private static final int RECEIVES = 16;
    private static final int BURST = 50;
    private static final long REST = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(300);

    private final Scenario scenario;
    private final int peers;
    private final Bench bench;
    /** Number of completions so far. */
    private int done;

    private final SendWorkRequest send = new SendWorkRequest();
    /** The objects of a program for its peers. */
    private final List<Object> held = new ArrayList<>(DEPTH);

    private MeasuredEnd(Scenario scenario, int peers) {
        this.scenario = scenario;
        this.peers = peers;
        bench = new Bench(scenario);
    }

    public static void main(String[] arguments) throws IOException {
        MeasuredEnd end = new MeasuredEnd(Scenario.valueOf(arguments[0]), Integer.parseInt(arguments[1]));
        Footprint footprint = end.scenario.connected ? end.connections() : end.datagrams();
        System.out.println(footprint.line());
        System.exit(end.held.isEmpty() || end.held.size() == end.peers ? 0 : 1);
    }

    private Footprint connections() throws IOException {
        CmId listener = bench.context.createId();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(RECEIVES);
        int port = Objects.requireNonNull(listener.localAddress()).getPort();
        try (Peers crowd = new Peers(port)) {
            for (int i = 0; i < peers; i++) {
                CmId id = Objects.requireNonNull(listener.getRequest(Duration.ofSeconds(20)), "no connection came");
                QueuePair pair = id.createQueuePair(bench.domain, bench.attributes(RECEIVES, RECEIVES));
                for (int k = 0; k < RECEIVES; k++) {
                    bench.postReceive(pair);
                }
                id.accept(scenario.connection());
                held.add(id);
            }
            crowd.await("ready");
            progress(REST);
            return Footprint.now();
        }
    }

    private Footprint datagrams() throws IOException {
        DatagramQueuePair pair = bench.datagrams(0, DEPTH, DEPTH);
        for (int i = 0; i < DEPTH; i++) {
            bench.postReceive(pair);
        }
        if (scenario.handlesAlone()) {
            boolean apart = scenario == Scenario.UD_HANDLE_APART;
            for (int i = 0; i < peers; i++) {
                held.add(pair.createAddressHandle(apart ? somewhere(i) : pair.localAddress(), 16 + i, i));
            }
            return Footprint.now();
        }
        try (Peers crowd = new Peers(
                pair.localAddress().getPort(),
                pair.number(),
                pair.key(),
                bench.region.address(),
                bench.region.rkey())) {
            List<String> names = crowd.await("ready");
            if (!scenario.weSend) {
                crowd.tell();
                hear(pair, crowd);
                return Footprint.now();
            }
            for (String name : names) {
                held.add(handle(pair, name));
            }
            for (int i = 0; i < peers; i++) {
                post(pair, held.get(i), Bench.MESSAGE);
                drain(pair, i - BURST); // in bursts, because messages in flight need memory, too
            }
            drain(pair, peers);
            if (scenario == Scenario.RD_FLIGHT) {
                crowd.tell(); // the peers are silent from now on
                for (Object handle : held) {
                    post(pair, handle, Bench.LONG_MESSAGE);
                    bench.context.poll();
                }
            }
            progress(REST);
            return Footprint.now();
        }
    }

    /** An address of loopback for each number. */
    private static InetSocketAddress somewhere(int number) throws IOException {
        byte[] octets = {127, (byte) (1 + (number >> 16)), (byte) (number >> 8), (byte) number};
        return new InetSocketAddress(InetAddress.getByAddress(octets), 4791);
    }

    /** Receives the messages of all peers, or leaves them in the socket. */
    private void hear(DatagramQueuePair pair, Peers crowd) throws IOException {
        if (scenario == Scenario.UD_RECORD) {
            while (!crowd.says("spoken")) {
                bench.context.poll();
            }
            progress(REST);
        } else {
            drain(pair, peers);
            progress(REST);
        }
    }

    private void drain(DatagramQueuePair pair, int count) {
        long until = System.nanoTime() + PATIENCE;
        while (done < count) {
            int now = bench.drain();
            for (int i = 0; i < now; i++) {
                if (bench.batch[i].opcode() == WorkCompletionOpcode.RECV) {
                    bench.postReceive(pair);
                }
            }
            done += now;
            if (System.nanoTime() > until) {
                throw new IllegalStateException("only " + done + " of " + count + " messages got through");
            }
        }
    }

    private static AddressHandle handle(DatagramQueuePair pair, String name) {
        String[] part = name.split(" ", -1);
        return pair.createAddressHandle(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(part[0])),
                Integer.parseInt(part[1]),
                Integer.parseInt(part[2]));
    }

    private void post(DatagramQueuePair pair, Object handle, int octets) {
        send.clear().destination((AddressHandle) handle).add(bench.region, 0, octets);
        pair.postSend(send);
    }

    private void progress(long nanos) {
        long until = System.nanoTime() + nanos;
        while (System.nanoTime() < until) {
            bench.context.poll();
        }
    }

    /** The process of the peers. */
    private final class Peers implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;

        /** @param place the address of the measured end, in the form of {@link Crowd} */
        Peers(Number... place) throws IOException {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
            command.addAll(List.of(
                    "-cp", System.getProperty("java.class.path"), Crowd.class.getName(), scenario.name(), "" + peers));
            for (Number number : place) {
                command.add(number.toString());
            }
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            out = process.inputReader(StandardCharsets.UTF_8);
        }

        /** {@return the lines before that one} No progress is made meanwhile. */
        List<String> await(String word) throws IOException {
            List<String> lines = new ArrayList<>();
            for (String line = out.readLine(); !word.equals(line); line = out.readLine()) {
                if (line == null) {
                    throw new IOException("the peers ended early; their own words are above");
                }
                lines.add(line);
            }
            return lines;
        }

        boolean says(String word) throws IOException {
            if (!process.isAlive()) {
                throw new IOException("the peers ended early; their own words are above");
            }
            return out.ready() && word.equals(out.readLine());
        }

        void tell() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        }

        @Override
        public void close() {
            process.destroy();
        }
    }
}
