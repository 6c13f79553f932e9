package dev.jwarp.conformance.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.conformance.report.Findings.Frame;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Expectation;
import dev.jwarp.conformance.script.Journal;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Result.Charge;
import dev.jwarp.conformance.suite.Verdict;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.maven.plugin.surefire.log.api.NullConsoleLogger;
import org.apache.maven.plugins.surefire.report.ReportTestCase;
import org.apache.maven.plugins.surefire.report.ReportTestSuite;
import org.apache.maven.plugins.surefire.report.TestSuiteXmlParser;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A run's reports")
class ReportsTest {
    private final Findings findings = Samples.findings();

    @TempDir
    Path folder;

    @Test
    @DisplayName("in JUnit XML are read by a parser of such files, with the right result for each case")
    void junit() throws Exception {
        Path file = folder.resolve("r.xml");
        JUnitReport.write(file, findings);

        List<ReportTestSuite> suites = new TestSuiteXmlParser(new NullConsoleLogger()).parse(file.toString());

        ReportTestSuite suite = suites.stream()
                .filter(s -> s.getFullClassName().equals("rfc5044.4_4"))
                .findFirst()
                .orElseThrow();
        assertThat(suite.getNumberOfTests()).isEqualTo(5);
        assertThat(suite.getNumberOfFailures()).isEqualTo(1);
        assertThat(suite.getNumberOfErrors()).isEqualTo(1);
        assertThat(suite.getNumberOfSkipped()).isEqualTo(2);
        assertThat(suite.getTestCases()).extracting(ReportTestCase::getName).allMatch(n -> n.startsWith("MPA-4.4"));
        assertThat(suite.getTestCases().get(1).getFailureMessage())
                .startsWith("expected a CRC, got </script><b>&?")
                .endsWith("'quoted'");
        assertThat(suite.getTestCases().get(1).getFailureDetail()).contains("[CRC bad]");
    }

    @Test
    @DisplayName("as a page have the findings as JSON, and bytes from a peer cannot end the element")
    void html() throws Exception {
        Path file = folder.resolve("r.html");
        HtmlReport.write(file, findings);

        String page = Files.readString(file);
        String start = "<script type=\"application/json\" id=\"findings\">";
        String data = page.substring(page.indexOf(start) + start.length());
        JsonNode found = new ObjectMapper().readTree(data.substring(0, data.indexOf("</script>")));
        assertThat(found.at("/cases/1/actual").asText()).isEqualTo(Samples.AWKWARD);
        assertThat(found.at("/cases").size()).isEqualTo(5);
        assertThat(page).doesNotContain("http://", "https://", "src=", "@FINDINGS@");
    }

    @Test
    @DisplayName("show the survey of the device")
    void survey() throws Exception {
        Path xml = folder.resolve("r.xml");
        JUnitReport.write(xml, findings);
        Path html = folder.resolve("r.html");
        HtmlReport.write(html, findings);

        assertThat(xml).content().contains("<property name=\"responder: revision\" value=\"2 &lt;/script");
        assertThat(html)
                .content()
                .contains("\"survey\":[{\"role\":\"responder\",\"facts\":[{\"name\":\"revision\",")
                .contains("id=\"survey\"");
        assertThat(TerminalReport.survey(findings.survey().get(0))).first().isEqualTo("The device as responder:");
        assertThat(TerminalReport.survey(findings.survey().get(0)).get(1)).startsWith("  revision  2 </script>");
    }

    @Test
    @DisplayName("name the fields of every frame, where the stream shows its end")
    void frames() {
        List<List<Frame>> frames = Dissection.of(Samples.conversation());

        assertThat(frames).hasSize(7);
        assertThat(frames.get(1)).extracting(Frame::name).containsExactly("MPA Request");
        assertThat(frames.get(2)).isEmpty();
        assertThat(frames.get(3)).extracting(Frame::name).containsExactly("MPA Reply");
        assertThat(frames.get(4)).extracting(Frame::name).containsExactly("Send QN 0 MSN 1 MO 0 last, 5 bytes");
        assertThat(frames.get(4).get(0).fields())
                .extracting(f -> f.name() + "=" + f.value())
                .contains("Marker=at 0, FPDUPTR 0", "ULPDU_Length=23", "MSN=1", "PAD=3 bytes", "CRC=good");
        assertThat(frames.get(5).get(0).name()).endsWith("[CRC bad]");
    }

