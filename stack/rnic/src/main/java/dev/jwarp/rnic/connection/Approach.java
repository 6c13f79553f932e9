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
 * A connection that is to be made as soon as the port mapper of the peer's host has answered, or has not in its time. Until then the
 * stream has no connection, and whoever wants to end it ends this. One of them comes first, and does it.
 */
final class Approach implements QueuePairStream.Beginning, Runnable {
    private final ConnectionCore core;
    private final CmIdLife life;
    private final CmIdLife.Attempt attempt;
    private final QueuePairStream stream;
    private final StartParameters offer;
    private final long timeoutNanos;
    private final long began;
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile boolean unwanted;
    private volatile PortMapper.@Nullable Answer answer;

    /**
     * One that has not asked yet.
     *
     * @param timeoutNanos for all, a fifth of it with the question at most
     */
    Approach(
            ConnectionCore core,
            CmIdLife life,
            CmIdLife.Attempt attempt,
            QueuePairStream stream,
            StartParameters offer,
            long timeoutNanos) {
        this.core = core;
        this.life = life;
        this.attempt = attempt;
        this.stream = stream;
        this.offer = offer;
        this.timeoutNanos = timeoutNanos;
        began = core.context().progression().now();
    }

    /** Asks, and begins when there is an answer. Any thread. */
    void ask(PortMapper mapper, InetSocketAddress remote, @Nullable InetSocketAddress local) {
        stream.beginning(this);
        mapper.ask(remote, local, timeoutNanos / 5, given -> {
            answer = given;
            core.context().progression().later(this);
        });
    }

    @Override
    public void abandon() {
        unwanted = true;
        core.context().progression().later(this); // the caller may hold locks
    }

    @Override
    public void abandonNow() {
        unwanted = true;
        run();
    }

    @Override
    public void run() {
        if (!decided.compareAndSet(false, true)) {
            return;
        }
        stream.beginning(null);
        if (unwanted) {
            attempt.neverBegan(
                    LlpFailure.LOCAL, "The connection was given up while the port mapper of its peer was being asked.");
        } else {
            connect(Objects.requireNonNull(answer));
        }
    }

    private void connect(PortMapper.Answer to) {
        core.context()
                .counters()
                .increment(to.mapped() ? RnicCounter.CONNECTIONS_MAPPED : RnicCounter.CONNECTIONS_NOT_MAPPED);
        long left = Math.max(1, timeoutNanos - (core.context().progression().now() - began));
        LlpConnection made = null;
        try {
            made = core.transport().connect(to.remote(), to.local(), offer, left, stream, attempt);
            life.connection(made);
            stream.connection(made);
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
