package example;

import dev.jwarp.verbs.*;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The roles: a server, its clients, or both in one process with a restart of the server in the middle. */
public final class ParameterServer {
    private static final int CLIENTS = 16;
    private static final int SLICE = 64 * Double.BYTES;
    private static final int SLICES = 256;
    private static final int BYTES = Long.BYTES + SLICES * SLICE; // a counter, followed by parameters
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    public static void main(String[] arguments) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> { // a client that fails ends the process, too
            System.err.println(e);
            System.exit(1);
        });
        String words = String.join(" ", arguments);
        if (words.matches("server \\S+ \\d+")) {
            // The file outlives the process: a restarted server continues with it.
            var file = new RandomAccessFile(arguments[1], "rw").getChannel();
            Server server = new Server(file.map(MapMode.READ_WRITE, 0, BYTES), Integer.parseInt(arguments[2]));
            System.out.println("the server is ready, and the counter is " + server.counter.getAtomic(0));
            Thread.currentThread().join(); // until Ctrl-C
        } else if (words.matches("clients \\S+ \\d+")) {
            Clients clients = new Clients(new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2])));
            while (true) {
                clients.busy.acquire(CLIENTS);
                System.out.println("all clients are at work: " + clients);
            }
        } else if (words.equals("all")) {
            all();
        } else {
            throw new IllegalArgumentException("usage: server FILE PORT | clients HOST PORT | all");
        }
    }

    private static void all() throws InterruptedException {
        ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
        Server server = new Server(memory, 0);
        Clients clients = new Clients(new InetSocketAddress("127.0.0.1", server.port));
        clients.awaitWork();
        server.rnic.close();
        server = new Server(memory, server.port);
        clients.awaitWork();
        clients.stop();
        // Each number belongs to one client, except those whose answers the restart cut off.
        long counter = server.counter.getAtomic(0);
        long missing = counter - clients.taken.get();
        check(missing >= 0 && missing <= clients.unanswered.get(), clients + ", but the counter is " + counter);
        System.out.println("over a restart of the server, " + clients);
        server.rnic.close();
    }

    private static void check(boolean right, String sentence) {
        if (!right) {
            throw new IllegalStateException(sentence);
        }
    }

    /** Only accepts connections: the device answers Reads and Atomics by itself. */
    private static final class Server {
        final Context rnic = RdmaProvider.load().device("jwarp0").open(Progress.THREADED, Map.of());
        final MemoryRegion counter;
        final int port;
        private final ProtectionDomain domain = rnic.allocateProtectionDomain();
        private final CompletionQueue unused = rnic.createCompletionQueue(CLIENTS * 256);
        private final byte[] invitation;

        Server(ByteBuffer memory, int port) {
            for (int at = Long.BYTES; at < BYTES; at += Double.BYTES) {
                memory.putDouble(at, at); // known values, so that clients can check what they read
            }
            // Two regions: clients that may add to the counter must not change a parameter.
            counter = domain.register(memory.slice(0, Long.BYTES), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC);
            MemoryRegion slices = domain.register(memory.slice(Long.BYTES, SLICES * SLICE), AccessFlag.REMOTE_READ);
            ByteBuffer where =
                    ByteBuffer.allocate(24).putLong(counter.address()).putLong(slices.address());
            invitation = where.putInt(counter.rkey()).putInt(slices.rkey()).array();
            CmEventChannel events = rnic.createEventChannel();
            events.onEvent(this::happened);
            CmId listener = rnic.createId(events);
            listener.bind(new InetSocketAddress(port));
            listener.listen(CLIENTS);
            this.port = listener.localAddress().getPort();
        }

        private void happened(CmEvent event) {
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                event.id()
                        .createQueuePair(
                                domain, QueuePairAttributes.builder(unused).build());
                event.id().accept(ConnectionParameters.DEFAULT.withPrivateData(invitation));
            } else if (event.type() == CmEventType.DISCONNECTED || event.type() == CmEventType.CONNECT_ERROR) {
                event.id().close();
            }
        }
    }

    /** Clients that take numbers from the counter, and read the slices of the parameters with these numbers. */
    private static final class Clients {
        final AtomicLong taken = new AtomicLong();
        final AtomicLong unanswered = new AtomicLong();
        final Semaphore busy = new Semaphore(0);
        private final Context rnic = RdmaProvider.load().device("jwarp0").open(Progress.THREADED, Map.of());
        private final ProtectionDomain domain = rnic.allocateProtectionDomain();
        private final List<Thread> threads = new ArrayList<>();
        private volatile boolean stopped;

        Clients(InetSocketAddress server) {
            for (int i = 0; i < CLIENTS; i++) {
                threads.add(new Thread(() -> run(server)));
                threads.get(i).start();
            }
        }

        /** One client, which connects again after each failure. */
        private void run(InetSocketAddress server) {
            MemoryRegion memory = domain.allocate(Long.BYTES + SLICE, AccessFlag.LOCAL_WRITE);
            int failures = 0;
            while (!stopped) {
                try (CompletionQueue done = rnic.createCompletionQueue(256);
                        CmId id = rnic.createId()) {
                    id.resolveAddress(null, server);
                    id.createQueuePair(domain, QueuePairAttributes.builder(done).build());
                    id.connect();
                    failures = 0;
                    work(id, done, memory);
                    id.disconnect();
                } catch (RdmaException e) { // the server has ended; a restarted one has other keys
                    check(++failures < 600, "no server for 30 seconds: " + e.getMessage());
                    LockSupport.parkNanos(PATIENCE.toNanos() / 600);
                }
            }
        }

        private void work(CmId id, CompletionQueue done, MemoryRegion memory) {
            ByteBuffer invitation = ByteBuffer.wrap(id.event().parameters().privateData());
            long counter = invitation.getLong();
            long slices = invitation.getLong();
            int counterKey = invitation.getInt();
            int slicesKey = invitation.getInt();
            SendWorkRequest add = new SendWorkRequest().fetchAndAdd(counter, counterKey, 1);
            add.add(memory, 0, Long.BYTES);
            SendWorkRequest read = new SendWorkRequest();
            for (int step = 1; !stopped; step++) {
                unanswered.incrementAndGet(); // without an answer the addition may have happened or not
                carryOut(id, done, add);
                unanswered.decrementAndGet();
                taken.incrementAndGet();
                int slice = (int) (memory.getAtomic(0) % SLICES) * SLICE;
                read.clear().rdmaRead(slices + slice, slicesKey).add(memory, Long.BYTES, SLICE);
                carryOut(id, done, read);
                for (int at = Long.BYTES; at < Long.BYTES + SLICE; at += Double.BYTES) {
                    check(memory.buffer().getDouble(at) == slice + at, "a parameter differs from the server's");
                }
                if (step == 100) {
                    busy.release();
                }
            }
        }

        private static void carryOut(CmId id, CompletionQueue done, SendWorkRequest request) {
            WorkCompletion[] ends = WorkCompletion.array(1);
            id.queuePair().postSend(request);
            if (done.await(ends, PATIENCE) != 1 || !ends[0].succeeded()) {
                throw new RdmaException(RdmaErrorCode.DISCONNECTED, ends[0].describe());
            }
        }

        /** Waits until each has done 100 steps with a server. */
        void awaitWork() throws InterruptedException {
            boolean all = busy.tryAcquire(CLIENTS, 60, TimeUnit.SECONDS);
            check(all, "only " + busy.availablePermits() + " clients are at work");
        }

        void stop() throws InterruptedException {
            stopped = true;
            for (Thread thread : threads) {
                thread.join();
            }
            rnic.close();
        }

        @Override
        public String toString() {
            return CLIENTS + " clients took " + taken + " numbers and read the slices; " + unanswered
                    + " additions have no answer";
        }
    }
}
