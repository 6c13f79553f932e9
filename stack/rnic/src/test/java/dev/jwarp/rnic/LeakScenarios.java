package dev.jwarp.rnic;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.MemoryWindow;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Sets up and tears down objects while an allocation fails; runs in classes of {@link FailingClasses}. */
public final class LeakScenarios {
    /** Timeout before the tear-down, as with a failed peer; a timeout is no error here. */
    private static final Duration PATIENCE = Duration.ofMillis(80);

    /** Timeout for operations that have to end. */
    private static final Duration LONG = Patience.LIMIT;

    private static final int LENGTH = 4096;

    /** Descriptions of errors. */
    private static final int ENOUGH = 20;

    private final Context context;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(LENGTH);

    /** Open objects of the program, the newest first. */
    private final Deque<AutoCloseable> mine = new ArrayDeque<>();

    private Duration patience = LONG;

    private LeakScenarios(Context context) {
        this.context = context;
    }

    private <T extends AutoCloseable> T take(T made) {
        mine.push(made);
        return made;
    }

    // ---- scenarios

    private void connection() {
        ProtectionDomain domain = take(context.allocateProtectionDomain());
        CompletionChannel channel = take(context.createCompletionChannel());
        CompletionQueue completions = take(context.createCompletionQueue(4, channel));
        SharedReceiveQueue shared = take(domain.createSharedReceiveQueue(2, 1));
        MemoryRegion region = take(domain.register(
                memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.MW_BIND));
        MemoryWindow window = take(domain.allocateWindow());
        CmEventChannel events = take(context.createEventChannel());
        CmEventChannel requests = take(context.createEventChannel());
        CmId listener = take(context.createId(requests));
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(0);
        CmId active = take(context.createId(events));
        active.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
        QueuePair sender = take(active.createQueuePair(
                domain,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(2)
                        .maxReceiveWorkRequests(2)
                        .build()));
        expect(events, CmEventType.ADDR_RESOLVED);
        active.connect(ConnectionParameters.DEFAULT);
        CmId passive = take(Objects.requireNonNull(
                expect(requests, CmEventType.CONNECT_REQUEST).id()));
        take(passive.createQueuePair(
                domain,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(2)
                        .sharedReceiveQueue(shared)
                        .build()));
        shared.postReceive(new ReceiveWorkRequest().id(1).add(region, 0, 16));
        passive.accept(ConnectionParameters.DEFAULT);
        expect(events, CmEventType.ESTABLISHED);
        completions.requestNotification(false);
        sender.postSend(new SendWorkRequest().id(2).add(region, 16, 16));
        complete(completions, 2);
        sender.postSend(new SendWorkRequest()
                .id(3)
                .bindWindow(window, region, region.address() + 32, 16, AccessFlag.REMOTE_READ));
        complete(completions, 1);
        active.disconnect();
        expect(events, CmEventType.DISCONNECTED);
    }

    private CmEvent expect(CmEventChannel channel, CmEventType type) {
        CmEvent event = channel.await(patience);
        if (event == null || event.type() != type) {
            throw new GaveUp("waited for " + type + ", got " + event);
        }
        return event;
    }

    private void complete(CompletionQueue completions, int count) {
        WorkCompletion[] one = WorkCompletion.array(1);
        for (int i = 0; i < count; i++) {
            if (completions.await(one, patience) == 0) {
                throw new GaveUp("waited for completion " + i);
            }
        }
    }

    private void datagrams(QueuePairType type) {
        ProtectionDomain domain = take(context.allocateProtectionDomain());
        CompletionQueue completions = take(context.createCompletionQueue(64));
        MemoryRegion region = take(domain.register(
                memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.RECORD, AccessFlag.REMOTE_READ));
        DatagramQueuePair[] pairs = new DatagramQueuePair[2];
        for (int i = 0; i < 2; i++) {
            pairs[i] = take(domain.createDatagramQueuePair(
                    type,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(4)
                            .maxReceiveWorkRequests(4)
                            .build(),
                    DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .build()));
        }
        AddressHandle handle =
                take(pairs[0].createAddressHandle(pairs[1].localAddress(), pairs[1].number(), pairs[1].key()));
        pairs[1].postReceive(new ReceiveWorkRequest().id(1).add(region, 0, 16));
        pairs[0].postSend(new SendWorkRequest().id(2).destination(handle).add(region, 16, 16));
        complete(completions, 2);
    }

