package dev.jwarp.tools.loss;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.loss.Board.Cell;
import dev.jwarp.tools.loss.Board.Fate;
import java.lang.management.ManagementFactory;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The result of a trial: one run of a point.
 *
 * @param service that moved the messages
 * @param lossPercent the requested share of lost datagrams; null if the path has no losses
 * @param sizeBytes bytes of a message
 * @param messages that were posted
 * @param whole messages that arrived whole
 * @param partial messages of which a part is known to have arrived
 * @param lost messages of unreliable services of which nothing arrived
 * @param unfinished messages in flight at the end of the time
 * @param wholePercent the share of messages that arrived whole
 * @param expectedWholePercent the theoretical share if each datagram is lost independently; null if unknown
 * @param validPercent the share of bytes that arrived and are usable
 * @param expectedValidPercent the theoretical share of usable bytes
 * @param goodputMibPerS usable bytes, over the time from the first posting to the last arrival
 * @param elapsedMs time from the first posting to the last arrival
 * @param latencyUs times of whole messages, from the posting to the completion that shows the arrival
 * @param datagramsPerMessage of the side that has the data; null for connections
 * @param retransmissions of reliable services; null if unknown
 * @param droppedByUs datagrams that the injector dropped, both directions
 * @param droppedByOthers datagrams that were sent and did not arrive, both directions: dropped by the network or by
 *     full sockets
 * @param note further remarks
 * @param status how the trial ended
 * @param run the number of the run, from 1
 * @param load load of the machine at the beginning: runnable processes, averaged over a minute; null if unknown
 * @param rttMs milliseconds added to each round trip; null for none, and if the path has no effect
 * @param bottleneck of the path, as on the command line; null for none
 */
