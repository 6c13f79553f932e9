package dev.jwarp.rnic;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;

/**
 * Measures a well-behaved client of a datagram server before and during an attack, over loopback: the server at
 * 127.0.0.1, the client at 127.0.0.2, the attacker's sockets at 127.0.0.66. {@code main channels|ahead|resolve
 * [SECONDS]} prints a line for each. The exit status is 1 if the client's rate falls below 0.8 of its rate before, or
 * if its 99th percentile is more than 5 times as long and more than 20 ms.
 */
final class HostileDatagrams implements AutoCloseable {
    private static final String ATTACKER = "127.0.0.66";
    private static final long SERVICE = 5;
    private static final int LENGTH = 64 << 10;

    private final Context serverContext = open("");
    private final Context clientContext;
    private final DatagramQueuePair server;
    private final MemoryRegion memory;
    private final CompletionQueue serverQueue;
    private final AtomicBoolean over = new AtomicBoolean();
    private final byte[] in = new byte[2048];

    private HostileDatagrams(String faults) {
        clientContext = open(faults);
        ProtectionDomain domain = serverContext.allocateProtectionDomain();
        serverQueue = serverContext.createCompletionQueue(1 << 16);
        server = queuePair(domain, serverQueue, "127.0.0.1");
        memory = domain.allocate(LENGTH, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.RECORD);
        serverContext.listenService(server.localAddress(), SERVICE, server);
    }

    private static Context open(String faults) {
        Map<String, String> settings = new HashMap<>(Map.of("jwarp.udp.trust", "127.0.0.0/8"));
        if (!faults.isEmpty()) {
            settings.put("jwarp.udp.inject", faults);
        }
        return new RnicProvider().rnic().open(Progress.THREADED, settings);
    }

    private static DatagramQueuePair queuePair(ProtectionDomain domain, CompletionQueue queue, String host) {
        return domain.createDatagramQueuePair(
                QueuePairType.RD,
                QueuePairAttributes.builder(queue).build(),
                DatagramAttributes.builder(new InetSocketAddress(host, 0)).build());
    }

    @Override
    public void close() {
        over.set(true);
        clientContext.close();
        serverContext.close();
    }

    // ---- the well-behaved client: repeated operations

    private interface Service {
        void once() throws InterruptedException;
    }

    /** Creates a queue pair, opens a channel, does one RDMA Write, and closes. */
    private void newChannel(ProtectionDomain domain, CompletionQueue queue, MemoryRegion source) {
        try (DatagramQueuePair own = queuePair(domain, queue, "127.0.0.2")) {
            write(own, to(own), queue, source, 64);
        }
    }

    private AddressHandle to(DatagramQueuePair own) {
        return own.createAddressHandle(server.localAddress(), server.number(), server.key());
    }

    private void write(
            DatagramQueuePair own, AddressHandle to, CompletionQueue queue, MemoryRegion source, int length) {
        own.postSend(new SendWorkRequest()
                .destination(to)
                .rdmaWrite(memory.address(), memory.rkey())
                .add(source, 0, length));
        WorkCompletion[] one = WorkCompletion.array(1);
        while (queue.poll(one) == 0) {
            Thread.onSpinWait();
        }
        if (!one[0].succeeded()) {
            throw new IllegalStateException(one[0].describe());
        }
    }

    /**
     * {@return operations per second, and the 99th percentile in milliseconds} Failures count as no operation, with
     * their duration.
     */
    private static double[] measure(Service service, int seconds, long pauseMillis) throws InterruptedException {
        long[] nanos = new long[1 << 20];
        int count = 0;
        int done = 0;
        long begin = System.nanoTime();
        long end = begin + seconds * 1_000_000_000L;
        while (System.nanoTime() < end && count < nanos.length) {
            long from = System.nanoTime();
            try {
                service.once();
                done++;
            } catch (RdmaException | IllegalStateException e) {
                System.out.println("  the good client: " + e.getMessage());
            }
            nanos[count++] = System.nanoTime() - from;
            if (pauseMillis > 0) {
                Thread.sleep(pauseMillis);
            }
        }
        double rate = done * 1e9 / (System.nanoTime() - begin);
        Arrays.sort(nanos, 0, count);
        return new double[] {rate, nanos[Math.max(0, count * 99 / 100 - 1)] / 1e6};
    }

