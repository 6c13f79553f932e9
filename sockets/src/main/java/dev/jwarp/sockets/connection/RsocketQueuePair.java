package dev.jwarp.sockets.connection;

import dev.jwarp.base.Tally;
import dev.jwarp.sockets.stream.RsocketEngine;
import dev.jwarp.sockets.stream.RsocketWire;
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
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One end of an rsocket on a queue pair. The peer writes data, and entries of the table of places. */
final class RsocketQueuePair extends StreamQueuePair implements RsocketWire {
    private static final Logger LOG = LoggerFactory.getLogger(RsocketQueuePair.class);

    /** Messages that the peer may send before the first ones are acknowledged as read (librdmacm's default). */
    static final int CREDITS = 384;
    /** Maximum of posted work requests (librdmacm's default). */
    static final int SLOTS = 384;
    /** Initial bytes of the receive memory, and bytes of the send memory (librdmacm's default). */
    static final int RING = 1 << 17;
    /** Maximum of bytes to which the receive memory grows. */
    static final int MOST = 1 << 20;
    /**
     * Factor by which the receive memory grows. The old memory stays until the end of the connection, so it must be
     * small compared with the new one.
     */
    private static final int GROWTH = 8;

    private static final int RECEIVES = CREDITS + RsocketEngine.SPARE_RECEIVES;

    static final int ENTRIES = SLOTS + RECEIVES;

    /** The longest inline data: an entry of the peer's I/O map. */
    private static final int INLINE = RsocketEngine.MAP_ENTRY;

    /** The id of unsignaled requests, which have a completion only if they fail. */
    private static final int UNHEARD = -1;

    /**
     * Whether there was no memory to grow. The next attempt follows after a pause, because an attempt takes a lock of
     * the process.
     */
    private boolean refused;

    private long refusedAt;

    private final int mostReceiveBytes;
    private final MemoryRegion sent;
    private final MemoryRegion words;
    private final ByteBuffer wordsMemory;
    private final RsocketEngine engine;
    private final QueuePair queuePair;
    /** An RDMA Write and the Send of its word, which are posted together. */
    private final SendWorkRequest[] requests = {new SendWorkRequest(), new SendWorkRequest()};

    private boolean begun;
    /** Inline data of the RDMA Write. */
    private final ByteBuffer copied = ByteBuffer.allocate(INLINE);

    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();

    /** As {@link StreamQueuePair#of}. */
    RsocketQueuePair(
            ProtectionDomain domain,
            CompletionQueue completions,
            CmId id,
            StreamSetUp settings,
            StreamMemory.Loan memory,
            Tally<RegisteredBuffers.Counter> counts) {
        super(domain, settings, memory, counts);
        mostReceiveBytes = settings.mostReceiveBytes();
        try {
            RsocketWire.Place first = place(settings.receiveBytes() / 2);
            RsocketWire.Place second = place(settings.receiveBytes() / 2);
            MemoryRegion table = register(
                    RsocketEngine.TABLE_LENGTH + settings.maps() * RsocketEngine.MAP_ENTRY,
                    AccessFlag.LOCAL_WRITE,
                    AccessFlag.REMOTE_WRITE);
            sent = register(settings.sendBytes());
            words = register(RECEIVES * RsocketEngine.WORD, AccessFlag.LOCAL_WRITE);
            wordsMemory = words.buffer();
            queuePair = id.createQueuePair(
                    domain,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(SLOTS)
                            .maxReceiveWorkRequests(RECEIVES)
                            .maxSendElements(1)
                            .maxReceiveElements(1)
                            .maxInlineData(INLINE)
                            .build());
            RsocketEngine.Memory parts =
                    new RsocketEngine.Memory(first, second, table.buffer(), table.address(), table.rkey());
            engine = new RsocketEngine(parts, sent.buffer(), CREDITS, SLOTS, this);
            for (int slot = 0; slot < RECEIVES; slot++) {
                postReceive(slot);
            }
        } catch (RdmaException e) {
            close();
            throw e;
        }
    }

    private RsocketWire.Place place(int length) {
        return place(register(length, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    }

    private static RsocketWire.Place place(MemoryRegion region) {
        return new RsocketWire.Place(region.buffer(), region.address(), region.rkey());
    }

    @Override
    public RsocketWire.Place larger(RsocketWire.Place place) {
        int length = Math.min(GROWTH * place.memory().capacity(), mostReceiveBytes / 2);
        if (length <= place.memory().capacity()
                || (refused && System.nanoTime() - refusedAt < StreamMemory.PAUSE_NANOS)) {
            return place;
        }
        try {
            return place(registerFree(length, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        } catch (RdmaException e) {
            refused = true;
            refusedAt = System.nanoTime();
            LOG.debug(
                    "A stream keeps its {} bytes of receive memory, because there is no memory to grow",
                    2 * place.memory().capacity(),
                    e);
            return place;
        }
    }

    @Override
    QueuePair queuePair() {
        return queuePair;
    }

    @Override
    RsocketEngine engine() {
        return engine;
    }

    @Override
    void received(int slot, int length) {
        engine.onReceived(wordsMemory, slot * RsocketEngine.WORD, length);
        if (!engine.failed() && !engine.peerClosed()) {
            postReceive(slot);
        }
    }

    private void postReceive(int slot) {
        queuePair.postReceive(
                receive.clear().id(slot).add(words, (long) slot * RsocketEngine.WORD, RsocketEngine.WORD));
    }

    @Override
    public void write(int offset, int length, long address, int key) {
        begin(address, key).add(sent, offset, length);
    }

    @Override
    public void gather(int from, int length, long address, int key) {
        begin(address, key).add(gathered(), from, length);
    }

    @Override
    public void writeAlone(int offset, int length, long address, int key, long id) {
        post(requests[0].clear().rdmaWrite(address, key).id(id).add(sent, offset, length));
    }

    @Override
    public void writeCopy(ByteBuffer bytes, long address, int key) {
        copied.clear().limit(bytes.remaining());
        copied.put(0, bytes, bytes.position(), bytes.remaining());
        begin(address, key).inlineData(copied);
    }

    private SendWorkRequest begin(long address, int key) {
        begun = true;
        return requests[0].clear().rdmaWrite(address, key).signaled(false).id(UNHEARD);
    }

    @Override
    public void send(ByteBuffer word, long id) {
        requests[1].clear().send().id(id).inlineData(word);
        if (begun) {
            begun = false;
            int posted = queuePair.postSend(requests, 2);
            if (posted < 2) {
                throw new IllegalStateException(
                        "the send queue of " + queuePair + " is full: more requests were posted than it has slots");
            }
            havePosted();
        } else {
            post(requests[1]);
        }
    }
}
