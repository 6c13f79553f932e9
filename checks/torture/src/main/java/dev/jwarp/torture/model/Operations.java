package dev.jwarp.torture.model;

import dev.jwarp.torture.Dialer;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A random program of operations over one connection, in both directions, in rounds. A model executes the same requests
 * one after the other. The model allows one freedom: a Read may return data of a later request of its own side, unless
 * that one is fenced (RFC 5040 §5.5: a Read Response may be created after data behind its Request was placed).
 * Everything else must match: bytes, order of delivery, and completions. A program may end in an illegal request; then
 * the model gives the completions of both sides, and no byte may have changed.
 *
 * <p>Threads: one.
 */
public final class Operations {
    /** Where a program runs. */
    public interface Place {
        /** {@return the side that connects} */
        Context near();

        /** {@return the side that listens} */
        Context far();

        /** {@return where the far side is} */
        InetAddress address();

        /** Drives the contexts. */
        void move();

        /** {@return the longest wait} */
        Duration patience();

        /** {@return now, nanoseconds} */
        long now();
    }

    private static final int LONGEST = 400;

    private final Place place;
    private final SplittableRandom random;
    private final List<String> program = new ArrayList<>();
    private final Modelled near;
    private final Modelled far;
    private final SendWorkRequest request = new SendWorkRequest();

    private Operations(Place place, long seed) {
        this.place = place;
        random = new SplittableRandom(seed);
        near = new Modelled("near", place.near(), random, random.nextInt(4) == 0);
        far = new Modelled("far", place.far(), random, random.nextInt(4) == 0);
    }

