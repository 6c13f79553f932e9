package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.DatagramOperation.Kind;
import dev.jwarp.rdmap.work.OperationPool;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** One datagram endpoint with its device, queue pair and program, for tests. */
final class DatagramStation implements DatagramListener, ReceiveSource {
    static final long DOMAIN = 7;
    static final long MILLI = 1_000_000;
    static final int ALL = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE | Access.RECORD | Access.GROUP;
    /** Payload of a segment at MTU 1500. */
    static final int TAGGED = 1428;

    static final int UNTAGGED = 1424;

    final int host;
    final int qpn;
    final int key;
    final DatagramService service;
    final DatagramAddress address;
    final STagTable table = new STagTable(new Random(1), 1000);
    final OperationPool<DatagramOperation> sendQueue = new OperationPool<>(512, () -> new DatagramOperation(4, 64));
    final OperationPool<ReceiveOperation> receiveQueue = new OperationPool<>(512, () -> new ReceiveOperation(4));
    final FakePort port = new FakePort();
    final DatagramEndpoint endpoint;
    long now = 1_000_000_000L;

    final List<String> sends = new ArrayList<>();
    final List<MessageRecord> readRecords = new ArrayList<>();
    final List<String> receives = new ArrayList<>();
    final List<MessageRecord> incomplete = new ArrayList<>();
    final List<MessageRecord> records = new ArrayList<>();
    final List<String> events = new ArrayList<>();
    int completionPlaces = Integer.MAX_VALUE;
    boolean releaseAtOnce;
    int detached;

    DatagramStation(int host) {
        this(host, DatagramService.UD, DatagramSettings.DEFAULT, 64);
    }

    DatagramStation(int host, DatagramService service, DatagramSettings settings, int receiveDepth) {
        this.host = host;
        this.service = service;
        qpn = 0x1000 + host;
        key = 0x4000_0000 + host;
        address = FakePort.address(host);
        endpoint = new DatagramEndpoint(
                new EndpointCore(service, qpn, settings, this),
                new TaggedAccess(table, DOMAIN, 0),
                new DatagramEndpoint.Queues(sendQueue, this, () -> receiveDepth),
                new SeenMessages(new Random(host)),
                new Random(host + 100L));
        endpoint.onAttached(port, now);
    }

    // ---- memory

    TaggedBuffer region(int octets) {
        return region(octets, ALL);
    }

    TaggedBuffer region(int octets, int access) {
        return table.register(DOMAIN, ByteBuffer.allocateDirect(octets), 0x10_0000, access);
    }

    TaggedBuffer random(int octets, int seed) {
        TaggedBuffer region = region(octets);
        byte[] content = new byte[octets];
        new Random(seed).nextBytes(content);
        region.memoryAt(0).put(0, content);
        return region;
    }

    static byte[] octets(TaggedBuffer region) {
        return octets(region, 0, (int) region.length());
    }

    static byte[] octets(TaggedBuffer region, int from, int length) {
        byte[] octets = new byte[length];
        region.memoryAt(0).get(from, octets);
        return octets;
    }

    // ---- peers

    /** {@return an address handle for another station} */
    DatagramDestination to(DatagramStation other) {
        return to(other, 1472);
    }

    DatagramDestination to(DatagramStation other, int maximumDatagram) {
        return new DatagramDestination(new DatagramPeer().set(other.address, other.qpn, other.key, maximumDatagram));
    }

    static DatagramDestination group() {
        return new DatagramDestination(
                new DatagramPeer().set(new DatagramAddress().setIpv4(0xe000_00fb, 9999), Shim.GROUP_QPN, 77, 1472));
    }

    // ---- work

    void post(Kind kind, long id, DatagramDestination to, Consumer<DatagramOperation> more) {
        DatagramOperation op = sendQueue.claim();
        if (op == null) {
            throw new IllegalStateException("the send queue is full");
        }
        more.accept(op.reset(kind, id, to));
        sendQueue.publish();
        endpoint.posted();
    }

    void send(long id, DatagramDestination to, TaggedBuffer from, int offset, int length) {
        post(Kind.SEND, id, to, op -> op.memory().add(from, offset, length));
    }

    void write(long id, DatagramDestination to, TaggedBuffer from, int length, TaggedBuffer target, long offset) {
        tagged(Kind.RDMA_WRITE, id, to, from, length, target.stag(), target.baseOffset() + offset);
    }

    void record(long id, DatagramDestination to, TaggedBuffer from, int length, TaggedBuffer target, long offset) {
        tagged(Kind.WRITE_RECORD, id, to, from, length, target.stag(), target.baseOffset() + offset);
    }

    void read(long id, DatagramDestination to, TaggedBuffer sink, int length, TaggedBuffer source, long offset) {
        tagged(Kind.RDMA_READ, id, to, sink, length, source.stag(), source.baseOffset() + offset);
    }

    void tagged(Kind kind, long id, DatagramDestination to, TaggedBuffer local, int length, int stag, long offset) {
        post(kind, id, to, op -> {
            op.remote(stag, offset);
            if (length > 0) {
                op.memory().add(local, 0, length);
            }
        });
    }

