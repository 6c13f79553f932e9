package dev.jwarp.tools.link;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One connection with its protection domain, completion queue, queue pair and memory. Every wait has a time limit, ends
 * early if the user wants it, and reports a failure as a sentence. One thread.
 */
public final class Link implements AutoCloseable {
    /** Practically no limit. */
    public static final Duration FOREVER = Duration.ofDays(36_500);

    private static final Duration LAST_EVENT = Duration.ofSeconds(10);
    private static final Duration FAREWELL = Duration.ofSeconds(2);
    private static final Duration LAST_COMPLETIONS = Duration.ofMillis(100);

    private final Console console;
    private final CmEventChannel events;
    private final CmId id;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final WorkCompletion[] one = WorkCompletion.array(1);
    private String peer = "the peer";
    private int flushed;
    private byte[] answer = new byte[0];
    private @Nullable CmEvent disconnected;

    /** This side is the initiator, and nothing has arrived from the peer yet. */
    private boolean unheard;

    /**
     * Depths of the queues.
     *
     * @param sends in the send queue
     * @param receives in the receive queue
     */
    public record Depths(int sends, int receives) {}

    private Link(Console console, Context context, CmEventChannel events, CmId id, Depths depths) {
        this.console = console;
        this.events = events;
        this.id = id;
        try (Rollback taken = new Rollback()) {
            domain = context.allocateProtectionDomain();
            taken.add(domain::close);
            completions = context.createCompletionQueue(depths.sends() + depths.receives());
            taken.add(completions::close);
            queuePair = id.createQueuePair(
                    domain,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(depths.sends())
                            .maxReceiveWorkRequests(depths.receives())
                            .maxSendElements(1)
                            .maxReceiveElements(1)
                            .build());
            taken.keep();
        }
    }

    /** {@return a link that is not connected yet} */
    public static Link to(
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            Context context,
            Console console,
            Depths depths) {
        try (Rollback taken = new Rollback()) {
            CmEventChannel events = context.createEventChannel();
            taken.add(events::close);
            CmId id = context.createId(events);
            taken.add(id::close);
            id.resolveAddress(local, remote);
            Link link = new Link(console, context, events, id, depths);
            taken.add(link::close);
            link.peer = Addresses.text(remote);
            link.awaitEvent(CmEventType.ADDR_RESOLVED, LAST_EVENT);
            taken.keep();
            return link;
        }
    }

    /** {@return a link for a request that is not accepted yet} Closes the request if that fails. */
    public static Link from(CmId request, Console console, Depths depths) {
        try (Rollback taken = new Rollback()) {
            taken.add(request::close);
            CmEventChannel events = request.context().createEventChannel();
            taken.add(events::close);
            taken.add(request::close); // before its channel
            request.migrate(events);
            Link link = new Link(console, request.context(), events, request, depths);
            InetSocketAddress remote = request.remoteAddress();
            link.peer = remote == null ? link.peer : Addresses.text(remote);
            taken.keep();
            return link;
        }
    }

    /**
     * {@return the result of {@code made}} Closes the link if that fails, because the caller has no reference to it
     * then.
     */
    public <T> T whole(Supplier<T> made) {
        try (Rollback taken = new Rollback()) {
            taken.add(this::close);
            T whole = made.get();
            taken.keep();
            return whole;
        }
    }

    /** Aborts the connection and flushes outstanding work requests. Does nothing without a connection. Any thread. */
    public void breakOff() {
        try {
            queuePair.modify(QueuePairState.ERR);
        } catch (RdmaException e) {
            // The connection has ended, or the queue pair is closed.
        }
    }

    /** {@return the peer's address, for the user} */
    public String peer() {
        return peer;
    }

    /** {@return private data of the peer's accept; may be empty} */
    public byte[] answer() {
        return answer;
    }

