package dev.jwarp.torture.threads;

import dev.jwarp.torture.Crew;
import dev.jwarp.torture.Ledger;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * As {@link ConnectionTorture}, for queue pairs of type UD or RD. Only Sends to one handle have an order, which is not
 * checked.
 */
public final class DatagramTorture implements AutoCloseable {
    private static final int THREADS = 8;
    private static final int QUEUE_PAIRS = 4;
    private static final int QUEUES = 2;
    private static final int ENTRIES = 512;
    private static final int DEPTH = 32;
    private static final int SHARED_RECEIVES = 64;
    private static final int REMEMBERED = 200;
    private static final Duration MOMENT = Duration.ofMillis(2);
    private static final DatagramTimeouts TIMEOUTS =
            DatagramTimeouts.DEFAULT.withIdle(Duration.ofMillis(50)).withRead(Duration.ofMillis(200));

    /** The possible statuses: those without a faulty peer, connections and windows. */
    private static final Set<WorkCompletionStatus> OUTCOMES = EnumSet.complementOf(EnumSet.of(
            WorkCompletionStatus.BAD_RESP_ERR,
            WorkCompletionStatus.GENERAL_ERR,
            WorkCompletionStatus.MW_BIND_ERR,
            WorkCompletionStatus.FATAL_ERR));

    private static final Set<RdmaErrorCode> BUSY_OR_GONE =
            EnumSet.of(RdmaErrorCode.RESOURCE_BUSY, RdmaErrorCode.CLOSED, RdmaErrorCode.INVALID_ARGUMENT);

    /** One queue pair, its handles, and its posted requests. */
    private final class Datagrams {
        private final DatagramQueuePair queuePair;
        private final Map<Integer, AddressHandle> handles = new ConcurrentHashMap<>();
        private final Map<Thread, Ledger.Lane> sends = new ConcurrentHashMap<>();
        private final Map<Thread, Ledger.Lane> receives = new ConcurrentHashMap<>();

        private Datagrams(DatagramQueuePair queuePair) {
            this.queuePair = queuePair;
        }

        /** {@return whether the queue pair uses the host's shared receive queue} */
        private boolean sharing() {
            return queuePair.attributes().sharedReceiveQueue() != null;
        }

        private AddressHandle to(Datagrams peer) {
            DatagramQueuePair other = peer.queuePair;
            return handles.computeIfAbsent(
                    other.number(),
                    any -> queuePair.createAddressHandle(other.localAddress(), other.number(), other.key()));
        }

        private Ledger.Lane lane(boolean receiving) {
            return (receiving ? receives : sends)
                    .computeIfAbsent(
                            Thread.currentThread(),
                            any -> ledger.lane(queuePair.number(), new Ledger.Life(), receiving, false, () -> {}));
        }

        private boolean forgotten() {
            List<Ledger.Lane> all = new ArrayList<>(sends.values());
            all.addAll(receives.values());
            if (!all.stream().allMatch(ledger::done)) {
                return false;
            }
            all.forEach(ledger::forget);
            return true;
        }
    }

    /** One side. */
    private final class Host {
        private final Context context;
        private final ProtectionDomain domain;
        private final Regions regions;
        private final List<CompletionQueue> queues = new ArrayList<>();
        private final SharedReceiveQueue shared;
        private final Map<Thread, Ledger.Lane> sharedLanes = new ConcurrentHashMap<>();
        private final AtomicReferenceArray<Datagrams> ends = new AtomicReferenceArray<>(QUEUE_PAIRS);

        private Host(Context context) {
            this.context = context;
            domain = context.allocateProtectionDomain();
            regions = new Regions(
                    domain,
                    6,
                    AccessFlag.LOCAL_WRITE,
                    AccessFlag.REMOTE_READ,
                    AccessFlag.REMOTE_WRITE,
                    AccessFlag.REMOTE_WRITE,
                    AccessFlag.RECORD);
            for (int i = 0; i < QUEUES; i++) {
                queues.add(context.createCompletionQueue(ENTRIES));
            }
            shared = domain.createSharedReceiveQueue(SHARED_RECEIVES, 1);
            for (int i = 0; i < QUEUE_PAIRS; i++) {
                ends.set(i, make(i));
            }
        }

        private Datagrams make(int place) {
            QueuePairAttributes.Builder wishes = QueuePairAttributes.builder(
                            queues.get(place % QUEUES), queues.get((place + 1) % QUEUES))
                    .maxSendWorkRequests(DEPTH)
                    .maxReceiveWorkRequests(DEPTH)
                    .maxInlineData(128);
            if (place >= QUEUE_PAIRS / 2) {
                wishes.sharedReceiveQueue(shared);
            }
            DatagramQueuePair made = domain.createDatagramQueuePair(
                    type,
                    wishes.build(),
                    DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .timeouts(TIMEOUTS)
                            .pathMtu(1500)
                            .reportIncomplete(place % 2 == 0)
                            .build());
            return new Datagrams(made);
        }

