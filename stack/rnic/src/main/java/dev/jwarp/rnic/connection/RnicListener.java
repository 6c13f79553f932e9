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
 * Takes connection requests for a listening id. Requests that no program has taken are limited by the backlog; more are
 * rejected at once: the newcomer, or the oldest one of the source that has most of them waiting. A request that is not
 * answers is given up by the transport after its own time.
 */
final class RnicListener implements ConnectionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(RnicListener.class);
    private static final byte[] NO_REASON = {};

    private final Connections home;
    private final ContextCore context;
    private final RnicCmId id;

    // Guarded by this.

    /** From the request until the connection is established or has failed; in the order in which they came. */
    private final Map<LlpConnection, RnicCmId> starting = new LinkedHashMap<>();

    /** Those that wait to be taken, and places for them. */
    private final Map<CmId, Place> waiting = new HashMap<>();

    private final Shares places;
    private final Queue<RnicCmId> displaced = new ArrayDeque<>();

    RnicListener(Connections home, RnicCmId id, int backlog) {
        this.home = home;
        context = home.context();
        this.id = id;
        // No peer is idle: that a request waits is not its peer's doing.
        places = new Shares(
                ShareLimits.of("room for connection requests", "the backlog", backlog, 1, Long.MAX_VALUE),
                context.randomness().nextLong(),
                LOG::warn);
    }

    /** What a request that waits holds. */
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

    /** {@return null if it is one too many, or too late} In one step: {@link #close} sees it, or it sees the close. */
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
            home.add(request); // last: from then on the end of the context closes it, too
            return request;
        } catch (Throwable e) {
            starting.remove(connection);
            waiting.remove(request);
            id.events().forget(request);
            throw e;
        }
    }

    /** Not under this monitor: ids call this object under theirs. */
    private void turnAwayDisplaced() {
        for (RnicCmId request = nextDisplaced(); request != null; request = nextDisplaced()) {
            request.turnAway();
        }
    }

    private synchronized @Nullable RnicCmId nextDisplaced() {
        return displaced.poll();
    }

    /** A request was taken by the program, or is gone before that. */
    synchronized void noLongerWaiting(CmId request) {
        Place place = waiting.remove(request);
        if (place != null) {
            place.share.leave();
        }
    }

    /** The program is not to see this request any more. */
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
        // Only initiators are rejected; a transport that says otherwise has failed.
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
        remove(connection); // when it has been told: it is told again if that threw
    }

    /** A request was answered with no, or its stream ended before it was established. */
    void forget(LlpConnection connection) {
        remove(connection);
    }

    private synchronized @Nullable RnicCmId remove(LlpConnection connection) {
        return starting.remove(connection);
    }

    /** The id is closed: no more requests come; those that were not taken are rejected. */
    void close() {
        List<RnicCmId> present;
        synchronized (this) {
            present = List.copyOf(starting.values());
        }
        present.forEach(RnicCmId::closeIfNotTaken);
    }
}
