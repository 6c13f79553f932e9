package dev.jwarp.rdmap;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.message.TerminateMessage;
import dev.jwarp.rdmap.work.OperationRing;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** One stream with its device, queue pair and program, for tests. */
final class Station implements StreamListener, ReceiveSource {
    /** One completion reported to the listener. */
    record Completion(
            long id,
            boolean receive,
            OperationStatus status,
            ReceiveDetails.Kind kind,
            int length,
            boolean solicited,
            long immediate,
            int invalidated) {}

    static final long DOMAIN = 7;
    static final int ALL =
            Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC | Access.MW_BIND;

    final STagTable table;
    final OperationRing<SendOperation> sendQueue;
    final RdmapCounters counters = new RdmapCounters();
    final FakeLowerLayer lower = new FakeLowerLayer();
    final RdmapStream stream;

    final List<Completion> completions = new ArrayList<>();
    final List<StreamState> states = new ArrayList<>();
    final List<String> events = new ArrayList<>();
    TerminateCode failure;
    boolean failureFoundHere;
    TerminateMessage failureMessage;
    int failures;
    boolean peerClosed;
    LlpEnd end;
    boolean domainShared;
    boolean receivesShared;

    private final Deque<ReceiveOperation> posted = new ArrayDeque<>();
    private int receivesOut;

    Station() {
        this(StreamSettings.DEFAULT, 64, 1);
    }

    Station(StreamSettings settings, int depth, long streamId) {
        this(settings, depth, streamId, new STagTable(new Random(1), 1000));
    }

    Station(StreamSettings settings, int depth, long streamId, STagTable table) {
        this.table = table;
        sendQueue = new OperationRing<>(depth, () -> new SendOperation(4, 64));
        StreamDomain domain = new StreamDomain() {
            @Override
            public long id() {
                return DOMAIN;
            }

            @Override
            public boolean shared() {
                return domainShared;
            }
        };
        stream = new RdmapStream(
                settings, new RdmapStream.Rights(table, domain, streamId), sendQueue, this, this, counters);
    }

    // ---- start

    Station establish(boolean initiator, int ird, int ord, ReadyToReceive readyToReceive) {
        stream.onEstablished(lower, new LlpAgreement(initiator, ird, ord, readyToReceive), 0);
        return this;
    }

    Station establish() {
        return establish(true, 4, 4, ReadyToReceive.NONE);
    }

    // ---- memory

    static ByteBuffer memory(int octets) {
        // Aligned to 8, like all memory that a device allocates.
        return ByteBuffer.allocateDirect(octets + 8).alignedSlice(8).slice(0, octets);
    }

    TaggedBuffer region(int octets) {
        return region(octets, 0x1000, ALL);
    }

    TaggedBuffer region(int octets, long base, int access) {
        return table.register(DOMAIN, memory(octets), base, access);
    }

    static TaggedBuffer fill(TaggedBuffer region, int seed) {
        byte[] octets = new byte[(int) region.length()];
        new Random(seed).nextBytes(octets);
        region.memoryAt(0).put((int) region.memoryOffset(), octets);
        return region;
    }

    static byte[] octets(TaggedBuffer region) {
        return octets(region, 0, (int) region.length());
    }

    static byte[] octets(TaggedBuffer region, int from, int length) {
        byte[] octets = new byte[length];
        region.memoryAt(0).get((int) region.memoryOffset() + from, octets);
        return octets;
    }

    // ---- work

    /** Posts one operation and rings the doorbell. */
    SendOperation post(Kind kind, long id, Consumer<SendOperation> more) {
        SendOperation op = sendQueue.claim();
        if (op == null) {
            throw new IllegalStateException("the send queue is full");
        }
        more.accept(op.reset(kind, id));
        sendQueue.publish();
        lower.doorbell();
        return op;
    }

    void send(long id, TaggedBuffer region, int from, int length) {
        post(Kind.SEND, id, op -> op.memory().add(region, from, length));
    }

