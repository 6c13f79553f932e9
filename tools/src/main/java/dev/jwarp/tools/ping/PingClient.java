package dev.jwarp.tools.ping;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.SignOfLife;
import java.time.Duration;

/** The client's end: one ping at a time, as often as it is to. One thread. */
abstract class PingClient<R extends PingReport> implements AutoCloseable {
    final PingSettings settings;
    final PingVoice voice;
    final R report;

    /** How a ping speaks to the user. Any thread. */
    interface PingVoice {
        Console console();

        /** A line of results. */
        void data(String line);

        /** A step, for a user who wants to see it. */
        void trace(String step);
    }

    /**
     * How to ping.
     *
     * @param count how many pings, 0 without end
     * @param size bytes of a ping
     * @param interval between the starts of two pings, zero for none
     * @param answerLimit how long to wait for an answer
     * @param peerLimit how long to wait for a peer: a client of udping for its server, a server of rping for a client's next round
     * @param verbose whether each ping is shown
     * @param validate whether the data are compared
     * @param quiet whether to leave out the sign of life each second
     */
    record PingSettings(
            long count,
            int size,
            Duration interval,
            Duration answerLimit,
            Duration peerLimit,
            boolean verbose,
            boolean validate,
            boolean quiet) {}

    PingClient(PingSettings settings, PingVoice voice, R report) {
        this.settings = settings;
        this.voice = voice;
        this.report = report;
    }

    /** Pings until all pings are done. */
    void run() {
        report.begin();
        SignOfLife life = SignOfLife.eachSecond(voice.console(), settings.quiet());
        for (long done = 0; settings.count() == 0 || done < settings.count(); done++) {
            voice.console().endIfAsked();
            long start = now();
            ping(done);
            if (life.due()) {
                voice.console().note(report.soFar());
            }
            Duration left = settings.interval().minusNanos(now() - start);
            if (done + 1 != settings.count() && left.compareTo(Duration.ZERO) > 0) {
                rest(left);
            }
        }
    }

    /** Makes one ping, whose {@code number} is from 0 on, and counts what became of it. */
    abstract void ping(long number);

    /** Waits for the next ping's turn. */
    abstract void rest(Duration left);

    /** {@return the report as data, for JSON} */
    abstract Object summary(String peer);

    /** Throws if the pings that are done do not make a good run. */
    void judge() {}

    final long now() {
        return voice.console().nanoTime().getAsLong();
    }

    @Override
    public abstract void close();
}