record Row(
        String service,
        @Nullable Double lossPercent,
        int sizeBytes,
        long messages,
        long whole,
        long partial,
        long lost,
        long unfinished,
        double wholePercent,
        @Nullable Double expectedWholePercent,
        double validPercent,
        @Nullable Double expectedValidPercent,
        @Nullable Double goodputMibPerS,
        double elapsedMs,
        @Nullable Latency latencyUs,
        @Nullable Long datagramsPerMessage,
        @Nullable Long retransmissions,
        long droppedByUs,
        long droppedByOthers,
        String note,
        Status status,
        int run,
        @Nullable Double load,
        @Nullable Double rttMs,
        @Nullable String bottleneck) {

    private static final String CUT = "cut by the time limit: only messages whose fate was known by then are counted";

    Row {
        run = Math.max(1, run); // earlier documents have no run numbers
    }

    /** How a trial ended. */
    enum Status {
        /** All messages were posted, and the fate of each is known. */
        @JsonProperty("ok")
        OK,
        /** The time limit ended the trial. */
        @JsonProperty("cut")
        CUT,
        /** An error that loss does not explain. */
        @JsonProperty("failed")
        FAILED
    }

    /**
     * The conditions of a trial beyond its parameters.
     *
     * @param reached whether the path affects the trial
     * @param load load of the machine at the beginning: runnable processes, averaged over a minute; null if unknown
     * @param remark further remarks
     */
    record Conditions(boolean reached, @Nullable Double load, String remark) {
        /** {@return the conditions of a trial that begins now} */
        static Conditions now(boolean reached, String remark) {
            double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
            return new Conditions(reached, load < 0 ? null : load, remark);
        }
    }

    /** Percentiles in microseconds. */
    record Latency(double p50, double p90, double p99, double p999, double max) {
        static Latency of(Histogram nanos) {
            return new Latency(
                    nanos.getValueAtPercentile(50) / 1e3,
                    nanos.getValueAtPercentile(90) / 1e3,
                    nanos.getValueAtPercentile(99) / 1e3,
                    nanos.getValueAtPercentile(99.9) / 1e3,
                    nanos.getMaxValue() / 1e3);
        }
    }

    /** {@return the result from the board and from both ends} */
    static Row of(LossTrial trial, Conditions conditions, Board board, LossEnd.Report source, LossEnd.Report target) {
        LossPath path = trial.path();
        Service service = trial.service();
        int posted = (int) board.get(Cell.POSTED);
        Histogram latency = new Histogram(3);
        long whole = 0;
        long partial = board.get(Cell.INCOMPLETE);
        long failed = 0;
        long bytes = 0;
        long last = service.unreliable() && !service.read() ? board.get(Cell.LAST_DATAGRAM) : 0;
        for (int i = 0; i < posted; i++) {
            Fate fate = board.fate(i);
            bytes += board.bytes(i, service.send());
            if (fate == Fate.WHOLE) {
                whole++;
                latency.recordValue(Math.max(0, board.endedAt(i) - board.postedAt(i)));
                last = Math.max(last, board.endedAt(i));
            } else if (fate == Fate.PART) {
                partial++;
                last = service.read() ? Math.max(last, board.endedAt(i)) : last;
            } else if (fate == Fate.FAILED) {
                failed++;
            }
        }
        long nanos = posted == 0 ? 0 : Math.max(0, last - board.postedAt(0));
        Long datagrams = service.connected() || posted == 0 ? null : datagrams(trial, source, target, posted);
        Double expectedWhole = null;
        Double expectedValid = null;
        if (service.unreliable() && datagrams != null) {
            expectedWhole = 100 * service.expectedWhole(path.loss(), datagrams);
            expectedValid = 100 * service.expectedValid(path.loss(), datagrams);
        }
        double all = Math.max(1, posted);
        long unknown = Math.max(0, posted - whole - partial - failed);
        long unfinished = service.unreliable() ? Math.min(unknown, board.get(Cell.UNSENT)) : unknown;
        Status status = Status.OK;
        if (failed > 0 || source.trouble() != null || target.trouble() != null) {
            status = Status.FAILED;
        } else if (posted < trial.messages() || unfinished > 0) {
            status = Status.CUT;
        }
        return new Row(
                service.title(),
                conditions.reached() ? path.loss() * 100 : null,
                trial.size(),
                posted,
                whole,
                partial,
                unknown - unfinished,
                unfinished,
                100 * whole / all,
                expectedWhole,
                100 * bytes / (all * trial.size()),
                expectedValid,
                Quantities.mebibytesPerSecond(bytes, nanos),
                nanos / 1e6,
                whole == 0 ? null : Latency.of(latency),
                service.unreliable() ? datagrams : null,
                retransmissions(service, source, target),
                source.counter("injected_loss") + target.counter("injected_loss"),
                Math.max(
                        0,
                        source.counter("tx_datagrams")
                                + target.counter("tx_datagrams")
                                - source.counter("rx_datagrams")
                                - target.counter("rx_datagrams")),
                note(failed, status == Status.CUT, source, target, conditions.remark()),
                status,
                trial.run(),
                conditions.load(),
                conditions.reached() ? path.rttMillis() : null,
                path.bottleneck() == null ? null : path.bottleneck().text());
    }

    /** {@return one of the latencies, of rows that have any, in microseconds} */
    static Function<Row, @Nullable Double> latency(ToDoubleFunction<Latency> of) {
        return row -> row.latencyUs() == null ? null : of.applyAsDouble(row.latencyUs());
    }

    /** {@return a short description of the trial} */
    String title() {
        String path = LossPath.text(rttMs, bottleneck);
        return service + ", " + LossReport.size(sizeBytes) + ", " + LossReport.percent(lossPercent) + " % loss"
                + (path.isEmpty() ? "" : ", " + path) + (run > 1 ? ", run " + run : "");
    }

    @JsonIgnore
    boolean troubled() {
        return status == Status.FAILED;
    }

    @JsonIgnore
    boolean cut() {
        return status == Status.CUT;
    }

    /** {@return the datagrams of one message: sent or dropped by the injector, without duplicates} */
    private static long datagrams(LossTrial trial, LossEnd.Report source, LossEnd.Report target, int messages) {
        LossEnd.Report end = trial.service().read() ? target : source;
        long sent = end.counter("tx_datagrams") + end.counter("injected_loss") - end.counter("injected_duplicate");
        // A Read whose request was lost has no answer.
        double answered = trial.service().read() ? messages * (1 - trial.path().loss()) : messages;
        return Math.max(1, Math.round(sent / answered));
    }

    private static @Nullable Long retransmissions(Service service, LossEnd.Report source, LossEnd.Report target) {
        if (service.unreliable()) {
            return 0L;
        } else if (service.connected()) {
            return source.counters().containsKey(Remote.REPEATED)
                    ? source.counter(Remote.REPEATED) + target.counter(Remote.REPEATED)
                    : null;
        }
        return source.counter("rd_repeated")
                + source.counter("rd_probes")
                + target.counter("rd_repeated")
                + target.counter("rd_probes");
    }

    private static String note(long failed, boolean cut, LossEnd.Report source, LossEnd.Report target, String remark) {
        StringBuilder note = new StringBuilder(remark);
        if (cut) {
            add(note, CUT);
        }
        if (failed > 0) {
            add(note, failed + " failed");
        }
        if (source.trouble() != null) {
            add(note, "source: " + source.trouble());
        }
        if (target.trouble() != null) {
            add(note, "target: " + target.trouble());
        }
        return note.toString();
    }

    private static void add(StringBuilder note, String more) {
        note.append(note.isEmpty() ? "" : "; ").append(more);
    }
}
