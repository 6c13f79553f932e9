package dev.jwarp.tools.ping;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.SignOfLife;
import java.time.Duration;

/** The client: sends one ping at a time, for the requested number of pings. One thread. */
abstract class PingClient<R extends PingReport> implements AutoCloseable {
    final PingSettings settings;
    final PingVoice voice;
    final R report;

    /** The output of a ping. Any thread. */
    interface PingVoice {
        Console console();

        /** Prints a line of results. */
        void data(String line);

        /** Prints a note about a step, if the user wants that. */
        void trace(String step);
    }

    /**
     * The settings of pings.
     *
     * @param count number of pings; 0 without end
     * @param size bytes of a ping
     * @param interval between the starts of two pings, zero for none
     * @param answerLimit how long to wait for an answer
     * @param peerLimit time to wait for a peer: of a udping client for its server, of an rping server for the next
     *     round of its client
     * @param verbose whether to print each ping
     * @param validate whether to compare the data
     * @param quiet whether to print no line of progress each second
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

    /** Sends one ping, and counts its result. Numbers start at 0. */
    abstract void ping(long number);

    /** Waits for the time of the next ping. */
    abstract void rest(Duration left);

    /** {@return the report for JSON} */
    abstract Object summary(String peer);

    /** Throws if the run has failed, judged by its pings. */
    void judge() {}

    final long now() {
        return voice.console().nanoTime().getAsLong();
    }

    @Override
    public abstract void close();
}