        private Datagrams any(SplittableRandom random) {
            return ends.get(random.nextInt(QUEUE_PAIRS));
        }

        /** Closes a queue pair and creates another. */
        private void replace(Crew.Member me, SplittableRandom random) {
            int place = random.nextInt(QUEUE_PAIRS);
            Datagrams fresh = make(place);
            Datagrams old = ends.getAndSet(place, fresh);
            me.doing("close a queue pair");
            old.queuePair.close();
            retired.add(old);
        }

        private void take(WorkCompletion[] into, SplittableRandom random) {
            CompletionQueue queue = queues.get(random.nextInt(QUEUES));
            account(into, random.nextInt(8) == 0 ? queue.await(into, MOMENT) : queue.poll(into));
        }

        private void account(WorkCompletion[] into, int taken) {
            for (int i = 0; i < taken; i++) {
                if (into[i].opcode() != WorkCompletionOpcode.RECV_WRITE_RECORD) {
                    ledger.completed(into[i]);
                }
                into[i].release();
            }
        }

        private void close(Crew.Member me) {
            me.doing("close the queue pairs");
            for (int i = 0; i < QUEUE_PAIRS; i++) {
                ends.get(i).queuePair.close();
                retired.add(ends.get(i));
            }
            WorkCompletion[] into = WorkCompletion.array(32);
            for (CompletionQueue queue : queues) {
                for (int taken = queue.poll(into); taken > 0; taken = queue.poll(into)) {
                    account(into, taken);
                }
            }
        }

        /** {@return the lane of this thread's receives in the shared queue} */
        private Ledger.Lane sharedLane() {
            return sharedLanes.computeIfAbsent(
                    Thread.currentThread(),
                    any -> ledger.lane(Ledger.SHARED, new Ledger.Life(), true, false, () -> {}));
        }

        /** After all queue pairs are closed: each place of the shared queue is free, or has an unused receive. */
        private void checkNoneLost() {
            long posted =
                    sharedLanes.values().stream().mapToLong(ledger::outstanding).sum();
            ReceiveWorkRequest[] fill = new ReceiveWorkRequest[SHARED_RECEIVES];
            Arrays.setAll(fill, any -> new ReceiveWorkRequest());
            int free = shared.postReceive(fill, SHARED_RECEIVES);
            if (posted + free != SHARED_RECEIVES) {
                throw new AssertionError("A shared receive queue of " + SHARED_RECEIVES + " has " + posted
                        + " receives posted, and room for " + free + " more");
            }
        }

        private void closeRest() {
            checkNoneLost();
            shared.close();
            sharedLanes.values().forEach(ledger::drop); // unused receives end without completions
            regions.close();
            queues.forEach(CompletionQueue::close);
            domain.close();
        }
    }

    private final QueuePairType type;
    private final long seed;
    private final Ledger ledger = new Ledger(OUTCOMES);
    private final Calls calls = new Calls();
    private final Crew crew = new Crew();
    private final ConcurrentLinkedQueue<Datagrams> retired = new ConcurrentLinkedQueue<>();
    private final Context nearContext;
    private final Context farContext;
    private final Host near;
    private final Host far;

    /** Opens both sides: with inline progress in one context. */
    public DatagramTorture(QueuePairType type, Progress progress, long seed) {
        this.type = type;
        this.seed = seed;
        nearContext = RdmaProvider.load().device("jwarp0").open(progress, Map.of());
        farContext = progress == Progress.INLINE
                ? nearContext
                : RdmaProvider.load().device("jwarp0").open(progress, Map.of());
        near = new Host(nearContext);
        far = new Host(farContext);
    }

