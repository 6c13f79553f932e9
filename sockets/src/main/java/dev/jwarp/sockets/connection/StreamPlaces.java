package dev.jwarp.sockets.connection;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.ShareTurn;
import dev.jwarp.base.Shares;
import dev.jwarp.base.SourceKey;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backlog: places for connections of peers that the program has not taken. If all are used, a new connection
 * displaces the oldest one of the address with the most places, half-open ones first. A peer of that address displaces
 * only half-open ones. Any thread.
 */
final class StreamPlaces {
    private static final Logger LOG = LoggerFactory.getLogger(StreamPlaces.class);

    /** Guarded by this. */
    private final Shares shares;

    /** Guarded by this. */
    private List<StreamConnection> displaced = new ArrayList<>();

    StreamPlaces(int backlog) {
        shares = new Shares(
                ShareLimits.of(
                        "room for connections that no program has taken", "the backlog", backlog, 1, Long.MAX_VALUE),
                new SecureRandom().nextLong(),
                LOG::warn);
    }

    /**
     * {@return a place for a connection of the peer; null if there is none} A connection that lost its place for it is
     * among {@link #displaced}.
     */
    synchronized @Nullable Place take(@Nullable InetSocketAddress peer) {
        long now = System.nanoTime();
        Place place = new Place(peer == null ? SourceKey.STRANGERS : SourceKey.of(peer), now);
        place.share.turn(ShareTurn.FIRST);
        if (place.share.take(1, now)) {
            return place;
        }
        place.share.leave();
        return null;
    }

    /** {@return the connections that were displaced since the last call, and are not notified yet} */
    synchronized List<StreamConnection> displaced() {
        List<StreamConnection> all = displaced;
        displaced = new ArrayList<>();
        return all;
    }

    /** {@return the number of places in use} */
    synchronized long used() {
        return shares.used();
    }

    /** The place of one connection. */
    final class Place implements ShareHolder {
        private final Share share;
        private @Nullable StreamConnection connection;

        private Place(long source, long now) {
            share = shares.join(source, this, now);
        }

        /** Sets the connection of the place. */
        void of(StreamConnection its) {
            synchronized (StreamPlaces.this) {
                connection = its;
            }
        }

        /** Notes that the connection is established and waits for the program. */
        void waits() {
            synchronized (StreamPlaces.this) {
                share.turn(ShareTurn.BY_SIZE);
            }
        }

        @Override
        public void takeBack(long nowNanos) {
            if (connection != null) {
                displaced.add(connection);
                share.leave();
            }
        }

        /** Frees the place. Further calls do nothing. */
        void leave() {
            synchronized (StreamPlaces.this) {
                share.leave();
            }
        }
    }
}
