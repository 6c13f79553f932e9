package dev.jwarp.conformance.report;

import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Survey;
import dev.jwarp.conformance.suite.Verdict;
import dev.jwarp.conformance.wire.Octets;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The results of a run as plain values: {@code --json} prints them and the HTML page is drawn from them. The layout is
 * that of docs/conformance/conform.schema.json.
 *
 * @param device the device under test: an address, or {@code jwarp itself}
 * @param origin when, where and how the run was made
 * @param profile the program above the device
 * @param strict whether recommendations were tested too
 * @param planned number of cases to run; larger than the number of {@code cases} if the run ended early
 * @param seconds duration of the run
 * @param totals the sums over all cases
 * @param survey what the device can do, by role, as far as the survey has found out
 * @param documents the sums by document
 * @param causes the broken requirements; those that explain most cases come first
 * @param cases in the order of the catalogue
 */
public record Findings(
        String device,
        Origin origin,
        String profile,
        boolean strict,
        int planned,
        double seconds,
        Totals totals,
        List<RoleFacts> survey,
        List<DocumentTotals> documents,
        List<Cause> causes,
        List<Finding> cases) {
    /** Limit of the bytes of one event in the findings; a capture file has all bytes. */
    private static final int KEPT = 512;

    /** Limit of the events of one conversation of a case that passed. */
    private static final int MOST_EVENTS = 40;

    /** Limit of the frames of one event. */
    private static final int MOST_FRAMES = 12;

    /** Limit of the bytes of one field. */
    private static final int FIELD_KEPT = 32;

    /**
     * The origin of a report.
     *
     * @param began when the run began, in UTC as ISO 8601 writes it, in seconds: {@code 2026-11-27T20:19:17Z}
     * @param version of the tester
     * @param host the machine of the tester
     * @param command the tester's command line
     */
    public record Origin(String began, String version, String host, String command) {}

    /** The facts about the device in one role. */
    public record RoleFacts(String role, List<Survey.Fact> facts) {}

    /** The sums of one document. */
    public record DocumentTotals(String document, Totals totals) {}

    /**
     * A requirement that the device breaks.
     *
     * @param requirement the requirement; it is here once, however many cases have shown the fault
     * @param shownBy the case that shows it first
     * @param expected what the device should have sent there; empty if that case is about another requirement
     * @param actual what the device sent
     * @param failed number of failed cases about this requirement
     * @param explained number of cases about other requirements that are inconclusive because of this fault
     */
    public record Cause(Asked requirement, String shownBy, String expected, String actual, int failed, int explained) {
        /** A fault that leaves so many cases without a result is gross. */
        private static final int GROSS = 10;

        /** {@return whether this fault has to be repaired first, because so many cases depend on it} */
        boolean gross() {
            return explained >= GROSS;
        }

        /** {@return what the device does, in one sentence without a full stop} */
        String sentence() {
            return requirement.id() + ": " + (expected.isEmpty() ? "" : "expected " + expected + ", got ") + actual
                    + "; " + explained + " cases show nothing because of it";
        }
    }

    /**
     * One case.
     *
     * @param verdict {@code pass}, {@code fail}, {@code known}, {@code skipped} or {@code inconclusive}
     * @param charged the requirement that a failed case shows to be broken, or whose breach makes a case inconclusive;
     *     null if none is known
     * @param known the reason from the list of exclusions; null if the failure was not expected
     * @param expected of a failure: what the device should have sent
     * @param actual of a failure: what the device sent; otherwise why the case was skipped or inconclusive; may be
     *     empty
     */
    public record Finding(
            String id,
            List<Asked> requirements,
            String title,
            String role,
            String verdict,
            @Nullable String charged,
            @Nullable String known,
            String expected,
            String actual,
            double milliseconds,
            List<Conversation> conversations) {}

    /** One requirement that a case tests. */
    public record Asked(String id, String address, String source, String strength, String text) {}

    /** One connection, or the datagrams of one socket. */
    public record Conversation(String transport, String tester, String device, List<Moment> events) {}

    /**
     * One event.
     *
     * @param length number of all bytes of the event
     * @param octets in hex, at most the first 512
     * @param frames the frames that these bytes completed: at most the first 12, then one without fields that counts
     *     the others
     */
    public record Moment(
            double milliseconds, String kind, String note, long length, String octets, List<Frame> frames) {}

    /** One frame with its fields. */
    public record Frame(String name, List<Field> fields) {}

    /** One field: its name in the RFC, its bytes in hex, and its value for people. */
    public record Field(String name, String octets, String value) {}

    /** Gathers the results of a run. */
    public static Findings of(
            String device,
            Origin origin,
            String profile,
            boolean strict,
            int planned,
            double seconds,
            List<RoleFacts> survey,
            List<Result> results) {
        List<DocumentTotals> documents = new ArrayList<>();
        by(r -> r.test().requirement().document(), results.stream())
                .forEach((document, own) -> documents.add(new DocumentTotals(document, Totals.of(own))));
        return new Findings(
                device,
                origin,
                profile,
                strict,
                planned,
                seconds,
                Totals.of(results),
                survey,
                documents,
                causes(results),
                results.stream().map(Findings::finding).toList());
    }

    private static Map<String, List<Result>> by(Function<Result, String> property, Stream<Result> results) {
        return results.collect(Collectors.groupingBy(property, LinkedHashMap::new, Collectors.toList()));
    }

    private static List<Cause> causes(List<Result> results) {
        Map<String, List<Result>> charged = by(
                r -> r.charge().requirement(),
                results.stream()
                        .filter(r -> r.failed() || r.unclear())
                        .filter(r -> !r.charge().requirement().isEmpty()));
        Catalogue catalogue = Catalogue.load();
        List<Cause> causes = new ArrayList<>();
        charged.forEach((requirement, met) -> {
            Result shown = met.stream().filter(Result::failed).findFirst().orElse(met.get(0));
            int failed = (int) met.stream().filter(Result::failed).count();
            causes.add(new Cause(
                    asked(catalogue.get(requirement)),
                    shown.test().id(),
                    shown.expected(),
                    shown.actual(),
                    failed,
                    met.size() - failed));
        });
        causes.sort(Comparator.comparingInt(Cause::explained).reversed());
        return causes;
    }

    private static Finding finding(Result r) {
        return new Finding(
                r.test().id(),
                r.test().requirements().stream().map(Findings::asked).toList(),
                r.test().title(),
                r.test().device().toString(),
                verdict(r),
                r.charge().requirement().isEmpty() ? null : r.charge().requirement(),
                r.excluded().isEmpty() ? null : r.excluded(),
                r.expected(),
                r.actual(),
                r.nanos() / 1e6,
                r.wires().stream()
                        .map(w -> conversation(w, r.verdict() == Verdict.PASS ? MOST_EVENTS : Integer.MAX_VALUE))
                        .toList());
    }

    /** The verdict of a case in one word; an expected failure is {@code known}. */
    static String verdict(Result r) {
        return r.known() ? "known" : r.verdict().name().toLowerCase(Locale.ROOT);
    }

    private static Asked asked(Requirement r) {
        return new Asked(r.id(), r.address(), r.source(), r.strength().words(), r.text());
    }

    private static Conversation conversation(Transcript recorded, int most) {
        List<List<Frame>> frames = recorded.datagrams()
                ? recorded.events().stream().map(e -> List.<Frame>of()).toList()
                : new Dissection(recorded).frames();
        List<Moment> moments = new ArrayList<>();
        for (int i = 0; i < Math.min(frames.size(), most); i++) {
            Event e = recorded.events().get(i);
            byte[] octets = e.octets();
            moments.add(new Moment(
                    e.nanos() / 1e6,
                    e.kind().name().toLowerCase(Locale.ROOT),
                    e.note(),
                    e.length(),
                    Octets.hex(octets.length > KEPT ? Arrays.copyOf(octets, KEPT) : octets),
                    few(frames.get(i))));
        }
        if (frames.size() > most) {
            moments.add(new Moment(0, "note", (frames.size() - most) + " more events", 0, "", List.of()));
        }
        return new Conversation(
                recorded.datagrams() ? "udp" : "tcp", text(recorded.local()), text(recorded.peer()), moments);
    }

    private static List<Frame> few(List<Frame> frames) {
        List<Frame> few = new ArrayList<>();
        for (Frame frame : frames.subList(0, Math.min(frames.size(), MOST_FRAMES))) {
            few.add(new Frame(
                    frame.name(), frame.fields().stream().map(Findings::few).toList()));
        }
        if (frames.size() > MOST_FRAMES) {
            few.add(new Frame((frames.size() - MOST_FRAMES) + " more frames", List.of()));
        }
        return few;
    }

    private static Field few(Field field) {
        return field.octets().length() <= 2 * FIELD_KEPT
                ? field
                : new Field(field.name(), field.octets().substring(0, 2 * FIELD_KEPT) + "…", field.value());
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
