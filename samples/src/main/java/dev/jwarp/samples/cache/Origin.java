package dev.jwarp.samples.cache;

import dev.jwarp.messaging.Message;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.samples.words.WordsHost;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.Context;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The owner of objects of which {@link CachingProxy proxies} keep copies. Each object has a version: a word that proxies
 * read by RDMA, without this program.
 *
 * <p>Threads: one serves; any update.
 */
public final class Origin implements AutoCloseable {
    /** The first byte of a question: the port of the versions, the version of an object, its version and value. */
    static final byte PORT = 0;

    static final byte VERSION = 1;
    static final byte VALUE = 2;

    private final MessageEndpoint endpoint;
    private final WordsHost versions;
    private final byte[][] values;

    /**
     * Makes the owner; its objects are empty, and have version 0.
     *
     * @param context with threaded progress, so that proxies read versions while the program does something else
     * @param endpoint the service; the caller closes it
     * @param local address of this host
     * @param objects number of objects
     */
    public Origin(Context context, MessageEndpoint endpoint, InetAddress local, int objects) {
        this.endpoint = endpoint;
        values = new byte[objects][0];
        versions = new WordsHost(context, local, objects, AccessFlag.REMOTE_READ);
    }

    /**
     * Changes an object. When this returns, no proxy answers with an older value.
     *
     * @param object number of the object
     * @param value copied
     */
    public synchronized void update(int object, byte[] value) {
        values[object] = value.clone(); // before the version: who reads the version gets this value, or a later one
        versions.set(object, versions.get(object) + 1);
    }

    /**
     * Answers one question, if one comes.
     *
     * @param timeout how long to wait for it
     */
    public void serve(Duration timeout) {
        try (@Nullable Message question = endpoint.receive(timeout)) {
            if (question != null) {
                question.reply(answer(question.data()));
            }
        }
    }

    private synchronized ByteBuffer answer(ByteBuffer question) {
        byte kind = question.get();
        int object = question.getInt();
        ByteBuffer answer = ByteBuffer.allocate(Long.BYTES + values[object].length)
                .putLong(kind == PORT ? versions.address().getPort() : versions.get(object));
        return (kind == VALUE ? answer.put(values[object]) : answer).flip();
    }

    @Override
    public void close() {
        versions.close();
    }
}
