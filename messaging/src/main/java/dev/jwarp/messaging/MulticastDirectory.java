package dev.jwarp.messaging;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A directory without a server, for one network: questions and answers go to a multicast group, and each member of the
 * group learns from all answers. Any number of directories, of one process or several, share a host.
 *
 * <p>Who answers a question can name any address: use it where all hosts are trusted, or with keys
 * ({@code jwarp.udp.keys}). See "Wire format" in docs/messaging.md.
 *
 * <p>Threads: any. The context must make progress while this directory waits for answers.
 */
public final class MulticastDirectory implements Directory {
    /** Group and port, if none is chosen: of the block for use within a site (RFC 2365 §6.2). */
    public static final InetSocketAddress GROUP = new InetSocketAddress("239.192.106.119", 7_176);

    /** Q_Key of the group: "jwMD". */
    private static final int KEY = 0x6a77_4d44;

    private static final int RECEIVES = 256;

    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion memory;
    private final DatagramQueuePair queuePair;
    private final AddressHandle group;
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final SendWorkRequest send = new SendWorkRequest();
    private final ScheduledExecutorService timer = new ScheduledThreadPoolExecutor(
            1, Daemons.named("jwarp-directory"), new ThreadPoolExecutor.DiscardPolicy());
    private final AtomicBoolean closed = new AtomicBoolean();
    final GroupMember member;

    /**
     * Joins {@link #GROUP} on the first interface that has multicast; on loopback if there is none.
     *
     * @param context context with datagrams
     * @throws RdmaException as {@link #MulticastDirectory(Context, InetSocketAddress, NetworkInterface)}
     */
    public MulticastDirectory(Context context) {
        this(context, GROUP, null);
    }

    /**
     * Joins a group.
     *
     * @param context context with datagrams; the program closes it after this directory
     * @param address group and port
     * @param on network interface; null for the first one that is up and has multicast, or loopback
     * @throws RdmaException NOT_SUPPORTED without a transport for datagrams; ADDRESS_NOT_AVAILABLE, INVALID_ARGUMENT
     */
    public MulticastDirectory(Context context, InetSocketAddress address, @Nullable NetworkInterface on) {
        this.context = RdmaException.requireArgument(context, "context");
        RdmaException.requireArgument(address, "address");
        member = new GroupMember(new Network(), new SecureRandom().nextLong(), address.toString());
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(4 * RECEIVES);
        completions.onCompletion(this::completed);
        memory = domain.allocate(RECEIVES * GroupMember.LENGTH, AccessFlag.LOCAL_WRITE);
        DatagramQueuePair pair = domain.createDatagramQueuePair(
                QueuePairType.UD,
                QueuePairAttributes.builder(completions)
                        .maxReceiveWorkRequests(RECEIVES)
                        .maxSendWorkRequests(RECEIVES)
                        .maxInlineData(GroupMember.LENGTH)
                        .build(),
                DatagramAttributes.builder(new InetSocketAddress(0)).build());
        queuePair = pair;
        try {
            for (int i = 0; i < RECEIVES; i++) {
                postReceive(i);
            }
            NetworkInterface at = on == null ? usualInterface() : on;
            group = pair.joinGroup(address, at, KEY);
            pair.sendToGroups(at, 1, true);
        } catch (Throwable e) {
            pair.close();
            completions.close();
            memory.close();
            domain.close();
            throw e;
        }
    }

    private static @Nullable NetworkInterface usualInterface() {
        NetworkInterface found = null;
        try {
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                boolean local = each.isLoopback();
                if (each.isUp()
                        && (local
                                ? found == null
                                : each.supportsMulticast() && (found == null || found.isLoopback()))) {
                    found = each;
                }
            }
        } catch (SocketException e) { // then the operating system chooses
            return null;
        }
        return found;
    }

    private void postReceive(int slot) {
        try {
            queuePair.postReceive(
                    receive.clearElements().id(slot).add(memory, (long) slot * GroupMember.LENGTH, GroupMember.LENGTH));
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.CLOSED) { // by another thread, meanwhile
                throw e;
            }
        }
    }

    // ---- what a program asks

    /** {@return any free port of all local addresses} */
    @Override
    public InetSocketAddress bindAddress(int service) {
        return new InetSocketAddress(0);
    }

    /**
     * {@inheritDoc} Waits a quarter of a second for the objection of another host: who comes second gets the exception.
     */
    @Override
    public void announce(int service, Place place) {
        CompletableFuture<Place> claim = member.claim(service, place);
        try (ProgressCondition over = context.newCondition(claim::isDone)) {
            CompletionStage<?> unused = claim.whenComplete((announced, refusal) -> over.signal());
            while (!over.await(Duration.ofSeconds(1))) {
                // The context makes progress until then.
            }
        } catch (RdmaException e) {
            member.withdraw(service, place);
            throw e;
        }
        try {
            claim.join();
        } catch (CompletionException e) {
            throw (RdmaException) e.getCause();
        }
    }

    @Override
    public void withdraw(int service, Place place) {
        member.withdraw(service, place);
    }

    @Override
    public CompletionStage<Place> find(int service) {
        return member.find(service);
    }

    /** {@inheritDoc} Those that answer within half a second. */
    @Override
    public CompletionStage<SortedMap<Integer, Place>> services() {
        return member.services();
    }

    @Override
    public void doubt(int service, Place place) {
        member.doubt(service, place);
    }

    // ---- the group

    /** The context, the group's queue pair and the timer. */
    private final class Network implements GroupMember.Surroundings {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void say(ByteBuffer message) {
            synchronized (send) {
                try {
                    queuePair.tryPostSend(send.clear().destination(group).inlineData(message));
                } catch (RdmaException e) {
                    if (e.code() != RdmaErrorCode.CLOSED && e.code() != RdmaErrorCode.WRONG_STATE) {
                        throw e;
                    }
                }
            }
            if (context.progress() == Progress.INLINE) {
                context.flush();
            }
        }

        @Override
        public void after(long nanos, Runnable task) {
            Future<?> unused = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void completed(CompletionQueue from, WorkCompletion[] all, int count) {
        for (int i = 0; i < count; i++) {
            if (all[i].opcode().isReceive()) {
                int slot = (int) all[i].id();
                if (all[i].succeeded()) {
                    member.heard(
                            memory.buffer().slice(slot * GroupMember.LENGTH, all[i].byteLength()), all[i].source());
                    postReceive(slot);
                }
            }
        }
    }

    /** {@inheritDoc} Questions that wait fail with CLOSED. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        member.close();
        timer.shutdown();
        queuePair.close();
        completions.close();
        memory.close();
        domain.close();
    }
}
