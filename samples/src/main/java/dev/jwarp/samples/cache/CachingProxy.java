package dev.jwarp.samples.cache;

import dev.jwarp.messaging.Directory;
import dev.jwarp.messaging.Message;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.samples.words.RemoteWords;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * A cache in front of an {@link Origin}. Before each answer it reads the version of the object by RDMA. So it never
 * answers with an old value, and needs the program of the owner only for values that have changed.
 *
 * <p>Threads: one.
 */
public final class CachingProxy implements AutoCloseable {
    /** A value, and its version. */
    private record Copy(long version, byte[] value) {}

    private final MessageEndpoint endpoint;
    private final int origin;
    private final Duration timeout;
    private final RemoteWords versions;
    private final Map<Integer, Copy> copies = new HashMap<>();

    /**
     * Makes the cache.
     *
     * @param context any; the caller closes it after this
     * @param endpoint a client; the caller closes it
     * @param directory of the endpoint
     * @param origin service id of the owner
     * @param timeout how long to wait for the owner
     * @throws RdmaException as {@link MessageEndpoint#call}
     */
    public CachingProxy(Context context, MessageEndpoint endpoint, Directory directory, int origin, Duration timeout) {
        this.endpoint = endpoint;
        this.origin = origin;
        this.timeout = timeout;
        InetAddress host = get(directory.find(origin)).address().getAddress();
        int port = (int) ask(Origin.PORT, 0).version;
        versions = new RemoteWords(context, new InetSocketAddress(host, port), timeout);
    }

    /**
     * {@return the value of an object: the one that it had when this was called, or a later one}
     *
     * @param object number of the object
     * @throws RdmaException as {@link MessageEndpoint#call}
     */
    public byte[] get(int object) {
        Copy copy = copies.get(object);
        if (copy == null || copy.version != version(object)) {
            copy = ask(Origin.VALUE, object);
            copies.put(object, copy);
        }
        return copy.value.clone();
    }

    /** {@return the version of an object, from the memory of the owner} */
    public long version(int object) {
        return versions.read(object);
    }

    /** {@return the version of an object, from the program of the owner: for comparison} */
    public long askedVersion(int object) {
        return ask(Origin.VERSION, object).version;
    }

    private Copy ask(byte kind, int object) {
        ByteBuffer question =
                ByteBuffer.allocate(1 + Integer.BYTES).put(kind).putInt(object).flip();
        try (Message answer = get(endpoint.call(origin, question, timeout))) {
            long version = answer.data().getLong();
            byte[] value = new byte[answer.data().remaining()];
            answer.data().get(value);
            return new Copy(version, value);
        }
    }

    private static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RdmaException known ? known : new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(RdmaErrorCode.INTERRUPTED, "The thread was interrupted.", e);
        }
    }

    @Override
    public void close() {
        versions.close();
    }
}