    /**
     * Runs the program of a seed.
     *
     * @throws AssertionError with the program if stack and model disagree
     */
    public static void run(Place place, long seed) {
        Operations operations = new Operations(place, seed);
        try {
            operations.play();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "Seed " + seed + ": " + e.getMessage() + "\n  " + String.join("\n  ", operations.program), e);
        }
    }

    private void play() {
        Dialer dialer = new Dialer(place.near(), place.far(), place.address());
        Dialer.Ends ends = dialer.dial(near::prepare, far::prepare, place.patience(), place::move);
        if (!ends.established()) {
            throw new AssertionError("not connected");
        }
        for (int rounds = random.nextInt(1, 5); rounds > 0; rounds--) {
            round();
        }
        if (random.nextBoolean()) {
            mistake(random.nextBoolean());
        }
        ends.near().close();
        ends.peer().close();
        near.compareMemory();
        far.compareMemory();
        dialer.close();
    }

    private void until(String what, BooleanSupplier done) {
        long end = place.now() + place.patience().toNanos();
        while (!done.getAsBoolean()) {
            if (place.now() > end) {
                throw new AssertionError("waited without a result for " + what + "; near " + near.sends + near.receives
                        + near.failures + ", far " + far.sends + far.receives + far.failures);
            }
            place.move();
            near.take();
            far.take();
        }
    }

    /** Both sides post random requests; when all are done, everything is compared. */
    private void round() {
        program.add("round");
        near.postReceives(random);
        far.postReceives(random);
        boolean windows = random.nextBoolean();
        if (windows) {
            bind(near);
            bind(far);
        }
        int[] left = {random.nextInt(1, 40), random.nextInt(40)};
        int[] messages = {Modelled.RECEIVES, Modelled.RECEIVES};
        boolean[] bound = {windows, windows}; // by side: whether the window of its peer is bound
        while (left[0] + left[1] > 0) {
            int which = left[0] == 0 || (left[1] > 0 && random.nextBoolean()) ? 1 : 0;
            left[which]--;
            Modelled side = which == 0 ? near : far;
            Modelled peer = which == 0 ? far : near;
            if (messages[which] > 0 && random.nextInt(3) == 0) {
                messages[which]--;
                bound[which] = message(side, peer, bound[which]);
            } else {
                operation(side, peer, bound[which]);
            }
            if (random.nextInt(4) == 0) {
                near.take();
                far.take();
            }
        }
        quiet();
    }

    /** Waits until all requests are done, and compares. */
    private void quiet() {
        // A last message: when it is delivered, everything before it is placed (RFC 5040 §5.5).
        flushBehind(near, far);
        flushBehind(far, near);
        until(
                "quiet",
                () -> near.sends.isEmpty() && far.sends.isEmpty() && near.messages.isEmpty() && far.messages.isEmpty());
        if (!near.failures.isEmpty() || !far.failures.isEmpty()) {
            throw new AssertionError("failed without a mistake: " + near.failures + far.failures);
        }
        near.compareMemory();
        far.compareMemory();
        near.compareBrought();
        far.compareBrought();
    }

    private void flushBehind(Modelled side, Modelled peer) {
        if (peer.receives.size() == peer.messages.size()) {
            until("a receive", () -> peer.messages.isEmpty());
            peer.postReceives(random);
        }
        request.clear().immediateData(7).fence(true);
        side.fence();
        post(side, WorkCompletionOpcode.SEND, true, 0, null, "immediate behind all, fenced");
        peer.messages.add(new Modelled.Message(null, 7, 0));
    }

    private void bind(Modelled side) {
        request.clear()
                .bindWindow(
                        side.window,
                        side.data,
                        side.data.address(),
                        Modelled.DATA,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_READ);
        post(side, WorkCompletionOpcode.BIND_MW, true, 0, null, "bind");
        until("the binding", side.sends::isEmpty);
    }

    /** Posts a request, when the queue has room. */
    private long post(
            Modelled side,
            WorkCompletionOpcode opcode,
            boolean signaled,
            int length,
            Modelled.@Nullable Brought brought,
            String words) {
        long id = side.nextId();
        request.id(id).signaled(signaled);
        String line = side.name + " " + id + ": " + words + (signaled ? "" : ", not signalled");
        program.add(line);
        until("room in the queue", () -> side.queuePair().tryPostSend(request));
        side.sends.add(new Modelled.Expected(id, opcode, signaled, length, brought, line));
        if (brought != null) {
            side.brought.add(brought);
        }
        return id;
    }

    /** Adds {@code length} bytes of the outbox, in up to three pieces, perhaps inline. Returns the bytes. */
    private byte[] gather(Modelled side, int length) {
        byte[] all = new byte[length];
        int done = 0;
        int pieces = random.nextInt(length == 0 ? 0 : 1, 4);
        for (int i = 0; i < pieces; i++) {
            int piece = i == pieces - 1 ? length - done : random.nextInt(length - done + 1);
            int at = random.nextInt(Modelled.DATA - piece + 1);
            side.bytes(side.outbox).get(at, all, done, piece);
            request.add(side.outbox, at, piece);
            done += piece;
        }
        request.inline(length <= 128 && random.nextInt(3) == 0);
        return all;
    }

    private int length() {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> random.nextInt(9);
            default -> random.nextInt(LONGEST);
        };
    }

    private boolean fence(Modelled side) {
        boolean fence = random.nextInt(6) == 0;
        request.fence(fence);
        if (fence) {
            side.fence();
        }
        return fence;
    }

    private void operation(Modelled side, Modelled peer, boolean window) {
        request.clear();
        boolean signaled = random.nextInt(3) > 0;
        int length = length();
        int at = random.nextInt(Modelled.DATA - length + 1);
        int key = window && random.nextBoolean() ? peer.window.rkey() : peer.data.rkey();
        int choice = side.sinkLeft() ? random.nextInt(8) : 0;
        switch (choice) {
            case 0, 1, 2 -> {
                request.rdmaWrite(peer.data.address() + at, key);
                boolean fence = fence(side);
                byte[] octets = gather(side, length);
                post(
                        side,
                        WorkCompletionOpcode.RDMA_WRITE,
                        signaled,
                        length,
                        null,
                        "write " + length + " at " + at + " fence " + fence);
                written(side, peer, at, octets);
            }
            case 3, 4 -> read(side, peer, at, length, key, signaled);
            case 5 -> {
                MemoryRegion once = side.domain.allocate(length + 1, AccessFlag.LOCAL_WRITE);
                request.rdmaReadWithInvalidate(peer.data.address() + at, key).add(once, 0, length);
                boolean fence = fence(side);
                Modelled.Brought brought = new Modelled.Brought(once, 0, at, slice(peer, at, length));
                post(
                        side,
                        WorkCompletionOpcode.RDMA_READ,
                        signaled,
                        length,
                        brought,
                        "read once " + length + " at " + at + " fence " + fence);
            }
            default -> atomic(side, peer, signaled);
        }
    }

    private static byte[] slice(Modelled peer, int at, int length) {
        byte[] octets = new byte[length];
        System.arraycopy(peer.dataModel, at, octets, 0, length);
        return octets;
    }

    private void read(Modelled side, Modelled peer, int at, int length, int key, boolean signaled) {
        int sink = side.sinkPlace(length);
        request.rdmaRead(peer.data.address() + at, key).add(side.sink, sink, length);
        boolean fence = fence(side);
        Modelled.Brought brought = new Modelled.Brought(side.sink, sink, at, slice(peer, at, length));
        post(
                side,
                WorkCompletionOpcode.RDMA_READ,
                signaled,
                length,
                brought,
                "read " + length + " at " + at + " fence " + fence);
    }

    private static void written(Modelled side, Modelled peer, int at, byte[] octets) {
        System.arraycopy(octets, 0, peer.dataModel, at, octets.length);
        side.changed(0, peer.dataModel);
    }

    private void atomic(Modelled side, Modelled peer, boolean signaled) {
        int which = random.nextInt(Modelled.COUNTERS);
        long before = peer.counterModel[which];
        long operand = random.nextInt(1000);
        int sink = side.sinkPlace(Long.BYTES);
        long address = peer.counters.address() + which * (long) Long.BYTES;
        boolean add = random.nextBoolean();
        if (add) {
            request.fetchAndAdd(address, peer.counters.rkey(), operand);
            peer.counterModel[which] = before + operand;
        } else {
            long expected = random.nextInt(3) > 0 ? before : before + 1;
            request.compareAndSwap(address, peer.counters.rkey(), expected, operand);
            peer.counterModel[which] = expected == before ? operand : before;
        }
        request.add(side.sink, sink, Long.BYTES);
        boolean fence = fence(side);
        byte[] octets = new byte[Long.BYTES];
        ByteBuffer.wrap(octets).order(ByteOrder.nativeOrder()).putLong(before);
        // Atomics of one side are executed in their order, and nothing else changes the counters: the old value is
        // known.
        Modelled.Brought brought = new Modelled.Brought(side.sink, sink, -1 - Modelled.DATA, octets);
        post(
                side,
                add ? WorkCompletionOpcode.FETCH_ADD : WorkCompletionOpcode.COMP_SWAP,
                signaled,
                Long.BYTES,
                brought,
                (add ? "add " : "swap ") + which + " fence " + fence);
    }

    /** Posts a request that consumes a receive of the peer. Returns whether the peer's window is still bound. */
    private boolean message(Modelled side, Modelled peer, boolean window) {
        request.clear();
        boolean signaled = random.nextInt(3) > 0;
        int length = length();
        long immediate = random.nextLong();
        switch (random.nextInt(window ? 5 : 4)) {
            case 0 -> {
                request.immediateData(immediate).solicited(random.nextBoolean());
                fence(side);
                post(side, WorkCompletionOpcode.SEND, signaled, 0, null, "immediate");
                peer.messages.add(new Modelled.Message(null, immediate, 0));
            }
            case 1 -> {
                int at = random.nextInt(Modelled.DATA - length + 1);
                request.rdmaWriteWithImmediate(peer.data.address() + at, peer.data.rkey(), immediate);
                fence(side);
                byte[] octets = gather(side, length);
                post(
                        side,
                        WorkCompletionOpcode.RDMA_WRITE,
                        signaled,
                        length,
                        null,
                        "write with immediate " + length + " at " + at);
                written(side, peer, at, octets);
                peer.messages.add(new Modelled.Message(null, immediate, 0));
            }
            case 4 -> {
                int key = peer.window.rkey();
                request.sendWithInvalidate(key).solicited(random.nextBoolean());
                // Earlier requests that use the window must be done, also Reads, hence the fence.
                request.fence(true);
                side.fence();
                byte[] octets = gather(side, length);
                post(side, WorkCompletionOpcode.SEND, signaled, length, null, "send " + length + " and invalidate");
                peer.messages.add(new Modelled.Message(octets, 0, key));
                return false;
            }
            default -> {
                request.send().solicited(random.nextBoolean());
                fence(side);
                byte[] octets = gather(side, length);
                post(side, WorkCompletionOpcode.SEND, signaled, length, null, "send " + length);
                peer.messages.add(new Modelled.Message(octets, 0, 0));
            }
        }
        return window;
    }

    /** Posts one request that must fail, and some later ones. */
    private void mistake(boolean fromNear) {
        Modelled side = fromNear ? near : far;
        Modelled peer = fromNear ? far : near;
        request.clear();
        int kind = random.nextInt(10);
        WorkCompletionStatus expected = null;
        WorkCompletionStatus ofPeer = null;
        WorkCompletionOpcode opcode;
        switch (kind) {
            case 0 -> { // an unknown STag
                request.rdmaRead(peer.data.address(), 0x31337).add(side.sink, 0, 8);
                opcode = WorkCompletionOpcode.RDMA_READ;
                expected = WorkCompletionStatus.REM_ACCESS_ERR;
            }
            case 1 -> { // beyond the end
                request.rdmaRead(peer.data.address() + Modelled.DATA - 7, peer.data.rkey())
                        .add(side.sink, 0, 8);
                opcode = WorkCompletionOpcode.RDMA_READ;
                expected = WorkCompletionStatus.REM_ACCESS_ERR;
            }
            case 2 -> { // no right to read
                request.rdmaRead(peer.inbox.address(), peer.inbox.rkey()).add(side.sink, 0, 8);
                opcode = WorkCompletionOpcode.RDMA_READ;
                expected = WorkCompletionStatus.REM_ACCESS_ERR;
            }
            case 3 -> { // no right to use Atomics
                request.fetchAndAdd(peer.data.address(), peer.data.rkey(), 1).add(side.sink, 0, 8);
                opcode = WorkCompletionOpcode.FETCH_ADD;
                expected = WorkCompletionStatus.REM_ACCESS_ERR;
            }
            case 4 -> { // no right to write
                request.rdmaWrite(peer.readOnly.address(), peer.readOnly.rkey()).add(side.outbox, 0, 64);
                opcode = WorkCompletionOpcode.RDMA_WRITE;
            }
            case 5 -> { // beyond the end
                request.rdmaWrite(peer.data.address() + Modelled.DATA - 7, peer.data.rkey())
                        .add(side.outbox, 0, 8);
                opcode = WorkCompletionOpcode.RDMA_WRITE;
            }
            case 6 -> { // longer than its receive
                peer.postReceives(random);
                request.send().add(side.outbox, 0, Modelled.RECEIVE_SIZE + 1);
                opcode = WorkCompletionOpcode.SEND;
                ofPeer = WorkCompletionStatus.LOC_LEN_ERR;
            }
            case 7 -> { // invalidates a region without the right
                peer.postReceives(random);
                request.sendWithInvalidate(0x31337).add(side.outbox, 0, 8);
                opcode = WorkCompletionOpcode.SEND;
                ofPeer = WorkCompletionStatus.LOC_ACCESS_ERR;
            }
            case 8 -> { // no receive is posted
                for (int i = peer.receives.size(); i > 0; i--) {
                    request.clear().immediateData(i);
                    post(side, WorkCompletionOpcode.SEND, true, 0, null, "immediate");
                    peer.messages.add(new Modelled.Message(null, i, 0));
                }
                until("the receives to be taken", peer.messages::isEmpty);
                request.clear().send().add(side.outbox, 0, 8);
                opcode = WorkCompletionOpcode.SEND;
            }
            default -> { // local memory that is deregistered before the post, or before the request's turn
                MemoryRegion gone = side.domain.allocate(64);
                request.rdmaWrite(peer.data.address(), peer.data.rkey()).add(gone);
                opcode = WorkCompletionOpcode.RDMA_WRITE;
                side.queuePair().modify(QueuePairState.SQD);
                until("the queue to drain", () -> drained(side));
                post(side, opcode, true, 0, null, "mistake " + kind);
                gone.close();
                side.queuePair().modify(QueuePairState.RTS);
                expected = WorkCompletionStatus.LOC_PROT_ERR;
            }
        }
        long id = kind == 9 ? side.sends.getLast().id() : post(side, opcode, true, 8, null, "mistake " + kind);
        for (int i = random.nextInt(4); i > 0; i--) { // must have no effect
            request.clear().rdmaWrite(peer.data.address(), peer.data.rkey()).add(side.outbox, 0, 64);
            post(side, WorkCompletionOpcode.RDMA_WRITE, true, 0, null, "behind the mistake");
        }
        Long oldest = peer.receives.peek();
        until(
                "the end",
                () -> side.sends.isEmpty()
                        && side.queuePair().state() == QueuePairState.ERR
                        && peer.queuePair().state() == QueuePairState.ERR
                        && side.queuePair().query().streamState().equals("ERROR")
                        && peer.queuePair().query().streamState().equals("ERROR"));
        near.take();
        far.take();
        if (expected != null && side.failureOf(id) != expected) {
            throw new AssertionError("the mistake " + kind + " ended as " + side.failureOf(id) + ", not " + expected);
        }
        if (ofPeer != null && (oldest == null || peer.failureOf(oldest) != ofPeer)) {
            throw new AssertionError(
                    "the receive of mistake " + kind + " ended as " + peer.failures + ", not " + ofPeer);
        }
        if (kind == 6 || kind == 7) {
            peer.inboxIsOpen(); // an undelivered message may have changed the memory of its receive
        }
    }

    private static boolean drained(Modelled side) {
        AsyncEvent event = side.context.pollAsyncEvent();
        return event != null && event.type() == AsyncEventType.SQ_DRAINED;
    }
}
