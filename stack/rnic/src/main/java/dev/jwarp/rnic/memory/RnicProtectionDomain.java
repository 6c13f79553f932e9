package dev.jwarp.rnic.memory;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.MappedMemory;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.StreamDomain;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.OrderedSet;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.MemoryWindow;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SharedReceiveQueue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A protection domain: memory and queue pairs that may use each other. */
public final class RnicProtectionDomain implements ProtectionDomain, StreamDomain {
    private static final int PAGE = 4096;

    private final ContextCore core;
    private final Home home;
    private final int handle;
    private final RequestMemory requestMemory;
    private final Set<RnicMemoryRegion> regions = ConcurrentHashMap.newKeySet();
    private final Set<RnicMemoryWindow> windows = ConcurrentHashMap.newKeySet();
    private final Set<QueuePair> queuePairs = OrderedSet.newSet();
    private final Set<RnicSharedReceiveQueue> sharedReceiveQueues = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** The part of a context that a domain uses. Any thread. */
    public interface Home {
        /** Creates a queue pair of type RC; throws NOT_SUPPORTED without a transport for connections. */
        QueuePair newQueuePair(RnicProtectionDomain domain, QueuePairAttributes attributes);

        /** Creates a datagram queue pair; throws NOT_SUPPORTED without a transport for datagrams. */
        DatagramQueuePair newQueuePair(
                RnicProtectionDomain domain,
                QueuePairType type,
                QueuePairAttributes attributes,
                DatagramAttributes datagrams);

        /**
         * Waits until no owner places data of a peer into deregistered memory of {@code domain}.
         *
         * @param registration of the deregistered region; null for a window
         */
        void awaitPlacements(RnicProtectionDomain domain, @Nullable TaggedBuffer registration);

        /** Removes a domain that is closed. */
        void remove(RnicProtectionDomain domain);
    }

    public RnicProtectionDomain(ContextCore core, Home home, int handle) {
        this.core = core;
        this.home = home;
        this.handle = handle;
        requestMemory = new RequestMemory(this);
    }

    @Override
    public Context context() {
        return core.context();
    }

    public ContextCore core() {
        return core;
    }

    @Override
    public int handle() {
        return handle;
    }

    @Override
    public long id() {
        return handle;
    }

    /** {@return the object that checks the elements of work requests and copies them into operations} */
    public RequestMemory requestMemory() {
        return requestMemory;
    }

    @Override
    public boolean shared() {
        return queuePairs.size() > 1;
    }

    @Override
    public MemoryRegion register(ByteBuffer memory, AccessFlag... access) {
        RdmaException.requireArgument(memory, "memory");
        return register(memory, core.newAddress(), access);
    }

    @Override
    public MemoryRegion register(ByteBuffer memory, long address, AccessFlag... access) {
        RdmaException.requireArgument(memory, "memory");
        return register(List.of(memory), address, access);
    }

    @Override
    public MemoryRegion register(List<ByteBuffer> memory, AccessFlag... access) {
        List<ByteBuffer> buffers = copy(memory);
        return register(buffers, core.newAddress(), access);
    }

    @Override
    public MemoryRegion register(List<ByteBuffer> memory, long address, AccessFlag... access) {
        return register(copy(memory), address, STagTable.NO_STAG, 0, access);
    }

    @Override
    public MemoryRegion registerSegment(Object segment, AccessFlag... access) {
        List<ByteBuffer> buffers = segmentBuffers(segment);
        return registerSegment(buffers, core.newAddress(), access);
    }

    @Override
    public MemoryRegion registerSegment(Object segment, long address, AccessFlag... access) {
        return registerSegment(segmentBuffers(segment), address, access);
    }

    private MemoryRegion registerSegment(List<ByteBuffer> buffers, long address, AccessFlag... access) {
        return register(buffers, address, STagTable.NO_STAG, Access.CLOSEABLE, access);
    }

    private List<ByteBuffer> segmentBuffers(Object segment) {
        RdmaException.requireArgument(segment, "segment");
        return SegmentBuffers.of(segment, core.attributes().maxMemoryRegionSize());
    }

    private static List<ByteBuffer> copy(List<ByteBuffer> memory) {
        return List.of(RdmaException.requireArguments(
                RdmaException.requireArgument(memory, "memory").toArray(ByteBuffer[]::new), "memory"));
    }

