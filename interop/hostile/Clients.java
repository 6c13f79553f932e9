import dev.jwarp.sockets.JwarpSockets;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Interruption;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ResolvedService;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Help.Ansi;

/**
 * Good clients and their service: for each client the rounds in a second, and their duration from the time when they were due. Clients
 * with an existing connection connect when this program starts; a line on standard input begins a measurement.
 */
public final class Clients {
    private static final Console CONSOLE = new Console(
            System.out, System.err, System::nanoTime, Map.of(), new Properties(), new Interruption(), Ansi.OFF);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final long UD_SERVICE = 0x1122334455667788L;

    /** One kind of client. */
    private interface Client {
        void round();

        default void end() {}
    }

    /** A client's way of being made. */
    private interface Made {
        Client make();
    }

    private static String host;
    private static Map<String, Long> server;
    private static Map<String, String> settings;

    private Clients() {}

    /** Arguments: host, what the server said, settings as KEY=VALUE, then clients as NAME:ROUNDS_A_SECOND. */
    public static void main(String[] arguments) throws Exception {
        host = arguments[0];
        server = new HashMap<>();
        for (String word : arguments[1].split(" ")) {
            if (word.contains("=")) {
                server.put(word.split("=")[0], Long.parseUnsignedLong(word.split("=")[1]));
            }
        }
        settings = new HashMap<>();
        List<Thread> threads = new ArrayList<>();
        List<Run> runs = new ArrayList<>();
        for (int i = 2; i < arguments.length; i++) {
            if (arguments[i].contains("=")) {
                settings.put(arguments[i].split("=", 2)[0], arguments[i].split("=", 2)[1]);
                continue;
            }
            String name = arguments[i].split(":")[0];
            Run run = new Run(name, maker(name), Double.parseDouble(arguments[i].split(":")[1]));
            runs.add(run);
            Thread thread = new Thread(run, name);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        System.out.println("ready");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            long nanos = (long) (Double.parseDouble(line) * 1e9);
            runs.forEach(Run::reset);
            long start = System.nanoTime();
            while (System.nanoTime() - start < nanos) {
                LockSupport.parkNanos(10_000_000);
            }
            runs.forEach(run -> System.out.println(run.text((System.nanoTime() - start) / 1e9)));
            System.out.println("measured");
        }
        System.exit(0);
    }

    /** Rounds of one client, evenly spaced. */
    private static final class Run implements Runnable {
        private final String name;
        private final Made maker;
        private final long period;
        private Histogram times = histogram();
        private long failed;
        private String failure = "";
        private long begun;

        Run(String name, Made maker, double rate) {
            this.name = name;
            this.maker = maker;
            period = (long) (1e9 / rate);
        }

        private static Histogram histogram() {
            return new Histogram(1, 600_000_000_000L, 3);
        }

        synchronized void reset() {
            times = histogram();
            failed = 0;
            failure = "";
            begun = System.nanoTime();
        }

        @Override
        public void run() {
            Client client = null;
            for (long due = System.nanoTime(); ; due += period) {
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                try {
                    if (client == null) {
                        client = maker.make();
                    }
                    client.round();
                    if (!name.endsWith("-kept")) {
                        client.end();
                        client = null;
                    }
                    ended(due);
                } catch (RuntimeException e) {
                    failed(e);
                    try {
                        if (client != null) {
                            client.end();
                        }
                    } catch (RuntimeException again) {
                        // it is the first failure that counts
                    }
                    client = null;
                    LockSupport.parkNanos(20_000_000);
                    due = System.nanoTime();
                }
                if (System.nanoTime() - due > 2_000_000_000L) {
                    due = System.nanoTime(); // what is long over is not made up for
                }
            }
        }

        private synchronized void ended(long due) {
            times.recordValue(Math.max(1, System.nanoTime() - Math.max(due, begun)));
        }

        private synchronized void failed(RuntimeException e) {
            failed++;
            failure = String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString());
        }

