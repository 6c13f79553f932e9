package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.ToolFailure;
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
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Messages to a group on loopback. The sender waits for its members after each burst, as long as one may be lost. */
final class GroupCast implements StudyApplication {
    private static final int MESSAGE = 1_000;
    private static final int BURST = 32;
    private static final int RECEIVES = 4 * BURST;
    private static final int KEY = 0x6a77_5354;
    /** The queue pair number of groups. */
    private static final int ALL = 0xff_ffff;

    private static final long LOST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ApplicationParameters parameters;

    /** @param parameters {@code members=N seconds=N} */
    GroupCast(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    /** A queue pair that counts what it receives. */
    private static final class Member {
        final AtomicLong received = new AtomicLong();
        final DatagramQueuePair queuePair;
        private long before;
        private final MemoryRegion memory;
        private final ReceiveWorkRequest receive = new ReceiveWorkRequest();

        Member(Context context) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            CompletionQueue completions = context.createCompletionQueue(2 * RECEIVES);
            completions.onCompletion(this::completed);
            memory = domain.allocate(MESSAGE * RECEIVES, AccessFlag.LOCAL_WRITE);
            queuePair = domain.createDatagramQueuePair(
                    QueuePairType.UD,
                    QueuePairAttributes.builder(completions)
                            .maxReceiveWorkRequests(RECEIVES)
                            .maxSendWorkRequests(RECEIVES)
                            .build(),
                    DatagramAttributes.builder(new InetSocketAddress(0)).build());
            for (int i = 0; i < RECEIVES; i++) {
                post(i);
            }
        }

        /** Counts from 0. */
        void begin() {
            before = received.get();
        }

        long taken() {
            return received.get() - before;
        }

        private void completed(CompletionQueue from, WorkCompletion[] all, int count) {
            for (int i = 0; i < count; i++) {
                if (all[i].opcode().isReceive() && all[i].succeeded()) {
                    received.incrementAndGet();
                    post((int) all[i].id());
                }
            }
        }

        private void post(int slot) {
            queuePair.postReceive(receive.clearElements().id(slot).add(memory, (long) slot * MESSAGE, MESSAGE));
        }
    }

    @Override
    public Map<String, Double> run() throws IOException {
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        ThreadLocalRandom random = ThreadLocalRandom.current();
        InetSocketAddress group = new InetSocketAddress(
                InetAddress.getByAddress(new byte[] {(byte) 239, (byte) 192, (byte) random.nextInt(1, 255), 8}),
                random.nextInt(20_000, 30_000));
        List<Context> contexts = new ArrayList<>();
        try {
            List<Member> members = new ArrayList<>();
            for (int i = 0; i < parameters.number("members"); i++) {
                Member member = new Member(opened(contexts));
                member.queuePair.joinGroup(group, loopback, KEY);
                members.add(member);
            }
            Member stranger = new Member(opened(contexts)); // of another group on the same port
            stranger.queuePair.joinGroup(
                    new InetSocketAddress(
                            InetAddress.getByAddress(new byte[] {(byte) 239, (byte) 192, 0, 9}), group.getPort()),
                    loopback,
                    KEY);
            Context context = opened(contexts);
            Sender sender = new Sender(context, group, loopback);
            sender.send(members, parameters.nanos()); // warms up
            if (members.stream().anyMatch(each -> each.taken() == 0)) {
                throw ToolFailure.failed("a member receives nothing: does loopback have multicast?");
            }
            long before = sender.datagrams();
            double seconds = sender.send(members, parameters.nanos());
            double delivered = members.stream().mapToLong(Member::taken).min().orElse(0);
            return Map.of(
                    "mb_per_s", delivered * MESSAGE / 1e6 / seconds,
                    "delivered_percent", 100 * delivered / sender.sent,
                    "datagrams_per_message", (double) (sender.datagrams() - before) / sender.sent,
                    "strangers_messages", (double) stranger.received.get());
        } finally {
            contexts.forEach(Context::close);
        }
    }

    private static Context opened(List<Context> contexts) {
        Context context = RdmaProvider.load()
                .devices()
                .get(0)
                .open(Progress.THREADED, Map.of("jwarp.udp.unheard-pace", "0", "jwarp.udp.pace", "0"));
        contexts.add(context);
        return context;
    }

    /** The sender, which is no member. */
    private static final class Sender {
        private final Context context;
        private final DatagramQueuePair queuePair;
        private final AddressHandle to;
        private final SendWorkRequest request = new SendWorkRequest();
        private final MemoryRegion message;
        private final CompletionQueue completions;
        private final WorkCompletion[] some = WorkCompletion.array(BURST);
        private long sent;

        Sender(Context context, InetSocketAddress group, NetworkInterface through) {
            this.context = context;
            ProtectionDomain domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(2 * BURST);
            message = domain.allocate(MESSAGE, AccessFlag.LOCAL_WRITE);
            queuePair = domain.createDatagramQueuePair(
                    QueuePairType.UD,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(BURST)
                            .build(),
                    DatagramAttributes.builder(new InetSocketAddress(0)).build());
            queuePair.sendToGroups(through, 1, true);
            to = queuePair.createAddressHandle(group, ALL, KEY);
        }

        long datagrams() {
            return context.counters().stream()
                    .filter(counter -> counter.name().equals("tx_datagrams"))
                    .mapToLong(counter -> counter.value())
                    .sum();
        }

        /** {@return the seconds that it took} Sends longer if a member has received nothing yet. */
        double send(List<Member> members, long nanos) {
            members.forEach(Member::begin);
            sent = 0;
            long start = System.nanoTime();
            do {
                for (int i = 0; i < BURST; i++) {
                    queuePair.postSend(request.clear().send().destination(to).add(message, 0, MESSAGE));
                }
                for (int done = 0; done < BURST; ) {
                    done += completions.await(some, ApplicationParameters.PATIENCE);
                }
                sent += BURST;
                long patience = System.nanoTime() + LOST_NANOS;
                while (members.stream().anyMatch(each -> each.taken() < sent) && System.nanoTime() - patience < 0) {
                    Thread.onSpinWait();
                }
            } while (System.nanoTime() - start < nanos
                    || (members.stream().anyMatch(each -> each.taken() == 0)
                            && System.nanoTime() - start < ApplicationParameters.PATIENCE.toNanos()));
            return (System.nanoTime() - start) / 1e9;
        }
    }
}
