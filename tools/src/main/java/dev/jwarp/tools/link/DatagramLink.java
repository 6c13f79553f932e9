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

/** A datagram queue pair with all that belongs to it: a domain, a completion queue, memory. One thread. */
public final class DatagramLink implements AutoCloseable {
    /** The name of the device that has datagrams. */
    private static final String DEVICE = "jwarp0";

    private final Console console;
    private final ProtectionDomain domain;
    private final boolean first;
    private final CompletionQueue completions;
    private final DatagramQueuePair queuePair;
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final WorkCompletion[] one = WorkCompletion.array(1);

    /**
     * Makes one.
     *
     * @param unasked completions that come without a request of ours: Write-Records of peers
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

    /** {@return another queue pair that may use the same memory; to be closed before this one} */
    public DatagramLink beside(Link.Depths depths, int unasked, DatagramAttributes attributes) {
        return new DatagramLink(domain, false, console, depths, unasked, attributes);
    }

    /** {@return the device that has datagrams} */
    public static Device device(RdmaProvider provider) {
        return provider.device(DEVICE);
    }

    /** {@return where to post} */
    public DatagramQueuePair queuePair() {
        return queuePair;
    }

    /** {@return new memory that lives as long as the link} */
    public MemoryRegion allocate(int length, AccessFlag... access) {
        MemoryRegion region = domain.allocate(length, access);
        regions.add(region);
        return region;
    }

    /** {@return a completion that is there now, valid until the next call; else null} */
    public @Nullable WorkCompletion poll() {
        return completions.poll(one) == 0 ? null : one[0];
    }

    /** {@return whether a completion was there now, which {@code into[0]} has} For those that are to be kept. */
    public boolean poll(WorkCompletion[] into) {
        return completions.poll(into) > 0;
    }

    /**
     * Waits for the next completion, whatever it is.
     *
     * @return it, valid until the next call; null if none came in time
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