    @Test
    @DisplayName("at a terminal show a failure in full: requirement, expected, actual, and the conversation")
    void terminal() {
        String text = String.join("\n", TerminalReport.failure(findings.cases().get(1)));

        assertThat(text)
                .contains("requirement  MPA-4.4-", "RFC 5044 §4.4", "expected     a CRC", "actual       </script>")
                .contains("3.0 ms > ", "2.1 ms < ", "FIN", "= MPA Reply", "FPDUPTR 0");
    }

    @Test
    @DisplayName("at a terminal escape control characters of the device, and keep one line for each line")
    void printable() {
        Result r = Samples.results().get(1);
        Result sly = new Result(
                r.test(),
                Verdict.FAIL,
                Charge.NONE,
                new Expectation.Other("a"),
                "x\u001B[2J\r\ny\u009B",
                "",
                1,
                r.wires());
        Result silent = new Result(
                r.test(),
                Verdict.INCONCLUSIVE,
                Charge.NONE,
                Expectation.NONE,
                "x\u001B[2J\r\ny\u009B",
                "",
                1,
                r.wires());
        List<String> lines =
                new ArrayList<>(TerminalReport.failure(Findings.of("d", Samples.ORIGIN, "p", true, 1, 1, List.of(sly))
                        .cases()
                        .get(0)));
        lines.add(TerminalReport.line(silent));

        assertThat(lines).noneMatch(l -> l.chars().anyMatch(Character::isISOControl));
        assertThat(lines).contains("  actual       x\\x1B[2J\\x0D\\x0Ay\\x9B");
        assertThat(lines.get(lines.size() - 1)).endsWith("x\\x1B[2J\\x0D\\x0Ay\\x9B");
    }

    @Test
    @DisplayName("do not count a known deviation whose case is inconclusive this time")
    void knownAndUnclear() {
        Result r = Samples.results().get(4);
        Result known = new Result(
                r.test(),
                Verdict.INCONCLUSIVE,
                Charge.NONE,
                Expectation.NONE,
                "nobody came",
                "it crashes",
                1,
                List.of());

        assertThat(TerminalReport.failed(List.of(known))).isFalse();
        assertThat(Totals.of(List.of(known)).line())
                .isEqualTo("1 tests, 0 passed, 0 skipped, 0 failed, 1 known deviations");
        assertThat(TerminalReport.line(known)).endsWith(": nobody came (known: it crashes)");
        assertThat(Findings.verdict(known)).isEqualTo("known");
        assertThat(TerminalReport.failed(List.of(r))).isTrue();
    }

    @Test
    @DisplayName("have, for a run that could not judge all cases, the numbers of passed and unjudged cases")
    void sentence() {
        assertThat(TerminalReport.sentence(new Totals(624, 0, 0, 0, 1, 0))).isEqualTo("624 passed, 1 not judged");
        assertThat(TerminalReport.sentence(new Totals(1, 1, 0, 0, 1, 0)))
                .startsWith("the peer does not conform: 3 tests");
    }

    @Test
    @DisplayName("begin with the time, the version, the host and the command")
    void origin() throws Exception {
        Path xml = folder.resolve("r.xml");
        JUnitReport.write(xml, findings);
        Path html = folder.resolve("r.html");
        HtmlReport.write(html, findings);

        assertThat(TerminalReport.origin(findings.origin()))
                .first()
                .isEqualTo("jwarp conform 0.1.0, 2026-11-27T20:19:17Z, on build-7");
        assertThat(TerminalReport.origin(findings.origin()))
                .last()
                .asString()
                .startsWith("jwarp conform --peer 10.0.0.2:7174 ")
                .doesNotContain("\u0001");
        assertThat(xml)
                .content()
                .contains(
                        "timestamp=\"2026-11-27T20:19:17\" hostname=\"build-7\"",
                        "name=\"command\" value=\"jwarp conform");
        assertThat(html)
                .content()
                .contains(
                        "\"began\":\"2026-11-27T20:19:17Z\",\"version\":\"0.1.0\",\"host\":\"build-7\"",
                        "id=\"origin\"");
    }