    private static final class GaveUp extends RuntimeException {
        private static final long serialVersionUID = 1L;

        GaveUp(String what) {
            super(what, null, false, false);
        }
    }

    // ---- counting

    /** {@return the object counts of the context, by name} */
    private Map<String, Integer> has() {
        RnicContext own = (RnicContext) context;
        Map<String, Integer> counts = new TreeMap<>();
        counts.put("protection domains", own.domains.size());
        counts.put("completion queues", own.completionQueues().queues().size());
        counts.put("registrations", own.core().tags().size());
        if (own.hasDatagrams()) {
            counts.put(
                    "datagram queue pairs", own.datagrams().queuePairs().all().size());
        }
        if (own.hasConnections()) {
            counts.put("queue pairs", own.connections().queuePairs().all().size());
            counts.put("connection ids", own.connections().ids().size());
            counts.put("streams", own.connections().live());
            own.limits((name, used, high, limit) -> counts.put(name, (int) used));
        }
        return counts;
    }

    /** Closes the program's objects, the newest first. Returns the ones that could not be closed. */
    private List<String> closeMine() {
        List<String> left = new ArrayList<>();
        Deque<AutoCloseable> again = new ArrayDeque<>();
        while (!mine.isEmpty()) {
            AutoCloseable next = mine.pop();
            try {
                next.close();
            } catch (Throwable e) {
                again.add(next); // interrupted by the failing allocation, or busy because of it
            }
        }
        AllocationFault.disarm();
        for (AutoCloseable next : again) {
            try {
                next.close();
            } catch (Throwable e) {
                left.add(next + ": " + e);
            }
        }
        return left;
    }

    /**
     * Makes each allocation of a scenario fail in turn, in one context.
     *
     * @param most largest number of allocations to try
     * @return the errors, one per line; the last line has the number of allocations tried
     */
    public static List<String> run(String scenario, String progress, int most) {
        RnicProvider provider = new RnicProvider();
        List<String> wrong = new ArrayList<>();
        int number = 0;
        int gaveUp = 0;
        try (Context context = provider.rnic().open(Progress.valueOf(progress), Map.of())) {
            LeakScenarios scenarios = new LeakScenarios(context);
            scenarios.play(scenario); // loads the classes
            wrong.addAll(scenarios.closeMine());
            scenarios.patience = PATIENCE;
            boolean tripped = true;
            while (tripped && number < most && wrong.size() < ENOUGH) {
                number++;
                AllocationFault.arm(number);
                String outcome = "done";
                try {
                    scenarios.play(scenario);
                } catch (GaveUp e) {
                    gaveUp++;
                    outcome = e.getMessage();
                } catch (Throwable e) {
                    outcome = e.toString();
                }
                if (AllocationFault.tripped()) {
                    AllocationFault.disarm();
                }
                List<String> left = scenarios.closeMine();
                tripped = AllocationFault.tripped();
                scenarios.settle();
                scenarios.has().forEach((what, count) -> {
                    if (count != 0) {
                        left.add(count + " " + what);
                    }
                });
                if (!left.isEmpty() && wrong.size() < ENOUGH) {
                    wrong.add("allocation " + number + " (" + outcome + "): " + left);
                }
            }
        }
        wrong.add(number + " allocations, " + gaveUp + " times a wait was given up");
        return wrong;
    }

    private void play(String scenario) {
        if (scenario.equals("RC")) {
            connection();
        } else {
            datagrams(QueuePairType.valueOf(scenario));
        }
    }

    /** Waits for everything that is ending. */
    private void settle() {
        long end = System.nanoTime() + LONG.toNanos();
        while (has().values().stream().anyMatch(count -> count != 0) && System.nanoTime() < end) {
            context.poll();
            Thread.onSpinWait();
        }
    }

    /** Makes each allocation of opening and closing a context fail in turn. Returns the number tried. */
    public static int open(String progress, int most) {
        RnicDevice opened = new RnicProvider().rnic();
        opened.open(Progress.valueOf(progress), Map.of()).close();
        int number = 0;
        boolean tripped = true;
        while (tripped && number < most) {
            number++;
            AllocationFault.arm(number);
            Context context = null;
            try {
                context = opened.open(Progress.valueOf(progress), Map.of());
            } catch (Throwable e) {
                // Its resources must be released.
            } finally {
                AllocationFault.disarm();
            }
            tripped = AllocationFault.tripped();
            if (context != null) {
                context.close();
            }
        }
        return number;
    }
}