    /** {@return the address of this end, or null if there is none yet} */
    public @Nullable InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** {@return the peer's address, or null if there is none yet} */
    public @Nullable InetSocketAddress remoteAddress() {
        return id.remoteAddress();
    }

    /** {@return the peer's host, for the user} */
    public String peerHost() {
        InetSocketAddress remote = id.remoteAddress();
        return remote == null ? peer : Addresses.host(remote);
    }

    /** {@return the queue pair} */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** {@return new memory, which is deregistered when the link is closed} */
    public MemoryRegion allocate(int length, AccessFlag... access) {
        MemoryRegion region = domain.allocate(length, access);
        regions.add(region);
        return region;
    }

    /** Connects, and waits until the connection is established. */
    public void connect(ConnectionParameters parameters, Duration limit) {
        unheard = true;
        id.connect(parameters.withTimeout(limit));
        awaitEvent(CmEventType.ESTABLISHED, limit.plus(LAST_EVENT));
    }

    /**
     * Accepts without waiting until the connection is established. Posted work requests are sent when the protocol
     * allows it.
     */
    public void accept(ConnectionParameters parameters) {
        id.accept(parameters);
    }

    /** Waits until an accepted connection is established. */
    public void awaitEstablished(Duration limit) {
        awaitEvent(CmEventType.ESTABLISHED, limit);
    }

    private void awaitEvent(CmEventType wanted, Duration limit) {
        EndableWait patience = new EndableWait(console, limit);
        while (true) {
            Duration slice = patience.next();
            CmEvent event = events.await(slice);
            if (event == null) {
                if (slice.isZero()) {
                    throw ToolFailure.setup("no answer from " + peer + " within " + Timeout.text(limit));
                }
            } else if (event.type() == wanted) {
                answer = event.parameters().privateData();
                return;
            } else if (event.type() == CmEventType.DISCONNECTED && wanted == CmEventType.ESTABLISHED) {
                // An accepted connection that ended before its first message.
                disconnected = event;
                throw ToolFailure.setup(event.sentence());
            } else if (event.error() == RdmaErrorCode.DISCONNECTED) {
                throw ToolFailure.setup(event.sentence()); // this side has ended the connection
            } else if (event.error() != null) {
                throw new RdmaException(
                        event.error(),
                        event.sentence(),
                        null,
                        0,
                        event.parameters().privateData());
            }
        }
    }

    /** {@return the next completion, valid until the next call; null if there is none now} Allocates nothing. */
    public @Nullable WorkCompletion poll() {
        return completions.poll(one) == 0 ? null : one[0];
    }

    /**
     * Takes completions without waiting, and makes progress.
     *
     * @param into filled from index 0 on
     * @return the number of completions
     */
    public int poll(WorkCompletion[] into) {
        return completions.poll(into);
    }

    /**
     * Takes completions, and waits a moment if there are none; for callers with their own time limit.
     *
     * @param into filled from index 0 on
     * @return the number of completions
     */
    public int await(WorkCompletion[] into, Duration moment) {
        return completions.await(into, moment);
    }

    /**
     * Waits for the next completion of any kind.
     *
     * @return the completion, valid until the next call; null after the time limit
     */
    public @Nullable WorkCompletion next(Duration limit) {
        int taken = completions.poll(one);
        if (taken == 0) {
            EndableWait patience = new EndableWait(console, limit);
            for (Duration slice = patience.next(); taken == 0; slice = patience.next()) {
                taken = completions.await(one, slice);
                if (taken == 0 && slice.isZero()) {
                    return null;
                }
            }
        }
        return one[0];
    }

    /**
     * Waits for the next completion, which must be of that kind.
     *
     * @param what noun for the message to the user
     * @return the completion, valid until the next call; null if the connection ended instead, see {@link #end}
     * @throws ToolFailure if the work request failed, or after the time limit
     */
    public @Nullable WorkCompletion expect(WorkCompletionOpcode opcode, Duration limit, String what) {
        WorkCompletion completion = next(limit);
        if (completion == null) {
            throw ToolFailure.failed("no " + what + " from " + peer + " within " + Timeout.text(limit), silence());
        }
        return expected(completion, opcode, what);
    }

    /** {@return advice for the user if nothing arrives from the peer} */
    public String[] silence() {
        String general = "is the peer alive? --timeout sets the limit";
        return unheard
                ? new String[] {
                    general,
                    "if the peer is Linux's siw, which can overlook a first message: --set jwarp.rdmap.nudge=on"
                }
                : new String[] {general};
    }

    /** {@return the completion, if it is of that kind} As {@link #expect}, for a completion that was already taken. */
    public @Nullable WorkCompletion expected(WorkCompletion completion, WorkCompletionOpcode opcode, String what) {
        if (completion.status() == WorkCompletionStatus.WR_FLUSH_ERR) {
            flushed++;
            return null;
        } else if (!completion.succeeded()) {
            throw failed(completion);
        } else if (completion.opcode() != opcode) {
            if (!completion.opcode().isReceive()) {
                throw new IllegalStateException("expected " + opcode + ", got " + completion);
            }
            // Immediate Data or an unexpected message: the peer speaks another protocol.
            throw new ToolFailure(
                    ExitStatus.MISMATCH,
                    peer + " sent a message (" + completion.opcode() + ", " + completion.byteLength()
                            + " bytes) when this side waited for the " + what,
                    "is it the right program at the other end?");
        }
        unheard &= opcode == WorkCompletionOpcode.SEND || opcode == WorkCompletionOpcode.RDMA_WRITE;
        return completion;
    }

    /** {@return the failure of a work request, with the number of work requests that were flushed after it} */
    public ToolFailure failed(WorkCompletion completion) {
        List<String> lines = new ArrayList<>(Arrays.asList(completion.describe().split("\n")));
        drain();
        if (flushed > 0) {
            lines.add(flushed + " more flushed");
        }
        return ToolFailure.failed(lines.get(0), lines.subList(1, lines.size()).toArray(String[]::new));
    }

    private void drain() {
        for (WorkCompletion rest = next(LAST_COMPLETIONS); rest != null; rest = next(LAST_COMPLETIONS)) {
            if (rest.status() == WorkCompletionStatus.WR_FLUSH_ERR) {
                flushed++;
            }
        }
    }

    /**
     * Waits for the end of the connection.
     *
     * @return the reason of an abortive end; null after an orderly end
     */
    public @Nullable ToolFailure end(Duration limit) {
        EndableWait patience = new EndableWait(console, limit);
        while (disconnected == null) {
            Duration slice = patience.next();
            CmEvent event = events.await(slice);
            if (event != null && isEnd(event)) {
                disconnected = event;
            } else if (event == null && slice.isZero()) {
                return ToolFailure.failed(peer + " did not close the connection within " + Timeout.text(limit));
            }
        }
        return disconnected.error() == null ? null : ToolFailure.failed(disconnected.sentence());
    }

    private static boolean isEnd(CmEvent event) {
        // CONNECT_ERROR: the accepted connection ended before its first message.
        return event.type() == CmEventType.DISCONNECTED || event.type() == CmEventType.CONNECT_ERROR;
    }

    /**
     * {@return the reason of an abortive end; null after an orderly end} For a connection that is known to have ended.
     */
    public @Nullable ToolFailure end() {
        return end(LAST_EVENT);
    }

    /** {@return the failure of a connection that either side ended before the work was done} */
    public ToolFailure brokenOff(String during) {
        ToolFailure reason = end();
        if (reason != null) {
            return reason;
        }
        drain();
        return ToolFailure.failed(peer + " closed the connection " + during + ", with " + flushed
                + (flushed == 1 ? " work request" : " work requests") + " outstanding");
    }

    /** Disconnects, and waits a short time until the peer does the same. A second call does nothing. */
    public void disconnect() {
        if (disconnected != null) {
            return;
        }
        try {
            id.disconnect();
        } catch (RdmaException e) {
            if (e.code() == RdmaErrorCode.WRONG_STATE) {
                return; // There was no connection.
            }
            throw e;
        }
        EndableWait patience = new EndableWait(console, FAREWELL, true);
        for (Duration slice = patience.next(); !slice.isZero() && disconnected == null; slice = patience.next()) {
            CmEvent event = events.await(slice);
            if (event != null && isEnd(event)) {
                disconnected = event;
            }
        }
    }

    @Override
    public void close() {
        id.close();
        queuePair.close();
        regions.forEach(MemoryRegion::close);
        completions.close();
        domain.close();
        events.close();
    }
}
