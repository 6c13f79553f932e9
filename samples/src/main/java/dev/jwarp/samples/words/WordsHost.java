package dev.jwarp.samples.words;

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
import dev.jwarp.verbs.QueuePairAttributes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The host of words. {@link RemoteWords} connects to it, and learns from the private data of the MPA Reply (RFC 5044
 * §7.1) where the words are: address (8 bytes), STag (4). No thread of the program takes part in what others do.
 *
 * <p>Threads: any.
 */
public final class WordsHost implements AutoCloseable {
    static final int PRIVATE_DATA = Long.BYTES + Integer.BYTES;
    /** Connections at a time. */
    private static final int MOST = 64;

    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final CmEventChannel events;
    private final CmId listener;
    private final Object handling = new Object();
    /** Under {@link #handling}. */
    private boolean closed;

    private final Set<CmId> connections = ConcurrentHashMap.newKeySet();

    /**
     * Makes words of value 0.
     *
     * @param context with threaded progress; the caller closes it after this
     * @param local address at which others connect; the port is any free one
     * @param words their number
     * @param others what others may do: REMOTE_READ, REMOTE_ATOMIC
     */
    public WordsHost(Context context, InetAddress local, int words, AccessFlag... others) {
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(2 * MOST);
        AccessFlag[] all = new AccessFlag[others.length + 1];
        all[0] = AccessFlag.LOCAL_WRITE;
        System.arraycopy(others, 0, all, 1, others.length);
        region = domain.allocate(words * Long.BYTES, all);
        events = context.createEventChannel();
        events.onEvent(event -> {
            synchronized (handling) {
                happened(event);
            }
        });
        listener = context.createId(events);
        listener.bind(new InetSocketAddress(local, 0));
        listener.listen(0);
    }

    private void happened(CmEvent event) {
        if (event.type() == CmEventType.CONNECT_REQUEST && (closed || connections.size() == MOST)) {
            event.id().reject(new byte[0]);
            event.id().close();
        } else if (event.type() == CmEventType.CONNECT_REQUEST) {
            byte[] where = ByteBuffer.allocate(PRIVATE_DATA)
                    .putLong(region.address())
                    .putInt(region.rkey())
                    .array();
            connections.add(event.id());
            event.id().createQueuePair(domain, small(completions));
            event.id().accept(ConnectionParameters.DEFAULT.withPrivateData(where));
        } else if (event.id() != listener && event.type() != CmEventType.ESTABLISHED) {
            connections.remove(event.id());
            event.id().close();
        }
    }

    /** {@return a queue pair for one operation at a time} */
    static QueuePairAttributes small(CompletionQueue completions) {
        return QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(1)
                .maxReceiveWorkRequests(1)
                .build();
    }

    /** {@return where others connect} */
    public InetSocketAddress address() {
        return Objects.requireNonNull(listener.localAddress());
    }

    /** {@return the value of a word} */
    public long get(int word) {
        return region.getAtomic((long) word * Long.BYTES);
    }

    /** Sets a word. Operations of others that begin later see the value. */
    public void set(int word, long value) {
        region.setAtomic((long) word * Long.BYTES, value);
    }

    /** Ends all connections. */
    @Override
    public void close() {
        listener.close();
        synchronized (handling) {
            closed = true; // no connection is added from now on
        }
        connections.forEach(CmId::close);
        synchronized (handling) {
            // The handler may have been closing a connection that was no longer in the set. No call of the stack here:
            // it may wait for the handler's thread.
        }
        events.close();
        region.close();
        completions.close();
        domain.close();
    }
}
