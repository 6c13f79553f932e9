package dev.jwarp.rnic.memory;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryWindow;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A memory window and its bindings. A binding is created when its work request is posted, so that its STag is known at
 * once; the previous binding ends when the new one is carried out. Lock order: a queue pair's send lock, then the
 * window, then the region.
 */
public final class RnicMemoryWindow implements MemoryWindow {
    /** A queue pair, as its memory windows see it. Any thread. */
    public interface User {
        /** {@return the number of the queue pair} */
        int number();

        /** The binding with this STag, posted to this queue pair, has ended. Either side may have ended it. */
        void bindingEnded(int stag);
    }

    /** A window bound, or about to be bound, to a part of a region, for one queue pair. */
    public static final class Binding {
        private final RnicMemoryWindow window;
        private final RnicMemoryRegion region;
        private final User queuePair;
        private final TaggedBuffer buffer;
        private final AtomicBoolean ended = new AtomicBoolean();

        Binding(RnicMemoryWindow window, RnicMemoryRegion region, User queuePair, TaggedBuffer buffer) {
            this.window = window;
            this.region = region;
            this.queuePair = queuePair;
            this.buffer = buffer;
        }

        public RnicMemoryWindow window() {
            return window;
        }

        User queuePair() {
            return queuePair;
        }

        public TaggedBuffer buffer() {
            return buffer;
        }

        /** Invalidates the STag, and detaches the window from the region. Idempotent. */
        void end() {
            if (ended.compareAndSet(false, true)) {
                region.protectionDomain().core().tags().deregister(buffer);
                region.removeWindow();
                queuePair.bindingEnded(buffer.stag());
            }
        }
    }

    private final RnicProtectionDomain domain;

    // Guarded by this. The binding posted last, and the binding in force, which differs while the last one is in the
    // send queue.
    private @Nullable Binding newest;
    private @Nullable Binding inForce;
    private boolean closed;

    /** Whether the window is deregistered and no placement is in progress any more. */
    private volatile boolean settled;

    RnicMemoryWindow(RnicProtectionDomain domain) {
        this.domain = domain;
    }

    @Override
    public RnicProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public synchronized int rkey() {
        return newest == null ? 0 : newest.buffer().stag();
    }

    /**
     * Creates a binding for a work request.
     *
     * @throws RdmaException if the region does not allow it, the range is not in it, or the previous binding is still in
     *     a send queue
     */
    public synchronized Binding bind(RnicMemoryRegion region, User queuePair, long address, long length, int access) {
        checkBindable(queuePair);
        checkRange(region, address, length, access);
        region.addWindow();
        boolean made = false;
        try {
            TaggedBuffer buffer = domain.core()
                    .tags()
                    .prepareWindow(
                            region.tagged(), queuePair.number(), address - region.address(), length, address, access);
            Binding binding = new Binding(this, region, queuePair, buffer);
            newest = binding;
            made = true;
            return binding;
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new RdmaException(
                    e instanceof IllegalStateException ? RdmaErrorCode.LIMIT_REACHED : RdmaErrorCode.INVALID_ARGUMENT,
                    "The window cannot be bound: " + e.getMessage(),
                    e);
        } finally {
            if (!made) {
                region.removeWindow();
            }
        }
    }

    private void checkBindable(User queuePair) {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "The memory window is closed: it cannot be bound.");
        }
        if (newest != inForce) {
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE,
                    "The memory window has a binding in a send queue already. Wait for its completion.");
        }
        Binding bound = inForce;
        if (bound != null && !bound.buffer().valid()) {
            // Invalidated by LOCAL_INV, by the peer, or with its region.
            over(bound);
        } else if (bound != null && bound.queuePair() != queuePair) {
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE,
                    "The memory window is bound through " + bound.queuePair()
                            + ": end that binding (LOCAL_INV there, or"
                            + " close the window) before another queue pair uses it.");
        }
    }

    private void checkRange(RnicMemoryRegion region, long address, long length, int access) {
        if (region.protectionDomain() != domain) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    region + " is in another protection domain than the memory window.");
        }
        if ((access & ~(Access.REMOTE_READ | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A memory window takes REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC only.");
        }
        if (length < 0 || !region.tagged().contains(address, length)) {
            throw new RdmaException(
                    RdmaErrorCode.OUT_OF_BOUNDS,
                    String.format(Locale.ROOT, "%d bytes at address 0x%x are not inside %s.", length, address, region));
        }
        if (!region.access().contains(AccessFlag.MW_BIND)) {
            throw new RdmaException(
                    RdmaErrorCode.ACCESS_DENIED, region + " does not allow windows: register it with MW_BIND.");
        }
    }

    /** {@return the registration that the newest binding replaces, or null} */
    public synchronized @Nullable TaggedBuffer replaced() {
        return inForce == null ? null : inForce.buffer();
    }

    /** The binding was carried out: the previous binding ends. */
    public synchronized void carriedOut(Binding binding) {
        Binding before = inForce;
        inForce = binding;
        try {
            if (before != null && before != binding) {
                before.end();
            }
        } finally {
            if (closed) {
                binding.end();
            }
        }
    }

    /** The binding was not carried out, or its queue pair is gone. */
    public synchronized void over(Binding binding) {
        if (inForce == binding) {
            inForce = null;
        }
        if (newest == binding) {
            newest = inForce;
        }
        binding.end(); // last: it may throw
    }

    @Override
    public void close() {
        domain.core().progression().checkThread();
        deregister();
        if (!settled) {
            // Every closing thread waits until one has seen the end of all placements. Not under the monitor, which an
            // owner may need.
            domain.awaitPlacements(null);
            settled = true;
        }
    }

    /** Closes the window and ends its bindings, without waiting for placements in progress. */
    synchronized void deregister() {
        if (closed) {
            return;
        }
        closed = true;
        Binding last = newest;
        Binding before = inForce;
        newest = null;
        inForce = null;
        domain.forget(this);
        try {
            if (last != null) {
                last.end();
            }
        } finally {
            if (before != null) {
                before.end();
            }
        }
    }
}