    private static long length(List<ByteBuffer> memory) {
        long length = 0;
        for (ByteBuffer buffer : memory) {
            length += buffer.remaining();
        }
        return length;
    }

    @Override
    public MemoryRegion registerForGroup(ByteBuffer memory, long address, int rkey, AccessFlag... access) {
        RdmaException.requireArgument(memory, "memory");
        RdmaException.requireArguments(access, "access");
        if (rkey == STagTable.NO_STAG || !List.of(access).contains(AccessFlag.GROUP)) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "Memory for a group needs a key that is not 0, and GROUP among its access flags.");
        }
        return register(List.of(memory), address, rkey, 0, access);
    }

    private MemoryRegion register(
            List<ByteBuffer> memory, long address, int rkey, int internalBits, AccessFlag... access) {
        checkOpen();
        Set<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        flags.addAll(List.of(RdmaException.requireArguments(access, "access")));
        if (memory.stream().anyMatch(MappedMemory::is)) {
            flags.add(AccessFlag.MAPPED);
        }
        checkRegistration(memory, flags);
        int bits = bits(flags) | internalBits;
        TaggedBuffer buffer;
        try {
            buffer = rkey == STagTable.NO_STAG
                    ? core.tags().register(handle, memory, address, bits)
                    : core.tags().registerAs(rkey, handle, memory.get(0), address, bits);
        } catch (IllegalArgumentException e) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT, "The memory cannot be registered: " + e.getMessage(), e);
        } catch (IllegalStateException e) {
            throw new RdmaException(
                    RdmaErrorCode.LIMIT_REACHED, "The memory cannot be registered: " + e.getMessage(), e);
        }
        try {
            RnicMemoryRegion region = new RnicMemoryRegion(this, views(memory), buffer, flags);
            regions.add(region);
            return region;
        } catch (Throwable e) {
            core.tags().deregister(buffer);
            throw e;
        }
    }

    /** {@return views for the program without empty ones, except for a single empty one} */
    private static List<ByteBuffer> views(List<ByteBuffer> memory) {
        List<ByteBuffer> views = new ArrayList<>();
        for (ByteBuffer buffer : memory) {
            if (buffer.hasRemaining()) {
                views.add(buffer.slice());
            }
        }
        return views.isEmpty() ? List.of(ByteBuffer.allocateDirect(0)) : views;
    }

    private void checkRegistration(List<ByteBuffer> memory, Set<AccessFlag> access) {
        if (!memory.stream().allMatch(ByteBuffer::isDirect)) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "Only direct buffers can be registered. Use ByteBuffer.allocateDirect, or allocate().");
        }
        long most = core.attributes().maxMemoryRegionSize();
        if (length(memory) > most) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A region has at most " + most + " bytes, not " + length(memory) + ".");
        }
        boolean peersWrite = access.contains(AccessFlag.REMOTE_WRITE)
                || access.contains(AccessFlag.REMOTE_ATOMIC)
                || access.contains(AccessFlag.RECORD);
        if (peersWrite && !access.contains(AccessFlag.LOCAL_WRITE)) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT, "REMOTE_WRITE, REMOTE_ATOMIC and RECORD need LOCAL_WRITE: add it.");
        }
    }

    private static int bits(Set<AccessFlag> access) {
        int bits = 0;
        for (AccessFlag flag : access) {
            bits |= flag.bit();
        }
        return bits;
    }

    @Override
    public MemoryRegion allocate(int length, AccessFlag... access) {
        // SEC-6.3.2-1: new memory, all zero; nothing is pooled.
        RdmaException.requireArguments(access, "access"); // before the allocation
        if (length < 0 || length > Integer.MAX_VALUE - PAGE) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A region has 0 to " + (Integer.MAX_VALUE - PAGE) + " bytes, not " + length + ".");
        }
        ByteBuffer whole;
        try {
            whole = ByteBuffer.allocateDirect(length + PAGE);
        } catch (OutOfMemoryError e) {
            throw new RdmaException(
                    RdmaErrorCode.LIMIT_REACHED,
                    "The JVM has no " + length + " bytes of direct memory left. Raise -XX:MaxDirectMemorySize.",
                    e);
        }
        int start = (PAGE - whole.alignmentOffset(0, PAGE)) % PAGE;
        return register(whole.slice(start, length), access);
    }

    @Override
    public MemoryWindow allocateWindow() {
        checkOpen();
        ContextCore.checkLimit(windows.size(), core.attributes().maxMemoryWindows(), "memory windows of a domain");
        RnicMemoryWindow window = new RnicMemoryWindow(this);
        windows.add(window);
        return window;
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int maxWorkRequests, int maxScatterGatherElements) {
        checkOpen();
        ContextCore.checkLimit(
                sharedReceiveQueues.size(),
                core.attributes().maxSharedReceiveQueues(),
                "shared receive queues of a domain");
        ContextCore.checkRange(
                maxWorkRequests,
                1,
                core.attributes().maxSharedReceiveWorkRequests(),
                "work requests of a shared receive queue");
        ContextCore.checkRange(
                maxScatterGatherElements,
                0,
                core.attributes().maxSharedReceiveScatterGatherElements(),
                "scatter/gather elements of a shared receive");
        RnicSharedReceiveQueue queue =
                new RnicSharedReceiveQueue(this, core.newHandle(), maxWorkRequests, maxScatterGatherElements);
        sharedReceiveQueues.add(queue);
        return queue;
    }

    /** {@return the shared receive queue in the attributes of a new queue pair; null if there is none} */
    @Nullable
    public RnicSharedReceiveQueue sharedReceiveQueue(QueuePairAttributes wanted) {
        SharedReceiveQueue queue = wanted.sharedReceiveQueue();
        if (queue == null) {
            return null;
        }
        if (!(queue instanceof RnicSharedReceiveQueue own) || own.protectionDomain() != this) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The shared receive queue must be of the queue pair's protection domain: " + queue + " is not of "
                            + this + ".");
        }
        return own;
    }

    @Override
    public QueuePair createQueuePair(QueuePairAttributes attributes) {
        checkOpen();
        RdmaException.requireArgument(attributes, "attributes");
        return home.newQueuePair(this, attributes);
    }

    @Override
    public DatagramQueuePair createDatagramQueuePair(
            QueuePairType type, QueuePairAttributes attributes, DatagramAttributes datagrams) {
        checkOpen();
        RdmaException.requireArgument(type, "type");
        RdmaException.requireArgument(attributes, "attributes");
        RdmaException.requireArgument(datagrams, "datagrams");
        return home.newQueuePair(this, type, attributes, datagrams);
    }

    public void add(QueuePair queuePair) {
        queuePairs.add(queuePair);
    }

    private void checkOpen() {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "Protection domain " + handle + " is closed.");
        }
        core.checkOpen();
    }

    /** {@return a live view of the regions} */
    public Set<RnicMemoryRegion> regions() {
        return Collections.unmodifiableSet(regions);
    }

    /** {@return a live view of the windows} */
    public Set<RnicMemoryWindow> windows() {
        return Collections.unmodifiableSet(windows);
    }

    /** {@return a live view of the shared receive queues} */
    public Set<RnicSharedReceiveQueue> sharedReceiveQueues() {
        return Collections.unmodifiableSet(sharedReceiveQueues);
    }

    /** {@return the number of queue pairs} */
    public int users() {
        return queuePairs.size();
    }

    /** See {@link Home#awaitPlacements}. */
    void awaitPlacements(@Nullable TaggedBuffer registration) {
        home.awaitPlacements(this, registration);
    }

    void forget(RnicMemoryRegion region) {
        regions.remove(region);
    }

    void forget(RnicMemoryWindow window) {
        windows.remove(window);
    }

    public void forget(QueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    void forget(RnicSharedReceiveQueue queue) {
        sharedReceiveQueues.remove(queue);
    }

    @Override
    public void close() {
        core.progression().checkThread();
        if (closed) {
            return;
        }
        int users = users();
        if (users > 0 || !sharedReceiveQueues.isEmpty() || !windows.isEmpty() || !regions.isEmpty()) {
            throw new RdmaException(
                    RdmaErrorCode.RESOURCE_BUSY,
                    "Protection domain " + handle + " still has " + users + " queue pair(s), "
                            + sharedReceiveQueues.size() + " shared receive queue(s), " + windows.size()
                            + " window(s) and " + regions.size() + " region(s): close them first, in this order.");
        }
        shutDown();
    }

    /** Closes the domain with all its memory when its context ends; no connection is left then. */
    public void shutDown() {
        closed = true;
        try {
            windows.forEach(RnicMemoryWindow::deregister);
            regions.forEach(RnicMemoryRegion::deregister);
        } finally {
            home.remove(this);
        }
    }

    @Override
    public String toString() {
        return "protection domain " + handle;
    }
}
