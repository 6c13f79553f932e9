package dev.jwarp.samples.words;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

/**
 * The words of a {@link WordsHost}, over a connection of its own. Each operation waits for its result.
 *
 * <p>Threads: one at a time.
 */
public final class RemoteWords implements Words, AutoCloseable {
    private final Duration timeout;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion result;
    private final CmId connection;
    private final QueuePair queuePair;
    private final SendWorkRequest request = new SendWorkRequest();
    private final WorkCompletion[] one = WorkCompletion.array(1);
    private final long address;
    private final int key;

    /**
     * Connects.
     *
     * @param context any; the caller closes it after this
     * @param host address of the host
     * @param timeout how long an operation waits
     * @throws RdmaException REJECTED, UNREACHABLE, TIMED_OUT
     */
    public RemoteWords(Context context, InetSocketAddress host, Duration timeout) {
        this.timeout = timeout;
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(2);
        result = domain.allocate(Long.BYTES, AccessFlag.LOCAL_WRITE);
        connection = context.createId();
        connection.resolveAddress(null, host);
        queuePair = connection.createQueuePair(domain, WordsHost.small(completions));
        connection.connect();
        ByteBuffer where = ByteBuffer.wrap(
                Objects.requireNonNull(connection.event()).parameters().privateData());
        if (where.remaining() != WordsHost.PRIVATE_DATA) {
            close();
            throw new RdmaException(RdmaErrorCode.PROTOCOL_MISMATCH, host + " is no host of words.");
        }
        address = where.getLong();
        key = where.getInt();
    }

    private long at(int word) {
        return address + (long) word * Long.BYTES;
    }

    @Override
    public long read(int word) {
        return result(request.clear().rdmaRead(at(word), key));
    }

    @Override
    public long compareAndSwap(int word, long expected, long value) {
        return result(request.clear().compareAndSwap(at(word), key, expected, value));
    }

    @Override
    public long fetchAndAdd(int word, long addend) {
        return result(request.clear().fetchAndAdd(at(word), key, addend));
    }

    private long result(SendWorkRequest begun) {
        queuePair.postSend(begun.add(result, 0, Long.BYTES));
        if (completions.await(one, timeout) == 0) {
            throw new RdmaException(
                    RdmaErrorCode.TIMED_OUT,
                    connection.remoteAddress() + " has not answered for " + timeout.toMillis() + " ms.");
        }
        if (!one[0].succeeded()) {
            throw new RdmaException(RdmaErrorCode.DISCONNECTED, "An operation on a word failed: " + one[0]);
        }
        return result.getAtomic(0);
    }

    @Override
    public void close() {
        connection.close();
        result.close();
        completions.close();
        domain.close();
    }
}
