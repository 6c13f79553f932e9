package dev.jwarp.rnic.connection;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.base.SourceKey;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.RnicCounter;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes connection requests for a listening id. The backlog limits the requests that the program has not taken. If the
 * backlog is full, a request is rejected at once: the new one, or the oldest one of the source with most pending
 * requests. The transport gives up an unanswered request after its own time-out.
 */
final class RnicListener implements ConnectionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(RnicListener.class);
    private static final byte[] NO_REASON = {};

    private final Connections home;
    private final ContextCore context;
    private final RnicCmId id;

    // Guarded by this.

    /** Connections between the request and the ESTABLISHED event or the failure, in order of arrival. */
    private final Map<LlpConnection, RnicCmId> starting = new LinkedHashMap<>();

    /** Requests that the program has not taken, with their places in the backlog. */
    private final Map<CmId, Place> waiting = new HashMap<>();

    private final Shares places;
    private final Queue<RnicCmId> displaced = new ArrayDeque<>();

    RnicListener(Connections home, RnicCmId id, int backlog) {
        this.home = home;
        context = home.context();
        this.id = id;
        // No idle time: a request waits for the program, not for its peer.
        places = new Shares(
                ShareLimits.of("room for connection requests", "the backlog", backlog, 1, Long.MAX_VALUE),
                context.randomness().nextLong(),
                LOG::warn);
    }

    /** The place of a request in the backlog. */
    private final class Place implements ShareHolder {
        private final Share share;
        private @Nullable RnicCmId request;

        Place(long source, long nowNanos) {
            share = places.join(source, this, nowNanos);
        }

        @Override
        public void takeBack(long nowNanos) {
            displaced.add(Objects.requireNonNull(request));
            share.leave();
        }
    }

    @Override
    public void onRequest(LlpConnection connection, StartParameters peer) {
        context.counters().increment(RnicCounter.REQUESTS_RECEIVED);
        RnicCmId request;
        try {
            request = newRequest(connection, peer);
        } finally {
            turnAwayDisplaced();
        }
        if (request == null) {
            context.counters().increment(RnicCounter.REQUESTS_TURNED_AWAY);
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
                        ConnectionTerms.fromPeer(peer)));
    }

    /**
     * {@return the id of a new request; null if the backlog is full or the listener is closed} Atomic with {@link
     * #close}, so that no request is left after a close.
     */
    private synchronized @Nullable RnicCmId newRequest(LlpConnection connection, StartParameters peer) {
        if (id.life().closed()) {
            return null;
        }
        long now = context.progression().now();
        Place place = new Place(SourceKey.of(connection.remoteAddress()), now);
        RnicCmId request = null;
        try {
            if (place.share.take(1, now)) {
                request = newRequest(connection, peer, place);
            }
            return request;
        } finally {
            if (request == null) {
                place.share.leave();
            }
        }
    }

    private RnicCmId newRequest(LlpConnection connection, StartParameters peer, Place place) {
        RnicCmId request = id.events().newRequest(channel -> new RnicCmId(home, channel, connection, peer, this));
        place.request = request;
        try {
            starting.put(connection, request);
            waiting.put(request, place);
            home.add(request); // last, because the context closes the request from then on
            return request;
        } catch (Throwable e) {
            starting.remove(connection);
            waiting.remove(request);
            id.events().forget(request);
            throw e;
        }
    }

    /** Called without this monitor, because ids call this object under their monitors. */
    private void turnAwayDisplaced() {
        for (RnicCmId request = nextDisplaced(); request != null; request = nextDisplaced()) {
            request.turnAway();
        }
    }

    private synchronized @Nullable RnicCmId nextDisplaced() {
        return displaced.poll();
    }

    /** Frees the place of a request that the program has taken or that has ended. */
    synchronized void noLongerWaiting(CmId request) {
        Place place = waiting.remove(request);
        if (place != null) {
            place.share.leave();
        }
    }

    /** Removes the pending event of a request. */
    void withdraw(CmId request) {
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
        // Only initiators are rejected, so this is a fault of the transport.
        onFailed(connection, LlpFailure.LOCAL, "The connection was rejected.");
    }

    @Override
    public void onFailed(LlpConnection connection, LlpFailure failure, String sentence) {
        context.counters().increment(RnicCounter.REQUESTS_FAILED);
        RnicCmId request;
        synchronized (this) {
            request = starting.get(connection);
        }
        if (request != null) {
            request.life().onFailed(failure, sentence);
        }
        remove(connection); // last, because the transport calls again after an exception
    }

    /** Removes a connection that was rejected, or that ended before it was established. */
    void forget(LlpConnection connection) {
        remove(connection);
    }

    private synchronized @Nullable RnicCmId remove(LlpConnection connection) {
        return starting.remove(connection);
    }

    /**
     * Rejects all requests that the program has not taken. Called after the close of the id, so no further requests
     * arrive.
     */
    void close() {
        List<RnicCmId> present;
        synchronized (this) {
            present = List.copyOf(starting.values());
        }
        present.forEach(RnicCmId::closeIfNotTaken);
    }
}
