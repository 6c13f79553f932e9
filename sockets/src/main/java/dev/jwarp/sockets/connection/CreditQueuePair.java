package dev.jwarp.sockets.connection;

import dev.jwarp.base.Tally;
import dev.jwarp.sockets.connection.LentMemory.Direction;
import dev.jwarp.sockets.stream.CreditEngine;
import dev.jwarp.sockets.stream.CreditWire;
import dev.jwarp.sockets.stream.DirectData;
import dev.jwarp.sockets.stream.StreamSink;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One end of a credit stream on a queue pair: receive buffers of one length, and memory to send from. */
final class CreditQueuePair extends StreamQueuePair implements CreditWire {
    /** The default number of credits of an end. */
    static final int CREDITS = 32;
    /** Maximum of posted work requests. */
    private static final int SLOTS = 256;

    static final int MOST_ENTRIES = SLOTS + CreditEngine.receives(CreditEngine.MOST_CREDITS, true);

    private final int buffer;
    private final MemoryRegion received;
    private final MemoryRegion sent;
    private final CreditEngine engine;
    private final QueuePair queuePair;
    private final int directBytes;
    /** Null if this end does not offer zero-copy data. */
    private final @Nullable DirectPart direct;

    private final SendWorkRequest send = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();

    /** As {@link StreamQueuePair#of}. */
    CreditQueuePair(
            ProtectionDomain domain,
            CompletionQueue completions,
            CmId id,
            StreamSetUp settings,
            StreamMemory.Loan memory,
            Tally<RegisteredBuffers.Counter> counts) {
        super(domain, settings, memory, counts);
        CreditSetUp own = settings.credit();
        directBytes = own.directBytes();
        CreditEngine.Options options = own.options(domain.context());
        int receives = CreditEngine.receives(own.credits(), options.direct());
        buffer = Math.max(settings.receiveBytes() / own.credits(), CreditEngine.LEAST_BUFFER);
        try {
            received = register(receives * buffer, AccessFlag.LOCAL_WRITE);
            sent = register(settings.sendBytes());
            direct = options.direct() ? new DirectPart(domain, this) : null;
            queuePair = id.createQueuePair(
                    domain,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(SLOTS)
                            .maxReceiveWorkRequests(receives)
                            .maxSendElements(2)
                            .maxReceiveElements(1)
                            .maxInlineData(CreditEngine.LONGEST_CONTROL)
                            .build());
            engine = new CreditEngine(
                    new CreditEngine.Memory(received.buffer(), own.credits(), sent.buffer(), SLOTS),
                    this,
                    direct,
                    options);
            for (int slot = 0; slot < receives; slot++) {
                postReceive(slot);
            }
        } catch (RdmaException e) {
            close();
            throw e;
        }
    }

    @Override
    CreditEngine engine() {
        return engine;
    }

    @Override
    QueuePair queuePair() {
        return queuePair;
    }

    @Override
    void received(int slot, int length) {
        engine.onReceived(slot, length);
    }

    private void postReceive(int slot) {
        queuePair.postReceive(receive.clear().id(slot).add(received, (long) slot * buffer, buffer));
    }

    @Override
    public void send(int offset, int length, long id) {
        post(send.clear().send().id(id).add(sent, offset, length));
    }

    @Override
    boolean lendOutput(ByteBuffer data) throws IOException {
        DirectData agreed = engine.direct();
        MemoryRegion region =
                direct != null && agreed != null && data.remaining() >= directBytes && agreed.mayLendOutput()
                        ? direct.lend(Direction.OUTPUT, data)
                        : null;
        if (region == null || agreed == null) {
            return false;
        }
        agreed.lendOutput(region.address(), region.rkey(), data.remaining());
        return true;
    }

    @Override
    int readOrLend(StreamSink into, ByteBuffer data) throws IOException {
        int came = engine.readFirst(into, data.remaining());
        DirectData agreed = engine.direct();
        if (direct == null || agreed == null) {
            return came;
        }
        MemoryRegion region = data.remaining() >= directBytes && agreed.mayLendInput(came)
                ? direct.lend(Direction.INPUT, data)
                : null;
        if (region == null) {
            agreed.fetch();
        } else {
            agreed.lendInput(region.address(), region.rkey(), data.remaining());
        }
        return came;
    }

    @Override
    int takeBack(Direction which) {
        DirectData agreed = engine.direct();
        if (agreed == null) {
            return 0;
        }
        return which == Direction.INPUT ? agreed.takeInputBack() : agreed.takeOutputBack();
    }

    @Override
    @Nullable
    MemoryRegion lent(Direction which) {
        return direct == null ? null : direct.lent(which);
    }

    @Override
    void forget(Direction which) {
        if (direct != null) {
            direct.forget(which);
        }
    }

    @Override
    long bothWriteAt() {
        DirectData agreed = engine.direct();
        return agreed == null ? -1 : agreed.bothWriteAt();
    }

    @Override
    void freeUnused() {
        super.freeUnused();
        if (direct != null) {
            direct.closeUnused();
        }
    }

    @Override
    void freeOthers() {
        super.freeOthers();
        if (direct != null) {
            direct.close();
        }
    }

    @Override
    public void gather(int offset, int from, int length, long id) {
        post(send.clear().send().id(id).add(sent, offset, CreditEngine.HEADER).add(gathered(), from, length));
    }

    @Override
    public void sendCopy(ByteBuffer header, long id) {
        post(send.clear().send().id(id).inlineData(header));
    }

    @Override
    public void free(int slot) {
        if (!engine.finished()) {
            postReceive(slot);
        }
    }
}
