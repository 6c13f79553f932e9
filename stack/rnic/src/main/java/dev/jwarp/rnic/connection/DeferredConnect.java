package dev.jwarp.rnic.connection;

import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.rnic.core.RnicCounter;
import dev.jwarp.rnic.portmap.nio.PortMapper;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A connect that waits for the answer, or the time-out, of the port mapper of the peer's host. Until then the queue
 * pair's connection has no transport connection, so an end of the connection abandons this object. Whichever comes
 * first decides: the answer or the end.
 */
final class DeferredConnect implements Runnable {
    private final Connections home;
    private final CmIdLife life;
    private final CmIdLife.Attempt attempt;
    private final QueuePairConnection connection;
    private final StartParameters offer;
    private final long timeoutNanos;
    private final long began;
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile boolean unwanted;
    private volatile PortMapper.@Nullable Answer answer;

    /**
     * A connect before the request to the port mapper.
     *
     * @param timeoutNanos for the whole connect; the port mapper gets at most a fifth of that time
     */
    DeferredConnect(
            Connections home,
            CmIdLife life,
            CmIdLife.Attempt attempt,
            QueuePairConnection connection,
            StartParameters offer,
            long timeoutNanos) {
        this.home = home;
        this.life = life;
        this.attempt = attempt;
        this.connection = connection;
        this.offer = offer;
        this.timeoutNanos = timeoutNanos;
        began = home.context().progression().now();
    }

    /** Asks the port mapper, and connects after the answer. Any thread. */
    void ask(PortMapper mapper, InetSocketAddress remote, @Nullable InetSocketAddress local) {
        connection.deferred(this);
        mapper.ask(remote, local, timeoutNanos / 5, given -> {
            answer = given;
            home.context().progression().later(this);
        });
    }

    /** Ends the connection soon. Any thread. */
    void abandon() {
        unwanted = true;
        home.context().progression().later(this); // the caller may hold locks
    }

    /** Ends the connection within this call, unless another thread has begun to connect. The caller holds no locks. */
    void abandonNow() {
        unwanted = true;
        run();
    }

    @Override
    public void run() {
        if (!decided.compareAndSet(false, true)) {
            return;
        }
        connection.deferred(null);
        if (unwanted) {
            attempt.neverBegan(
                    LlpFailure.LOCAL, "The connection was given up while the port mapper of its peer was being asked.");
        } else {
            connect(Objects.requireNonNull(answer));
        }
    }

    private void connect(PortMapper.Answer to) {
        home.context()
                .counters()
                .increment(to.mapped() ? RnicCounter.CONNECTIONS_MAPPED : RnicCounter.CONNECTIONS_NOT_MAPPED);
        long left = Math.max(1, timeoutNanos - (home.context().progression().now() - began));
        LlpConnection made = null;
        try {
            made = home.transport().connect(to.remote(), to.local(), offer, left, connection, attempt);
            life.connection(made);
            connection.owner(made);
        } catch (LlpException e) {
            attempt.neverBegan(e.failure(), String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            if (made == null) {
                attempt.neverBegan(LlpFailure.LOCAL, "This side failed: the connection could not be begun: " + e);
            } else {
                made.abort();
            }
            throw e;
        }
    }
}
