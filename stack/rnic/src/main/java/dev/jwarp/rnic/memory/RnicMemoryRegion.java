package dev.jwarp.rnic.memory;

import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.datagram.BoundPeers;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.rdmap.work.AtomicMemory;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A memory region; peers access its {@link TaggedBuffer}. */
public final class RnicMemoryRegion implements MemoryRegion {
    /** A peer of a datagram queue pair, which a region can be bound to. */
    public interface Peer {
        /** {@return the peer, as lower layers see it} */
        DatagramPeer peer();

        /** {@return whether the peer belongs to an open queue pair of this context} */
        boolean isOf(ContextCore core);
    }

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final Duration LONGEST = Duration.ofDays(10_000);

    private final int number = NUMBERS.incrementAndGet();
    private final RnicProtectionDomain domain;
    private final List<ByteBuffer> buffers;
    private final TaggedBuffer tagged;
    private final Set<AccessFlag> access;

    // Guarded by this.
    private int windows;
    private boolean closed;

    /** Whether the region is deregistered and no placement is in progress any more. */
    private volatile boolean settled;

    RnicMemoryRegion(
            RnicProtectionDomain domain, List<ByteBuffer> buffers, TaggedBuffer tagged, Set<AccessFlag> access) {
        this.domain = domain;
        this.buffers = List.copyOf(buffers);
        this.tagged = tagged;
        this.access = Set.copyOf(access);
    }

    @Override
    public RnicProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public ByteBuffer buffer() {
        if (buffers.size() != 1) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    this + " has " + buffers.size() + " buffers: take them from buffers(), not from buffer().");
        }
        return buffers.get(0);
    }

    @Override
    public List<ByteBuffer> buffers() {
        return buffers;
    }

    @Override
    public long getAtomic(long offset) {
        checkWord(offset);
        return AtomicMemory.get(tagged.memoryAt(offset), tagged.indexAt(offset));
    }

    @Override
    public void setAtomic(long offset, long value) {
        AtomicMemory.set(changeable(offset), tagged.indexAt(offset), value);
    }

    @Override
    public boolean compareAndSetAtomic(long offset, long expected, long replacement) {
        return AtomicMemory.compareAndSet(changeable(offset), tagged.indexAt(offset), expected, replacement);
    }

    /** {@return the memory of the 8 bytes at {@code offset}} Throws if the memory is read-only. */
    private ByteBuffer changeable(long offset) {
        checkWord(offset);
        ByteBuffer memory = tagged.memoryAt(offset);
        if (memory.isReadOnly()) {
            throw new RdmaException(
                    RdmaErrorCode.ACCESS_DENIED, this + " is of a read-only buffer: nothing can be written there.");
        }
        return memory;
    }

    private void checkWord(long offset) {
        if (offset < 0 || offset > length() - Long.BYTES) {
            throw new RdmaException(
                    RdmaErrorCode.OUT_OF_BOUNDS, "The 8 bytes at offset " + offset + " are not inside " + this + ".");
        }
        if (!TaggedAccess.atomic(tagged, offset)) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The word at offset " + offset + " of " + this
                            + " is at no multiple of 8 in memory, or lies in two buffers: Atomics cannot use it.");
        }
    }

    @Override
    public long address() {
        return tagged.baseOffset();
    }

    @Override
    public long length() {
        return tagged.length();
    }

    @Override
    public int lkey() {
        return tagged.stag();
    }

    @Override
    public int rkey() {
        return tagged.stag();
    }

    @Override
    public Set<AccessFlag> access() {
        return access;
    }

    /** {@return a number that identifies the region to people and, unlike its STag, is no secret} */
    public int number() {
        return number;
    }

    @Override
    public void bindTo(AddressHandle... peers) {
        List<DatagramPeer> bound = new ArrayList<>();
        for (AddressHandle peer : RdmaException.requireArgument(peers, "peers")) {
            if (!(peer instanceof Peer own) || !own.isOf(domain.core())) {
                throw new RdmaException(
                        RdmaErrorCode.INVALID_ARGUMENT,
                        this + " cannot be bound to " + peer + ": take a handle of a queue pair of its context.");
            }
            bound.add(own.peer());
        }
        tagged.bindTo(new BoundPeers(bound));
    }

    @Override
    public void expireAfter(Duration time) {
        if (RdmaException.requireArgument(time, "time").isNegative() || time.compareTo(LONGEST) > 0) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A region expires after 0 to " + LONGEST.toDays() + " days, not after " + time + ".");
        }
        long now = domain.core().progression().now();
        // The receiving thread may have read its clock before this call, and judge later datagrams by that time.
        tagged.expireAt(time.isZero() ? now - LONGEST.toNanos() : now + time.toNanos());
    }

    public TaggedBuffer tagged() {
        return tagged;
    }

    /** A window is about to be bound. */
    synchronized void addWindow() {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, this + " is closed: a window cannot be bound to it.");
        }
        windows++;
    }

    /** A window is no longer bound. */
    synchronized void removeWindow() {
        windows--;
    }

    @Override
    public void close() {
        domain.core().progression().checkThread();
        deregister();
        if (!settled) {
            // Every closing thread waits until one has seen the end of all placements. Not under the monitor, which an
            // owner may need.
            domain.awaitPlacements(tagged);
            settled = true;
        }
    }

    /** Deregisters the region without waiting for placements in progress. Returns true the first time. */
    synchronized boolean deregister() {
        if (closed) {
            return false;
        }
        if (windows > 0) {
            throw new RdmaException(
                    RdmaErrorCode.RESOURCE_BUSY,
                    this + " has " + windows
                            + " memory window(s) bound to it: close them, or bind them elsewhere, first.");
        }
        closed = true;
        domain.core().tags().deregister(tagged);
        domain.forget(this);
        return true;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "memory region 0x%08x (address 0x%x, %d bytes, %s)", lkey(), address(), length(), access);
    }
}