        synchronized String text(double seconds) {
            return String.format(
                    "%s rate=%.2f p50=%d p99=%d failed=%d %s",
                    name, times.getTotalCount() / seconds, times.getValueAtPercentile(50), times.getValueAtPercentile(99), failed, failure);
        }
    }

    private static Made maker(String name) {
        return switch (name) {
            case "rc-read-kept" -> {
                Context context = RdmaProvider.load().device("jwarp0").open(Progress.THREADED, some(false));
                yield () -> new Connection(context, 64 << 10, false);
            }
            case "rc-write-kept" -> {
                Context context = RdmaProvider.load().device("jwarp0").open(Progress.THREADED, some(false));
                yield () -> new Connection(context, 512 << 10, true);
            }
            case "rc-small-kept", "rc-new" -> {
                Context context = RdmaProvider.load().device("jwarp0").open(Progress.THREADED, some(false));
                yield () -> new Connection(context, 64, false);
            }
            case "ud-kept", "ud-new" -> {
                Context context = RdmaProvider.load().device("jwarp0").open(Progress.THREADED, some(true));
                yield () -> new Datagram(context, QueuePairType.UD, 8 << 10);
            }
            case "rd-kept" -> {
                Context context = RdmaProvider.load().device("jwarp0").open(Progress.THREADED, some(true));
                yield () -> new Datagram(context, QueuePairType.RD, 256 << 10);
            }
            case "rd-new" -> {
                Context context = RdmaProvider.load().device("jwarp0").open(Progress.THREADED, some(true));
                yield () -> new Datagram(context, QueuePairType.RD, 1 << 10);
            }
            case "sock-kept", "sock-new" -> Echo::new;
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** A program of java.nio that sends a few bytes and waits for them. */
    private static final class Echo implements Client {
        private final SocketChannel channel;
        private final ByteBuffer bytes = ByteBuffer.allocate(64);

        Echo() {
            try {
                channel = JwarpSockets.openSocketChannel();
                channel.connect(new InetSocketAddress(host, server.get("tcp").intValue()));
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }

        @Override
        public void round() {
            try {
                channel.write(bytes.clear());
                bytes.clear();
                while (bytes.hasRemaining()) {
                    if (channel.read(bytes) < 0) {
                        throw new IllegalStateException("the server has ended the connection");
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }

        @Override
        public void end() {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }
    }

    private static Map<String, String> some(boolean datagrams) {
        return datagrams ? settings : Map.of();
    }

    private static void check(WorkCompletion done, String what) {
        if (done == null) {
            throw new IllegalStateException("no " + what + " within " + LIMIT);
        } else if (!done.succeeded()) {
            throw new IllegalStateException(done.describe());
        }
    }

    /** Reads or writes the server's memory. */
    private static final class Connection implements Client {
        private final Link link;
        private final MemoryRegion memory;
        private final long address;
        private final int rkey;
        private final boolean write;

        Connection(Context context, int size, boolean write) {
            this.write = write;
            InetSocketAddress to = new InetSocketAddress(host, server.get("tcp").intValue());
            link = Link.to(to, null, context, CONSOLE, new Link.Depths(4, 4));
            try {
                memory = link.allocate(size, AccessFlag.LOCAL_WRITE);
                link.connect(ConnectionParameters.DEFAULT, LIMIT);
            } catch (RuntimeException e) {
                link.close();
                throw e;
            }
            ByteBuffer told = ByteBuffer.wrap(link.answer());
            address = told.getLong();
            rkey = told.getInt();
        }

        @Override
        public void round() {
            SendWorkRequest request = new SendWorkRequest();
            if (write) {
                link.queuePair().postSend(request.rdmaWrite(address, rkey).signaled(false).add(memory));
                request = new SendWorkRequest().fence(true); // and a small Read behind it, which shows that it is there
            }
            request.rdmaRead(address, rkey).add(memory, 0, write ? 8 : (int) memory.length());
            link.queuePair().postSend(request);
            check(link.next(LIMIT), "answer");
        }

        @Override
        public void end() {
            link.close();
        }
    }

    /** UD reads the server's memory, RD writes it. */
    private static final class Datagram implements Client {
        private final ProtectionDomain domain;
        private final CompletionQueue completions;
        private final DatagramQueuePair pair;
        private final MemoryRegion memory;
        private final WorkCompletion[] one = WorkCompletion.array(1);
        private final AddressHandle peer;

        Datagram(Context context, QueuePairType type, int size) {
            domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(64);
            memory = domain.allocate(size, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            pair = domain.createDatagramQueuePair(
                    type,
                    QueuePairAttributes.builder(completions).maxSendWorkRequests(16).maxReceiveWorkRequests(4).build(),
                    DatagramAttributes.builder(new InetSocketAddress(host, 0)).pathMtu(1500).build());
            InetSocketAddress to = new InetSocketAddress(host, server.get("udp").intValue());
            try {
                if (type == QueuePairType.UD) {
                    ResolvedService found = context.resolve(to, UD_SERVICE, dev.jwarp.verbs.ResolveParameters.DEFAULT.withTypes(type));
                    peer = pair.createAddressHandle(found);
                } else {
                    peer = pair.createAddressHandle(to, server.get("rd").intValue(), server.get("rdkey").intValue());
                }
            } catch (RuntimeException e) {
                close();
                throw e;
            }
        }

        @Override
        public void round() {
            SendWorkRequest request = new SendWorkRequest().destination(peer).add(memory);
            long address = server.get("base");
            int rkey = server.get("stag").intValue();
            pair.postSend(
                    pair.type() == QueuePairType.UD
                            ? request.rdmaRead(address, rkey).timeout(Duration.ofSeconds(2))
                            : request.rdmaWrite(address, rkey));
            int count = completions.await(one, LIMIT);
            check(count == 0 ? null : one[0], "completion");
            one[0].release();
        }

        @Override
        public void end() {
            try {
                peer.close();
            } finally {
                close();
            }
        }

        private void close() {
            pair.close();
            memory.close();
            completions.close();
            domain.close();
        }
    }
}