    @Test
    @DisplayName("name a fault that hides many cases in one sentence, and no other")
    void gross() {
        Result failed = Samples.results().get(1);
        String broken = failed.test().requirement().id();
        List<Result> results = new ArrayList<>();
        results.add(new Result(
                failed.test(),
                Verdict.FAIL,
                Charge.to(broken),
                new Expectation.Other("a CRC"),
                "no CRC",
                "",
                1,
                List.of()));
        for (int i = 0; i < 9; i++) {
            results.add(new Result(
                    failed.test(),
                    Verdict.INCONCLUSIVE,
                    Charge.to(broken),
                    Expectation.NONE,
                    "because of it",
                    "",
                    1,
                    List.of()));
        }
        assertThat(TerminalReport.gross(of(results))).isEmpty();

        results.add(results.get(9));
        assertThat(TerminalReport.gross(of(results)))
                .containsExactly(broken + ": expected a CRC, got no CRC; 10 cases show nothing because of it");
    }

    private static Findings of(List<Result> results) {
        return Findings.of("d", Samples.ORIGIN, "p", true, results.size(), 1, results);
    }

    @Test
    @DisplayName("as a capture have a gap in place of bytes that were not kept")
    void gap() throws Exception {
        Path file = folder.resolve("gap.pcap");
        Transcript c = Samples.conversation();
        Capture.write(file, List.of(Journal.closed(c, 300)));

        List<Event> kept = Journal.closed(c, 300).events();
        assertThat(kept).anyMatch(e -> !e.kept());
        assertThat(Files.size(file)).isLessThan(wholeSize(c));
    }

    private record Said(long began, List<Event> events) implements Transcript {
        @Override
        public InetSocketAddress local() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 4000);
        }

        @Override
        public InetSocketAddress peer() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 7174);
        }

        @Override
        public boolean datagrams() {
            return true;
        }
    }

    private static Event said(long nanos, int what) {
        return new Event(nanos, Event.Kind.SENT, new byte[] {(byte) what}, "");
    }

    @Test
    @DisplayName("as a capture have the packets of all conversations in the order of their times")
    void order() throws Exception {
        Path file = folder.resolve("order.pcap");
        Capture.write(
                file,
                List.of(
                        new Said(-90, List.of(said(0, 1), said(30, 4), said(29, 5))),
                        new Said(-80, List.of(said(0, 2), said(10, 3), said(40, 6)))));
        ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        List<String> packets = new ArrayList<>();
        for (in.position(24); in.hasRemaining(); in.position(in.position() + 8 + 29)) {
            in.getInt();
            packets.add(in.getInt() + ": " + in.get(in.position() + 8 + 28));
        }
        assertThat(packets).containsExactly("0: 1", "10: 2", "20: 3", "30: 4", "30: 5", "50: 6");
    }

    private long wholeSize(Transcript conversation) throws Exception {
        Path file = folder.resolve("whole.pcap");
        Capture.write(file, List.of(conversation));
        return Files.size(file);
    }

    @Test
    @DisplayName("end with a line of sums that separates expected failures from new ones")
    void sums() {
        List<String> lines = TerminalReport.summary(findings);

        assertThat(lines.get(lines.size() - 1))
                .isEqualTo("5 tests, 1 passed, 1 skipped, 1 failed, 1 inconclusive, 1 known deviations");
        assertThat(lines).contains("Finished in 1.3 seconds", "2 of 7 cases were not run");
    }
}
