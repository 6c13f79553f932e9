package dev.jwarp.rnic;

import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.StartParameters;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes connection requests for a listening id. Requests that no program has taken are limited by the backlog; more are
 * rejected at once. A request that nobody answers is given up by the transport after its own time.
 */
final class RnicListener implements ConnectionHandler {
    private static final byte[] NO_REASON = {};

    private final RnicContext context;
    private final RnicCmId id;
    private final int backlog;

    // Guarded by this.

    /** From the request until the connection is established or has failed; in the order in which they came. */
    private final Map<LlpConnection, RnicCmId> starting = new LinkedHashMap<>();

    private int waiting;
    private boolean closed;

    RnicListener(RnicContext context, RnicCmId id, int backlog) {
        this.context = context;
        this.id = id;
        this.backlog = backlog;
    }

    @Override
    public void onRequest(LlpConnection connection, StartParameters peer) {
        context.deviceCounters().increment(RnicCounter.REQUESTS_RECEIVED);
        RnicCmId request = newRequest(connection, peer);
        if (request == null) {
            context.deviceCounters().increment(RnicCounter.REQUESTS_TURNED_AWAY);
            connection.reject(NO_REASON);
            return;
        }
        id.events()
                .add(new CmEvent(
                        CmEventType.CONNECT_REQUEST,
                        request,
                        id,
                        null,
                        CmIdLife.peer(connection) + " asks for a connection.",
                        ReadDepths.fromPeer(peer)));
    }

    /** {@return null if it is one too many, or too late} In one step: {@link #close} sees it, or it sees the close. */
    private synchronized @Nullable RnicCmId newRequest(LlpConnection connection, StartParameters peer) {
        if (closed || waiting >= backlog) {
            return null;
        }
        RnicCmId request = id.events().newRequest(connection, peer, this);
        try {
            starting.put(connection, request);
            context.connections().add(request);
            waiting++;
            return request;
        } catch (Throwable e) {
            starting.remove(connection);
            context.connections().remove(request);
            id.events().forget(request);
            throw e;
        }
    }

    /** A request was taken by the program, or is gone before that. */
    synchronized void noLongerWaiting() {
        waiting--;
    }

    /** Nobody is to see this request any more. */
    void withdraw(RnicCmId request) {
        id.events().withdraw(request);
    }

    @Override
    public void onEstablished(LlpConnection connection, StartParameters peer) {
        RnicCmId request = remove(connection);
        if (request != null) {
            request.life().onEstablished(connection, peer);
        }
    }

    @Override
    public void onRejected(LlpConnection connection, StartParameters peer) {
        // Only initiators are rejected; a transport that says otherwise has failed.
        onFailed(connection, LlpFailure.LOCAL, "The connection was rejected.");
    }

    @Override
    public void onFailed(LlpConnection connection, LlpFailure failure, String sentence) {
        context.deviceCounters().increment(RnicCounter.REQUESTS_FAILED);
        RnicCmId request;
        synchronized (this) {
            request = starting.get(connection);
        }
        if (request != null) {
            request.life().onFailed(failure, sentence);
        }
        remove(connection); // when it has been told: it is told again if that threw
    }

    /** The request was answered with no, or its stream ended before it was established. */
    void forget(@Nullable LlpConnection connection) {
        if (connection != null) {
            remove(connection);
        }
    }

    private synchronized @Nullable RnicCmId remove(LlpConnection connection) {
        return starting.remove(connection);
    }

    /** No more requests; those that nobody took are rejected. */
    void close() {
        List<RnicCmId> present;
        synchronized (this) {
            closed = true;
            present = List.copyOf(starting.values());
        }
        present.forEach(RnicCmId::closeIfNotTaken);
    }
}
