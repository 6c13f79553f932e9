package dev.jwarp.conformance.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.conformance.report.Findings.Frame;
import dev.jwarp.conformance.report.Samples.Recording;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Expectation;
import dev.jwarp.conformance.script.Journal;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.Result.Charge;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.conformance.suite.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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

    private String page() throws IOException {
        Path file = folder.resolve("r.html");
        HtmlReport.write(file, findings);
        return Files.readString(file);
    }

    private Path xml() throws IOException {
        Path file = folder.resolve("r.xml");
        JUnitReport.write(file, findings);
        return file;
    }

    private byte[] capture(Transcript... conversations) throws IOException {
        Path file = folder.resolve("r.pcap");
        Capture.write(file, List.of(conversations));
        return Files.readAllBytes(file);
    }

    private static Findings of(Result... results) {
        return Findings.of("d", Samples.ORIGIN, "p", true, results.length, 1, List.of(), List.of(results));
    }

    @Test
    @DisplayName("in JUnit XML are read by a parser of such files, with the right result for each case")
    void junit() throws Exception {
        List<ReportTestSuite> suites = new TestSuiteXmlParser(new NullConsoleLogger()).parse(xml().toString());

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
        String page = page();
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
        assertThat(xml()).content().contains("<property name=\"responder: revision\" value=\"2 &lt;/script");
        assertThat(page())
                .contains("\"survey\":[{\"role\":\"responder\",\"facts\":[{\"name\":\"revision\",")
                .contains("id=\"survey\"");
        assertThat(TerminalReport.survey(findings.survey().get(0))).first().isEqualTo("The device as responder:");
        assertThat(TerminalReport.survey(findings.survey().get(0)).get(1)).startsWith("  revision  2 </script>");
    }

    @Test
    @DisplayName("name the fields of every frame, where the stream shows its end")
    void frames() {
        List<List<Frame>> frames = new Dissection(Samples.conversation()).frames();

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
        String said = "x\u001B[2J\r\ny\u009B";
        Result sly = Samples.result(1, Verdict.FAIL, "a", said, "");
        List<String> lines =
                new ArrayList<>(TerminalReport.failure(of(sly).cases().get(0)));
        lines.add(TerminalReport.line(Samples.result(1, Verdict.INCONCLUSIVE, "", said, "")));

        assertThat(lines).noneMatch(l -> l.chars().anyMatch(Character::isISOControl));
        assertThat(lines).contains("  actual       x\\x1B[2J\\x0D\\x0Ay\\x9B");
        assertThat(lines.get(lines.size() - 1)).endsWith("x\\x1B[2J\\x0D\\x0Ay\\x9B");
    }

    @Test
    @DisplayName("do not count a known deviation whose case is inconclusive this time")
    void knownAndUnclear() {
        Result known = Samples.result(4, Verdict.INCONCLUSIVE, "", "nobody came", "it crashes");

        assertThat(TerminalReport.failed(List.of(known))).isFalse();
        assertThat(Totals.of(List.of(known)).line())
                .isEqualTo("1 tests, 0 passed, 0 skipped, 0 failed, 1 known deviations");
        assertThat(TerminalReport.line(known)).endsWith(": nobody came (known: it crashes)");
        assertThat(Findings.verdict(known)).isEqualTo("known");
        assertThat(TerminalReport.failed(List.of(Samples.results().get(4)))).isTrue();
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
        List<String> lines = TerminalReport.origin(findings.origin());
        assertThat(lines.get(0)).isEqualTo("jwarp conform 0.1.0, 2026-11-27T20:19:17Z, on build-7");
        assertThat(lines.get(lines.size() - 1))
                .startsWith("jwarp conform --peer 10.0.0.2:7174 ")
                .doesNotContain("\u0001");
        assertThat(xml())
                .content()
                .contains(
                        "timestamp=\"2026-11-27T20:19:17\" hostname=\"build-7\"",
                        "name=\"command\" value=\"jwarp conform");
        assertThat(page())
                .contains(
                        "\"began\":\"2026-11-27T20:19:17Z\",\"version\":\"0.1.0\",\"host\":\"build-7\"",
                        "id=\"origin\"");
    }

    @Test
    @DisplayName("name a fault that hides many cases in one sentence, and no other")
    void gross() {
        TestCase test = Samples.results().get(1).test();
        String broken = test.requirement().id();
        Charge charge = Charge.to(broken);
        Expectation expected = new Expectation.Other("a CRC");
        Result[] results = new Result[11];
        Arrays.fill(results, new Result(test, Verdict.INCONCLUSIVE, charge, Expectation.NONE, "", "", 1, List.of()));
        results[0] = new Result(test, Verdict.FAIL, charge, expected, "no CRC", "", 1, List.of());

        assertThat(TerminalReport.gross(of(Arrays.copyOf(results, 10)))).isEmpty();
        assertThat(TerminalReport.gross(of(results)))
                .containsExactly(broken + ": expected a CRC, got no CRC; 10 cases show nothing because of it");
    }

    @Test
    @DisplayName("as a capture have a gap in place of bytes that were not kept")
    void gap() throws Exception {
        Transcript whole = Samples.conversation();
        Transcript cut = Journal.closed(whole, 300);

        assertThat(cut.events()).anyMatch(e -> !e.kept());
        assertThat(capture(cut).length).isLessThan(capture(whole).length);
    }

    private static Event said(long nanos, int what) {
        return new Event(nanos, Event.Kind.SENT, new byte[] {(byte) what}, "");
    }

    @Test
    @DisplayName("as a capture have the packets of all conversations in the order of their times")
    void order() throws Exception {
        ByteBuffer in = ByteBuffer.wrap(capture(
                        new Recording(-90, true, List.of(said(0, 1), said(30, 4), said(29, 5))),
                        new Recording(-80, true, List.of(said(0, 2), said(10, 3), said(40, 6)))))
                .order(ByteOrder.LITTLE_ENDIAN);
        List<String> packets = new ArrayList<>();
        for (in.position(24); in.hasRemaining(); in.position(in.position() + 8 + 29)) {
            in.getInt();
            packets.add(in.getInt() + ": " + in.get(in.position() + 8 + 28));
        }
        assertThat(packets).containsExactly("0: 1", "10: 2", "20: 3", "30: 4", "30: 5", "50: 6");
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