    // ---- the attacker

    private static byte[] sealed(ByteBuffer datagram) {
        byte[] octets = new byte[datagram.capacity()];
        datagram.get(0, octets);
        CRC32C crc = new CRC32C();
        crc.update(octets, 0, octets.length - 4);
        ByteBuffer.wrap(octets).order(ByteOrder.LITTLE_ENDIAN).putInt(octets.length - 4, (int) crc.getValue());
        return octets;
    }

    private ByteBuffer shim(int length, int kind, int flags, int from, int key, int id, int messageLength) {
        return ByteBuffer.allocate(length)
                .putInt(kind << 24 | server.number())
                .putInt(flags << 24 | from)
                .putInt(key)
                .putInt(id)
                .putInt(messageLength)
                .putInt(kind == 0x10 ? messageLength : 0);
    }

    private void say(DatagramSocket socket, byte[] octets) throws IOException {
        socket.send(new DatagramPacket(octets, octets.length, server.localAddress()));
    }

    /** {@return the tag of the RD-ACCEPT; 0 if there was none} */
    private int channel(DatagramSocket socket, int from) throws IOException {
        ByteBuffer open = shim(44, 0x15, 0, from, server.key(), from, 16);
        say(
                socket,
                sealed(open.putInt(from + 1)
                        .putInt(1000)
                        .putInt(0)
                        .putShort((short) 1024)
                        .putShort((short) 0)));
        DatagramPacket packet = new DatagramPacket(in, in.length);
        try {
            socket.receive(packet);
        } catch (java.net.SocketTimeoutException nothing) {
            return 0;
        }
        int tag = in[0] == 0x16 ? ByteBuffer.wrap(in).getInt(24) : 0;
        if (tag != 0) { // proves knowledge of the tag, which ends the half-open state
            ByteBuffer ack = shim(36, 0x17, 1, from, tag, 0, 8);
            say(
                    socket,
                    sealed(ack.putInt(ByteBuffer.wrap(in).getInt(28))
                            .putShort((short) 16)
                            .putShort((short) 0)));
        }
        return tag;
    }

    private static DatagramSocket socket() throws IOException {
        DatagramSocket socket = new DatagramSocket(new InetSocketAddress(ATTACKER, 0));
        socket.setSoTimeout(20);
        return socket;
    }

    /** One socket opens as many channels as possible, without end. */
    private void channels(AtomicBoolean ready) throws IOException {
        try (DatagramSocket socket = socket()) {
            for (int from = 16; !over.get(); from = from < 0xF00000 ? from + 1 : 16) {
                channel(socket, from);
                if (from == 16 + 16_500) {
                    ready.set(true);
                }
                if (ready.get()) {
                    pause(1);
                }
            }
        }
    }

    /** Five channels, each with a gap followed by a full window of segments of 97 bytes. */
    private void ahead(AtomicBoolean ready) throws IOException {
        try (DatagramSocket socket = socket()) {
            int[] tags = new int[6];
            for (int i = 0; i < tags.length; i++) {
                tags[i] = channel(socket, 100 + i);
            }
            while (!over.get()) {
                for (int i = 0; i < tags.length; i++) {
                    for (int psn = 1001; psn < 1256; psn++) {
                        ByteBuffer d = shim(97, 0x10, 4, 100 + i, tags[i], psn, 39);
                        d.putInt(psn).putInt(0).putShort((short) 16).putShort((short) 0);
                        d.put((byte) 0x41)
                                .put((byte) 0x43)
                                .putInt(0)
                                .putInt(0)
                                .putInt(psn)
                                .putInt(0);
                        d.putInt(28, 0);
                        say(socket, sealed(d));
                    }
                }
                ready.set(true);
                pause(200);
            }
        }
    }

