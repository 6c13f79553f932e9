package example;

import dev.jwarp.verbs.*;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/** The roles: a sender of samples, a receiver, or a sender and three receivers in one process that loses datagrams. */
public final class Telemetry {
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.255.74.71", 7472);
    private static final long SERVICE = 7471;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int SAMPLE = Long.BYTES + Double.BYTES; // number, from 1 on, and value
    private static final int KEPT = 1 << 16; // samples, in memory
    private static final int SAMPLES = 1000; // for each receiver of mode all

    public static void main(String[] arguments) throws InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> { // a thread that fails ends the process
            System.err.println(e);
            System.exit(1);
        });
        String words = String.join(" ", arguments);
        if (words.matches("sender \\S+ \\d+")) {
            new Sender(new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]))).run();
        } else if (words.matches("receiver \\S+ \\S+ \\d+")) {
            InetSocketAddress own = new InetSocketAddress(arguments[1], 0);
            InetSocketAddress sender = new InetSocketAddress(arguments[2], Integer.parseInt(arguments[3]));
            receive(own, sender, Integer.MAX_VALUE, number -> System.out.println("lost, and read again: " + number));
        } else if (words.equals("all")) {
            all();
        } else {
            throw new IllegalArgumentException("usage: sender OWN-ADDRESS PORT | receiver OWN-ADDRESS HOST PORT | all");
        }
    }

    private static void all() throws InterruptedException {
        System.setProperty("jwarp.udp.inject", "loss=5%,seed=1"); // affects samples and repairs alike
        InetSocketAddress here = new InetSocketAddress("127.0.0.1", 0);
        LongAdder lost = new LongAdder();
        Sender sender = new Sender(here);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(new Thread(
                    () -> receive(here, sender.service.localAddress(), SAMPLES, number -> lost.increment())));
        }
        threads.forEach(Thread::start);
        Thread sending = new Thread(sender::run);
        sending.start();
        for (Thread thread : threads) {
            thread.join(2 * PATIENCE.toMillis());
            check(!thread.isAlive(), "a receiver does not end");
        }
        sender.stopped = true;
        sending.join();
        sender.rnic.close();
        check(lost.sum() > 0, "nothing was lost, so nothing was repaired");
        System.out.println("three receivers have " + SAMPLES + " samples each, " + lost + " of them read again");
    }

    private static void check(boolean right, String sentence) {
        if (!right) {
            throw new IllegalStateException(sentence);
        }
    }

    private static double measure(long number) {
        return 20 + 5 * Math.sin(number / 100.0);
    }

    /** {@return the offset of a sample, in the memory of the sender and of each receiver} */
    private static int place(long number) {
        return (int) (number % KEPT) * SAMPLE;
    }

    private static Context open() {
        return RdmaProvider.load().device("jwarp0").open(Progress.THREADED, Map.of());
    }

    private static DatagramQueuePair pair(
            ProtectionDomain domain, QueuePairType type, CompletionQueue queue, InetSocketAddress own) {
        return domain.createDatagramQueuePair(
                type,
                QueuePairAttributes.builder(queue).build(),
                DatagramAttributes.builder(own).build());
    }

    /** Sends each sample to the group once, and keeps the newest ones for receivers to read. */
    private static final class Sender {
        final Context rnic = open();
        final ServiceListener service;
        volatile boolean stopped;
        private final MemoryRegion samples;
        private final CompletionQueue sent;
        private final DatagramQueuePair toGroup;
        private volatile long newest;

        Sender(InetSocketAddress own) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            samples = domain.allocate(KEPT * SAMPLE, AccessFlag.REMOTE_READ);
            sent = rnic.createCompletionQueue(512);
            toGroup = pair(domain, QueuePairType.UD, sent, new InetSocketAddress(own.getAddress(), 0));
            toGroup.sendToGroups(null, 1, true); // to the local network of the interface, and to this host
            DatagramQueuePair reads = pair(domain, QueuePairType.RD, sent, own); // the device answers them by itself
            service = rnic.listenService(reads.localAddress(), SERVICE, (source, types, said) -> {
                ByteBuffer invitation =
                        ByteBuffer.allocate(24).putLong(newest + 1).putLong(samples.address());
                invitation.putInt(samples.rkey()).putInt(toGroup.key());
                return new ServiceHandler.Answer(reads, invitation.array());
            });
        }

        /** Sends as fast as the setting jwarp.udp.unheard-pace allows. */
        void run() {
            AddressHandle group = toGroup.createAddressHandle(GROUP, 0xFFFFFF, toGroup.key()); // a sender need not join
            WorkCompletion[] ends = WorkCompletion.array(1);
            while (!stopped) {
                long number = newest + 1;
                samples.buffer().putLong(place(number), number).putDouble(place(number) + Long.BYTES, measure(number));
                newest = number;
                toGroup.postSend(new SendWorkRequest().destination(group).add(samples, place(number), SAMPLE));
                if (sent.await(ends, PATIENCE) != 1 || !ends[0].succeeded()) {
                    throw new IllegalStateException("a sample was not sent: " + ends[0].describe());
                }
            }
        }
    }

    /** Receives samples, finds lost ones by their numbers, and reads those from the memory of the sender. */
    private static void receive(InetSocketAddress own, InetSocketAddress service, int count, LongConsumer lost) {
        try (Context rnic = open()) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue done = rnic.createCompletionQueue(512);
            MemoryRegion samples = domain.allocate(KEPT * SAMPLE, AccessFlag.LOCAL_WRITE);
            MemoryRegion messages = domain.allocate(128 * SAMPLE, AccessFlag.LOCAL_WRITE);
            DatagramQueuePair reader = pair(domain, QueuePairType.RD, done, own);
            DatagramQueuePair member = pair(domain, QueuePairType.UD, done, own);
            ResolvedService found =
                    rnic.resolve(service, SERVICE, ResolveParameters.DEFAULT.withTypes(QueuePairType.RD));
            AddressHandle sender = reader.createAddressHandle(found);
            ByteBuffer invitation = ByteBuffer.wrap(found.privateData());
            long first = invitation.getLong(); // the number of the next sample
            long end = first + count;
            long address = invitation.getLong();
            int key = invitation.getInt();
            for (int at = 0; at < messages.length(); at += SAMPLE) {
                member.postReceive(new ReceiveWorkRequest().id(at).add(messages, at, SAMPLE));
            }
            member.joinGroup(GROUP, null, invitation.getInt()); // on the interface of its address

            long next = first;
            int reads = 0;
            Queue<Long> missing = new ArrayDeque<>();
            WorkCompletion[] ends = WorkCompletion.array(1);
            while (next < end || !missing.isEmpty() || reads > 0) {
                check(done.await(ends, PATIENCE) == 1, "no sample came for " + PATIENCE.toSeconds() + " s");
                check(ends[0].succeeded(), "a sample could not be received: " + ends[0]);
                long id = ends[0].id();
                if (ends[0].opcode() == WorkCompletionOpcode.RDMA_READ) {
                    reads--;
                    check(samples.buffer().getLong(place(id)) == id, "the sender no longer keeps sample " + id);
                } else {
                    long number = messages.buffer().getLong((int) id);
                    for (; next < Math.min(number, end); next++) {
                        missing.add(next);
                        lost.accept(next);
                    }
                    if (number == next && next < end) {
                        samples.buffer().put(place(number), messages.buffer(), (int) id, SAMPLE);
                        next++;
                    }
                    member.postReceive(new ReceiveWorkRequest().id(id).add(messages, id, SAMPLE));
                }
                for (; !missing.isEmpty() && reads < 32; reads++) {
                    long number = missing.remove();
                    reader.postSend(new SendWorkRequest()
                            .id(number)
                            .rdmaRead(address + place(number), key)
                            .add(samples, place(number), SAMPLE)
                            .destination(sender)
                            .timeout(PATIENCE));
                }
            }
            for (long number = first; number < end; number++) {
                check(samples.buffer().getLong(place(number)) == number, "sample " + number + " is missing");
                check(samples.buffer().getDouble(place(number) + 8) == measure(number), "a sample is wrong");
            }
        }
    }
}