    void postReceive(long id, TaggedBuffer into, int offset, int length) {
        ReceiveOperation receive = receiveQueue.claim();
        receive.workRequestId(id);
        receive.memory().add(into, offset, length);
        receiveQueue.publish();
        endpoint.receivePosted();
    }

    /** {@return all datagrams to send, removed from the wire} */
    List<Datagram> sent() {
        return port.sent(endpoint, now);
    }

    /** Delivers a datagram of another station, from the middle of a larger buffer. */
    SegmentFate take(Datagram datagram, DatagramStation from) {
        return take(datagram, from, true);
    }

    SegmentFate take(Datagram datagram, DatagramStation from, boolean validated) {
        return take(datagram, from.address, validated, null);
    }

    SegmentFate take(Datagram datagram, DatagramAddress from, boolean validated, DatagramPeer peer) {
        ReceivedDatagram received = datagram.from(from);
        if (peer != null) {
            received.through(peer);
        }
        return endpoint.onSegment(received.proved(validated ? AddressProof.DATAGRAM : AddressProof.NONE), now);
    }

    void takeAll(List<Datagram> datagrams, DatagramStation from) {
        for (Datagram datagram : datagrams) {
            take(datagram, from);
        }
    }

    /**
     * Delivers datagrams as the lower layer does for datagrams coalesced by the kernel: a datagram that continues the
     * message of the previous one is first offered as its continuation.
     *
     * @return the number accepted as continuations
     */
    int takeTogether(List<Datagram> datagrams, DatagramStation from) {
        return takeBehind(null, datagrams, from);
    }

    /** The same, after an accepted datagram. */
    int takeBehind(Datagram accepted, List<Datagram> datagrams, DatagramStation from) {
        int together = 0;
        Datagram before = accepted;
        for (Datagram datagram : datagrams) {
            if (before != null && datagram.follows(before) && endpoint.wantsNext() && takeNext(before, datagram)) {
                together++;
                before = datagram;
            } else {
                before = take(datagram, from) == SegmentFate.ACCEPTED ? datagram : null;
            }
        }
        return together;
    }

    private boolean takeNext(Datagram before, Datagram datagram) {
        int length = before.segment.length;
        ByteBuffer both = ByteBuffer.allocate(2 * length + 10);
        both.put(3, before.segment).put(7 + length, datagram.segment);
        return endpoint.onNextSegment(both, 3, 7 + length, now);
    }

    /** Advances the time and fires all timers on the way. */
    void pass(long nanos) {
        long end = now + nanos;
        while (endpoint.nextTimeout() <= end) {
            now = Math.max(now, endpoint.nextTimeout());
            endpoint.onTimeout(now);
        }
        now = end;
    }

    long count(DatagramCounter counter) {
        return endpoint.counters().get(counter);
    }

    /** {@return all counters that are not zero} */
    String counts() {
        StringBuilder text = new StringBuilder();
        for (DatagramCounter counter : DatagramCounter.values()) {
            if (count(counter) != 0) {
                text.append(text.length() == 0 ? "" : " ")
                        .append(counter.counterName())
                        .append('=')
                        .append(count(counter));
            }
        }
        return text.toString();
    }

    static String ranges(MessageRecord record) {
        StringBuilder text = new StringBuilder();
        record.map()
                .forEachRange((offset, length) ->
                        text.append(offset).append('+').append(length).append(' '));
        return text.toString().trim();
    }

    // ---- the listener

    @Override
    public void sendCompleted(DatagramOperation operation, OperationStatus status, MessageRecord record) {
        sends.add(operation.workRequestId() + " " + status);
        if (record != null) {
            readRecords.add(record);
        }
    }

    @Override
    public void receiveCompleted(ReceiveOperation operation, OperationStatus status, DatagramReceipt receipt) {
        String what = receipt.present()
                ? " " + receipt.placedOctets() + "/" + receipt.messageLength() + " from "
                        + Integer.toHexString(receipt.sourceQpn()) + (receipt.solicited() ? " solicited" : "")
                        + (receipt.group() ? " group" : "")
                : "";
        receives.add(operation.workRequestId() + " " + status + what);
        if (receipt.record() != null) {
            incomplete.add(receipt.record());
        }
    }

    @Override
    public boolean writeRecorded(MessageRecord record) {
        if (records.size() >= completionPlaces) {
            return false;
        }
        records.add(record);
        if (releaseAtOnce) {
            record.release();
        }
        return true;
    }

    @Override
    public void event(DatagramEvent event) {
        events.add(event.kind() + " " + event.messageId() + " " + event.code()
                + (event.workRequestKnown() ? " wr " + event.workRequestId() : ""));
    }

    @Override
    public void detached() {
        detached++;
    }

    // ---- the receives

    @Override
    public ReceiveOperation take() {
        return receiveQueue.take();
    }

    @Override
    public void release(ReceiveOperation operation) {
        receiveQueue.release(operation);
    }

    @Override
    public boolean shared() {
        return false;
    }
}