    /** Runs for the duration, then ends everything and checks for leftovers. Returns a summary. */
    public String run(Duration duration) {
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int i = 0; i < THREADS; i++) {
            Deed deed = new Deed(seeds.nextLong());
            crew.start("torture " + i, deed::one);
        }
        long end = System.nanoTime() + duration.toNanos();
        long lives = 0;
        while (System.nanoTime() < end) {
            long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
            crew.until("the next look", () -> System.nanoTime() > next);
            for (int i = retired.size() - REMEMBERED; i > 0; i--) {
                Datagrams oldest = retired.remove();
                if (oldest.forgotten()) {
                    lives++;
                } else {
                    retired.add(oldest);
                }
            }
        }
        crew.finish();
        lives += retired.size() + 2 * QUEUE_PAIRS;
        Crew.once("torture's end", this::end);
        return ledger.posted() + " requests of " + lives + " queue pairs, " + calls.calls() + " calls, "
                + calls.refused() + " of them refused, " + (near.regions.deregistered() + far.regions.deregistered())
                + " regions deregistered";
    }

    private void end(Crew.Member me) {
        near.close(me);
        far.close(me);
        for (Datagrams one : retired) {
            if (!one.forgotten()) {
                throw new AssertionError("Its queue pair is closed, but requests are outstanding: " + ledger.missing());
            }
        }
        me.doing("close the rest");
        near.closeRest();
        far.closeRest();
        Leftovers.check();
    }

    /** The random calls of one thread. */
    private final class Deed {
        private final SplittableRandom random;
        private final SendWorkRequest send = new SendWorkRequest();
        private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
        private final WorkCompletion[] some = WorkCompletion.array(8);

        private Deed(long seed) {
            random = new SplittableRandom(seed);
        }

        private void one(Crew.Member me) {
            boolean nearSide = random.nextBoolean();
            Host host = nearSide ? near : far;
            Host other = nearSide ? far : near;
            Datagrams end = host.any(random);
            Datagrams peer = other.any(random);
            int choice = random.nextInt(1000);
            if (choice < 350) {
                me.doing("poll");
                host.take(some, random);
            } else if (choice < 550) {
                receive(me, host, end);
            } else if (choice < 960) {
                post(me, host, other, end, peer);
            } else if (choice < 975) {
                calls.allowed(me, "replace a region", Calls.CLOSING, () -> host.regions.replace(random));
            } else if (choice < 985) {
                closeHandle(me, end);
            } else if (choice < 990) {
                me.doing("look");
                host.context.pollAsyncEvent();
                host.context.counters();
                host.regions.check();
            } else if (choice < 995) {
                QueuePairState target = random.nextInt(3) == 0 ? QueuePairState.ERR : QueuePairState.RTS;
                calls.allowed(me, "modify to " + target, Calls.CHANGING, () -> end.queuePair.modify(target));
            } else if (choice < 997) {
                resetPeer(me, end);
            } else {
                host.replace(me, random);
            }
        }

        private void receive(Crew.Member me, Host host, Datagrams end) {
            Ledger.Lane lane = end.sharing() ? host.sharedLane() : end.lane(true);
            long id = lane.posting(true);
            MemoryRegion region = host.regions.any(random);
            boolean taken = calls.allowed(me, "post a receive", Calls.POSTING, () -> {
                receive.clear().id(id).add(region, random.nextInt(8) * 256L, 256);
                if (!end.sharing()) {
                    return end.queuePair.tryPostReceive(receive);
                }
                host.shared.postReceive(receive);
                return true;
            });
            if (!taken) {
                lane.refused(id);
            }
        }

        private void post(Crew.Member me, Host host, Host other, Datagrams end, Datagrams peer) {
            Ledger.Lane lane = end.lane(false);
            long id = lane.posting(true);
            boolean taken = calls.allowed(me, "post a send", POSTING, () -> {
                fill(host, other);
                return end.queuePair.tryPostSend(send.id(id).destination(end.to(peer)));
            });
            if (!taken) {
                lane.refused(id);
            }
        }

        private void fill(Host host, Host other) {
            MemoryRegion local = host.regions.any(random);
            MemoryRegion remote = other.regions.any(random);
            long address = remote.address() + random.nextInt(16) * 128L;
            int length = random.nextInt(8) == 0 ? random.nextInt(2048) : random.nextInt(129);
            int at = random.nextInt(2048);
            send.clear();
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    if (type == QueuePairType.RD && random.nextBoolean()) {
                        send.rdmaWrite(address, remote.rkey());
                    } else {
                        send.writeRecord(address, remote.rkey());
                    }
                    send.add(local, at, length);
                }
                case 2 -> send.rdmaRead(address, remote.rkey()).add(local, at, length);
                case 3 -> send.send().add(local, at, Math.min(length, 128)).inline(true);
                default -> send.send().add(local, at, Math.min(length, random.nextInt(64) == 0 ? length : 256));
            }
        }

        private void closeHandle(Crew.Member me, Datagrams end) {
            Integer number = end.handles.keySet().stream().findAny().orElse(null);
            AddressHandle handle = number == null ? null : end.handles.remove(number);
            if (handle != null) {
                calls.allowed(me, "close a handle", BUSY_OR_GONE, handle::close);
            }
        }

        private void resetPeer(Crew.Member me, Datagrams end) {
            @Nullable
            AddressHandle handle = end.handles.values().stream().findAny().orElse(null);
            if (handle != null) {
                calls.allowed(me, "reset a peer", BUSY_OR_GONE, () -> end.queuePair.resetPeer(handle));
            }
        }
    }

    /** The errors of a post; another thread may also have closed the handle. */
    private static final Set<RdmaErrorCode> POSTING = EnumSet.of(
            RdmaErrorCode.QUEUE_FULL,
            RdmaErrorCode.WRONG_STATE,
            RdmaErrorCode.INVALID_LKEY,
            RdmaErrorCode.INVALID_ARGUMENT,
            RdmaErrorCode.CLOSED);

    @Override
    public void close() {
        crew.close();
        nearContext.close();
        farContext.close();
    }
}
