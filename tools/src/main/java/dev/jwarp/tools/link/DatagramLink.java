package dev.jwarp.tools.link;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.WorkCompletion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A datagram queue pair with its protection domain, completion queue and memory. One thread. */
public final class DatagramLink implements AutoCloseable {
    /** The name of the device with datagrams. */
    private static final String DEVICE = "jwarp0";

    private final Console console;
    private final ProtectionDomain domain;
    private final boolean first;
    private final CompletionQueue completions;
    private final DatagramQueuePair queuePair;
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final WorkCompletion[] one = WorkCompletion.array(1);

    /**
     * Makes the queue pair.
     *
     * @param unasked number of completions without a work request of this end: those of Write-Records from peers
     */
    public DatagramLink(
            Context context, Console console, Link.Depths depths, int unasked, DatagramAttributes attributes) {
        this(context.allocateProtectionDomain(), true, console, depths, unasked, attributes);
    }

    private DatagramLink(
            ProtectionDomain domain,
            boolean first,
            Console console,
            Link.Depths depths,
            int unasked,
            DatagramAttributes attributes) {
        this.console = console;
        this.domain = domain;
        this.first = first;
        Context context = domain.context();
        completions = context.createCompletionQueue(depths.sends() + depths.receives() + unasked);
        queuePair = domain.createDatagramQueuePair(
                QueuePairType.UD,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(depths.sends())
                        .maxReceiveWorkRequests(depths.receives())
                        .maxSendElements(1)
                        .maxReceiveElements(1)
                        .build(),
                attributes);
    }

    /** {@return another queue pair of the same protection domain; the caller closes it before this one} */
    public DatagramLink beside(Link.Depths depths, int unasked, DatagramAttributes attributes) {
        return new DatagramLink(domain, false, console, depths, unasked, attributes);
    }

    /** {@return the device with datagrams} */
    public static Device device(RdmaProvider provider) {
        return provider.device(DEVICE);
    }

    /** {@return the queue pair} */
    public DatagramQueuePair queuePair() {
        return queuePair;
    }

    /** {@return new memory, which is deregistered when this is closed} */
    public MemoryRegion allocate(int length, AccessFlag... access) {
        MemoryRegion region = domain.allocate(length, access);
        regions.add(region);
        return region;
    }

    /** {@return the next completion, valid until the next call; null if there is none now} */
    public @Nullable WorkCompletion poll() {
        return completions.poll(one) == 0 ? null : one[0];
    }

    /** {@return whether a completion was stored in {@code into[0]}} For completions that the caller keeps. */
    public boolean poll(WorkCompletion[] into) {
        return completions.poll(into) > 0;
    }

    /**
     * Waits for the next completion of any kind.
     *
     * @return the completion, valid until the next call; null after the time limit
     */
    public @Nullable WorkCompletion next(Duration limit) {
        WorkCompletion there = poll();
        if (there != null) {
            return there;
        }
        EndableWait patience = new EndableWait(console, limit);
        for (Duration slice = patience.next(); !slice.isZero(); slice = patience.next()) {
            if (completions.await(one, slice) > 0) {
                return one[0];
            }
        }
        return null;
    }

    @Override
    public void close() {
        queuePair.close();
        regions.forEach(MemoryRegion::close);
        completions.close();
        if (first) {
            domain.close();
        }
    }
}
