import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Interruption;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import picocli.CommandLine.Help.Ansi;

/** A server that echoes Sends and shows memory, and a client that keeps one connection or makes one after the other. */
final class Connections implements World {
    static final Console CONSOLE = new Console(
            System.out, System.err, System::nanoTime, Map.of(), new Properties(), new Interruption(), Ansi.OFF);
    private static final Duration LIMIT = Duration.ofSeconds(60); // the machine may be busy
    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final Link.Depths DEPTHS = new Link.Depths(16, 16);
    private static final int MEMORY = 64 << 10;
    private static final int ECHO = 256;
    private static final int[] SIZES = {1, 100, 4096, 60_000};

    private final String name;
    private final boolean kept;
    private final Context server;
    private final Context client;
    private final Listening listening;
    private final Thread serving;
    private final SendWorkRequest request = new SendWorkRequest();
    private volatile boolean over;
    private Client there;
    private int rounds;

    Connections(Progress progress, boolean kept) {
        this.kept = kept;
        name = "rc-" + progress.name().toLowerCase(Locale.ROOT) + (kept ? "-kept" : "-new");
        server = RdmaProvider.load().device("jwarp0").open(progress, Map.of());
        client = RdmaProvider.load().device("jwarp0").open(progress, Map.of());
        listening = Listening.quietly(server, CONSOLE, new InetSocketAddress("127.0.0.1", 0));
        serving = new Thread(this::serve, name + "-server");
        serving.start();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void round() {
        rounds++;
        World.takeEvents(client, server);
        if (there == null) {
            there = new Client();
        }
        there.work(SIZES[rounds % SIZES.length], rounds);
        if (kept) {
            return;
        }
        ProtectionDomain domain = there.link.queuePair().protectionDomain();
        try (MemoryRegion own = domain.allocate(4096, AccessFlag.LOCAL_WRITE);
                MemoryRegion given = domain.register(ByteBuffer.allocateDirect(4096), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ)) {
            check(own.lkey() != given.lkey(), "two regions have one key");
        }
        there.end(rounds % 3 != 0);
        there = null;
    }

    private final class Client {
        final Link link = Link.to(listening.address(), null, client, CONSOLE, DEPTHS);
        final MemoryRegion memory = link.allocate(2 * MEMORY, AccessFlag.LOCAL_WRITE);
        final long address;
        final int rkey;

        Client() {
            link.connect(ConnectionParameters.DEFAULT, LIMIT);
            ByteBuffer told = ByteBuffer.wrap(link.answer());
            address = told.getLong();
            rkey = told.getInt();
        }

        /** Writes, reads back, and has a message echoed. */
        void work(int size, int seed) {
            for (int i = 0; i < size; i++) {
                memory.buffer().put(i, (byte) (seed + i));
                memory.buffer().put(MEMORY + i, (byte) 0);
            }
            link.queuePair().postSend(request.clear().rdmaWrite(address, rkey).add(memory, 0, size));
            expect(WorkCompletionOpcode.RDMA_WRITE);
            link.queuePair().postSend(request.clear().rdmaRead(address, rkey).add(memory, MEMORY, size));
            expect(WorkCompletionOpcode.RDMA_READ);
            int echoed = Math.min(size, ECHO);
            compare(size, seed);
            for (int i = 0; i < echoed; i++) {
                memory.buffer().put(MEMORY + i, (byte) 0);
            }
            link.queuePair().postReceive(new ReceiveWorkRequest().add(memory, MEMORY, ECHO));
            link.queuePair().postSend(request.clear().send().signaled(false).add(memory, 0, echoed));
            expect(WorkCompletionOpcode.RECV);
            compare(echoed, seed);
        }

        private void expect(WorkCompletionOpcode opcode) {
            check(link.expect(opcode, LIMIT, opcode.name()) != null, "the connection ended");
        }

        private void compare(int size, int seed) {
            for (int i = 0; i < size; i++) {
                check(memory.buffer().get(MEMORY + i) == (byte) (seed + i), "byte " + i + " of " + size + " is wrong");
            }
        }

        void end(boolean orderly) {
            if (orderly) {
                link.disconnect();
            }
            link.close();
        }
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }

    private void serve() {
        while (!over) {
            try {
                CmId asked = listening.next(MOMENT);
                if (asked != null) {
                    try (Link link = Link.from(asked, CONSOLE, DEPTHS)) {
                        serve(link);
                    }
                }
            } catch (RuntimeException e) {
                if (!over) {
                    Soak.failed(name + "'s server", e);
                }
            }
        }
    }

    private void serve(Link link) {
        MemoryRegion memory =
                link.allocate(MEMORY + 2 * ECHO, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
        ReceiveWorkRequest receive = new ReceiveWorkRequest();
        SendWorkRequest echo = new SendWorkRequest();
        int place = MEMORY;
        link.queuePair().postReceive(receive.add(memory, place, ECHO));
        byte[] told = ByteBuffer.allocate(12).putLong(memory.address()).putInt(memory.rkey()).array();
        link.accept(ConnectionParameters.DEFAULT.withPrivateData(told));
        while (!over) {
            WorkCompletion done = link.next(MOMENT);
            if (done == null) {
                continue;
            } else if (!done.succeeded()) {
                return; // the client has disconnected
            } else if (done.opcode() == WorkCompletionOpcode.RECV) {
                int came = place;
                place = 2 * MEMORY + ECHO - came; // the other one: its echo was heard before this message was sent
                link.queuePair().postReceive(receive.clear().add(memory, place, ECHO)); // there when the echo is heard
                link.queuePair().postSend(echo.clear().send().signaled(false).add(memory, came, done.byteLength()));
            }
        }
    }

    @Override
    public void close() {
        over = true;
        if (there != null) {
            there.end(true);
        }
        try {
            serving.join(LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        listening.close();
        client.close();
        server.close();
    }
}