    void write(long id, TaggedBuffer region, int from, int length, int sTag, long to) {
        post(Kind.RDMA_WRITE, id, op -> {
            op.memory().add(region, from, length);
            op.remote(sTag, to);
        });
    }

    void read(long id, TaggedBuffer region, int from, int length, int sTag, long to) {
        post(Kind.RDMA_READ, id, op -> {
            op.memory().add(region, from, length);
            op.remote(sTag, to);
        });
    }

    void fetchAndAdd(long id, TaggedBuffer sink, int from, long addend, int sTag, long to) {
        post(Kind.ATOMIC_FETCH_AND_ADD, id, op -> {
            op.memory().add(sink, from, 8);
            op.remote(sTag, to).fetchAndAdd(addend, 0);
        });
    }

    void postReceive(long id, TaggedBuffer region, int from, int length) {
        ReceiveOperation receive = new ReceiveOperation(4);
        receive.workRequestId(id);
        receive.memory().add(region, from, length);
        posted.add(receive);
    }

    void postReceive(ReceiveOperation receive) {
        posted.add(receive);
    }

    /** {@return receives that wait to be taken} */
    int receivesPosted() {
        return posted.size();
    }

    /** {@return receives that the stream took and did not release} */
    int receivesOut() {
        return receivesOut;
    }

    // ---- what happened

    List<Completion> sends() {
        return completions.stream().filter(c -> !c.receive).toList();
    }

    List<Completion> receives() {
        return completions.stream().filter(Completion::receive).toList();
    }

    /** {@return {@code id STATUS} of every completion of the send queue} */
    List<String> sendResults() {
        return sends().stream().map(c -> c.id + " " + c.status).toList();
    }

    /** {@return {@code id STATUS} of every completion of the receive queue} */
    List<String> receiveResults() {
        return receives().stream().map(c -> c.id + " " + c.status).toList();
    }

    /** Passes a ULPDU to the stream, from the middle of a larger buffer. */
    void take(byte[] ulpdu) {
        ByteBuffer buffer = ByteBuffer.allocate(ulpdu.length + 20);
        buffer.put(10, ulpdu);
        stream.onUlpdu(buffer, 10, ulpdu.length, 0);
    }

    // ---- the listener

    @Override
    public void sendCompleted(SendOperation operation, OperationStatus status) {
        completions.add(
                new Completion(operation.workRequestId(), false, status, ReceiveDetails.Kind.NONE, 0, false, 0, 0));
        events.add("send " + operation.workRequestId() + " " + status);
    }

    @Override
    public void receiveCompleted(ReceiveOperation operation, OperationStatus status, ReceiveDetails details) {
        completions.add(new Completion(
                operation.workRequestId(),
                true,
                status,
                details.kind(),
                details.byteLength(),
                details.solicited(),
                details.immediate(),
                details.invalidatedSTag()));
        events.add("receive " + operation.workRequestId() + " " + status);
    }

    @Override
    public void stateChanged(StreamState state) {
        states.add(state);
        events.add("state " + state);
    }

    @Override
    public void peerClosed() {
        peerClosed = true;
        events.add("peer closed");
    }

    @Override
    public void failed(TerminateCode code, boolean foundHere, TerminateMessage message) {
        failure = code;
        failureFoundHere = foundHere;
        failureMessage = message;
        failures++;
        events.add("failed " + (code == null ? "?" : code.name()) + (foundHere ? " here" : " there"));
    }

    @Override
    public void closed(LlpEnd how) {
        end = how;
        events.add("closed " + how);
    }

    // ---- the receives

    @Override
    public ReceiveOperation take() {
        ReceiveOperation receive = posted.poll();
        if (receive != null) {
            receivesOut++;
        }
        return receive;
    }

    @Override
    public void release(ReceiveOperation operation) {
        receivesOut--;
    }

    @Override
    public boolean shared() {
        return receivesShared;
    }
}