    /** 30,000 RESOLVEs per second, from 200 ports. */
    private void resolve(AtomicBoolean ready) throws IOException {
        DatagramSocket[] sockets = new DatagramSocket[200];
        for (int i = 0; i < sockets.length; i++) {
            sockets[i] = socket();
        }
        int id = 1;
        while (!over.get()) {
            for (int i = 0; i < 30; i++) {
                ByteBuffer d =
                        ByteBuffer.allocate(288).putInt(0x1300_0001).putInt(1).putInt(0x8001_0000);
                d.putInt(id++)
                        .putInt(16)
                        .putInt(0)
                        .putLong(SERVICE)
                        .put((byte) 3)
                        .put((byte) 0)
                        .putShort((short) 2);
                say(sockets[id % sockets.length], sealed(d));
            }
            ready.set(true);
            pause(1);
        }
        for (DatagramSocket socket : sockets) {
            socket.close();
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Attack {
        void run(AtomicBoolean ready) throws IOException;
    }

    private static boolean run(String name, int seconds) throws InterruptedException {
        try (HostileDatagrams all = new HostileDatagrams(name.equals("ahead") ? "loss=5%,seed=3" : "")) {
            ProtectionDomain domain = all.clientContext.allocateProtectionDomain();
            CompletionQueue queue = all.clientContext.createCompletionQueue(1024);
            MemoryRegion source = domain.allocate(LENGTH, AccessFlag.LOCAL_WRITE);
            DatagramQueuePair own = queuePair(domain, queue, "127.0.0.2");
            AddressHandle to = all.to(own);
            Service service =
                    switch (name) {
                        case "channels" -> () -> all.newChannel(domain, queue, source);
                        case "ahead" -> () -> all.write(own, to, queue, source, LENGTH);
                        default ->
                            () -> all.clientContext.resolve(
                                    all.server.localAddress(),
                                    SERVICE,
                                    ResolveParameters.DEFAULT.withTimeout(Duration.ofSeconds(5)));
                    };
            Attack attack =
                    switch (name) {
                        case "channels" -> all::channels;
                        case "ahead" -> all::ahead;
                        default -> all::resolve;
                    };
            long pause = name.equals("ahead") ? 0 : name.equals("channels") ? 5 : 150;
            measure(service, 2, pause);
            double[] before = measure(service, seconds, pause);
            AtomicBoolean ready = new AtomicBoolean();
            Thread attacker = new Thread(() -> {
                try {
                    attack.run(ready);
                } catch (IOException e) {
                    throw new IllegalStateException("the attack failed", e);
                }
            });
            attacker.setDaemon(true);
            attacker.start();
            long most = System.nanoTime() + 60_000_000_000L;
            while (!ready.get() && System.nanoTime() < most) {
                pause(10);
            }
            double[] during = measure(service, seconds, pause);
            all.over.set(true);
            attacker.join(5_000);
            boolean held = during[0] >= 0.8 * before[0] && (during[1] <= 5 * before[1] || during[1] <= 20);
            System.out.printf(
                    Locale.ROOT,
                    "%-9s good client: %9.1f /s, p99 %8.2f ms -> %9.1f /s, p99 %8.2f ms   %s%n",
                    name,
                    before[0],
                    before[1],
                    during[0],
                    during[1],
                    held ? "held" : "STARVED");
            return held;
        }
    }

    /** For the arguments see the class. */
    public static void main(String[] arguments) throws InterruptedException {
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4;
        String[] names = arguments.length > 0 && !arguments[0].equals("all")
                ? new String[] {arguments[0]}
                : new String[] {"channels", "ahead", "resolve"};
        boolean held = true;
        for (String name : names) {
            held &= run(name, seconds);
        }
        System.exit(held ? 0 : 1);
    }
}
