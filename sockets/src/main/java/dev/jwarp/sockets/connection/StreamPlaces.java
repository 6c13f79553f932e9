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
 * Room for connections that peers have begun and that the program has not taken: as many as the backlog says. When there is none, the oldest one of the address that has most of them gives
 * way, first one that is not there yet; to a peer of that address only such a one. Any thread.
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

    /** {@return a place for a connection from that peer; null: there is none} Whoever had it is among {@link #displaced}. */
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

    /** {@return those that had to give way since this was asked last, and do not know it} */
    synchronized List<StreamConnection> displaced() {
        List<StreamConnection> all = displaced;
        displaced = new ArrayList<>();
        return all;
    }

    /** {@return how many have a place} */
    synchronized long used() {
        return shares.used();
    }

    /** Of one connection. */
    final class Place implements ShareHolder {
        private final Share share;
        private @Nullable StreamConnection connection;

        private Place(long source, long now) {
            share = shares.join(source, this, now);
        }

        /** Whose it is. */
        void of(StreamConnection its) {
            synchronized (StreamPlaces.this) {
                connection = its;
            }
        }

        /** The connection is there, and waits for the program. */
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

        /** It is free. Calls after the first do nothing. */
        void leave() {
            synchronized (StreamPlaces.this) {
                share.leave();
            }
        }
    }
}
