package dev.jwarp.conformance.report;

import dev.jwarp.conformance.report.Findings.Finding;
import dev.jwarp.conformance.suite.Survey;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * The run as JUnit XML for continuous integration servers: a test suite for each document, a test case for each case. A
 * deviation is a {@code failure}, an inconclusive case an {@code error}; a known deviation is {@code skipped}, with its
 * reason.
 */
public final class JUnitReport {
    private final XMLStreamWriter xml;

    private JUnitReport(XMLStreamWriter xml) {
        this.xml = xml;
    }

    /** Writes the file. */
    public static void write(Path file, Findings findings) throws IOException {
        try (Writer out = Files.newBufferedWriter(file)) {
            XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(out);
            new JUnitReport(xml).all(findings);
            xml.close();
        } catch (XMLStreamException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private void all(Findings findings) throws XMLStreamException {
        xml.writeStartDocument("UTF-8", "1.0");
        line();
        xml.writeStartElement("testsuites");
        xml.writeAttribute("name", "jwarp conform: " + clean(findings.device()));
        counts(findings.totals());
        xml.writeAttribute("time", seconds(findings.seconds() * 1000));
        line();
        for (Findings.DocumentTotals document : findings.documents()) {
            List<Finding> own = findings.cases().stream()
                    .filter(c -> document(c).equals(document.document()))
                    .toList();
            xml.writeStartElement("testsuite");
            xml.writeAttribute("name", document.document());
            counts(document.totals());
            // Without a time zone, like other writers of this format.
            xml.writeAttribute("timestamp", findings.origin().began().replace("Z", ""));
            xml.writeAttribute("hostname", clean(findings.origin().host()));
            xml.writeAttribute(
                    "time",
                    seconds(own.stream().mapToDouble(Finding::milliseconds).sum()));
            line();
            properties(findings, document.document());
            for (Finding finding : own) {
                testCase(finding);
            }
            xml.writeEndElement();
            line();
        }
        xml.writeEndElement();
        line();
        xml.writeEndDocument();
    }

    /**
     * Properties that a server shows beside a suite: the origin of the run, the survey of the device, and the broken
     * requirements of this document that explain cases of any document.
     */
    private void properties(Findings findings, String document) throws XMLStreamException {
        List<Findings.Cause> causes = findings.causes().stream()
                .filter(c -> c.explained() > 0 && document(c.requirement()).equals(document))
                .toList();
        xml.writeStartElement("properties");
        property("version", findings.origin().version());
        property("command", findings.origin().command());
        for (Findings.RoleFacts found : findings.survey()) {
            for (Survey.Fact fact : found.facts()) {
                property(found.role() + ": " + fact.name(), fact.value());
            }
        }
        for (Findings.Cause cause : causes) {
            property(cause.requirement().id(), cause.explained() + " cases are inconclusive because of it");
        }
        xml.writeEndElement();
        line();
    }

    private void property(String name, String value) throws XMLStreamException {
        xml.writeEmptyElement("property");
        xml.writeAttribute("name", name);
        xml.writeAttribute("value", clean(value));
    }

    private void counts(Totals totals) throws XMLStreamException {
        xml.writeAttribute("tests", String.valueOf(totals.all()));
        xml.writeAttribute("failures", String.valueOf(totals.failed()));
        xml.writeAttribute("errors", String.valueOf(totals.inconclusive()));
        xml.writeAttribute("skipped", String.valueOf(totals.skipped() + totals.excluded()));
    }

    private void testCase(Finding finding) throws XMLStreamException {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", section(finding));
        xml.writeAttribute("name", finding.id() + " " + clean(finding.title()));
        xml.writeAttribute("time", seconds(finding.milliseconds()));
        switch (finding.verdict()) {
            case "fail" -> fault("failure", "deviation", finding);
            case "inconclusive" -> fault("error", "inconclusive", finding);
            case "known" -> skipped("known deviation: " + finding.known() + "; " + finding.actual());
            case "skipped" -> skipped(finding.actual());
            default -> {}
        }
        xml.writeEndElement();
        line();
    }

    private void fault(String element, String type, Finding finding) throws XMLStreamException {
        xml.writeStartElement(element);
        xml.writeAttribute("type", type);
        boolean deviates = !finding.expected().isEmpty();
        xml.writeAttribute(
                "message",
                clean(deviates ? "expected " + finding.expected() + ", got " + finding.actual() : finding.actual()));
        xml.writeCharacters(clean(String.join("\n", TerminalReport.failure(finding))));
        xml.writeEndElement();
    }

    private void skipped(String reason) throws XMLStreamException {
        xml.writeEmptyElement("skipped");
        xml.writeAttribute("message", clean(reason));
    }

    private void line() throws XMLStreamException {
        xml.writeCharacters("\n");
    }

    private static String document(Finding finding) {
        return document(finding.requirements().get(0));
    }

    private static String document(Findings.Asked requirement) {
        String address = requirement.address();
        return address.substring(0, address.indexOf('/'));
    }

    /** Document and section in the form of a package and a class: servers group test cases by these. */
    private static String section(Finding finding) {
        String address = finding.requirements().get(0).address();
        return address.substring(0, address.lastIndexOf('/')).replace('.', '_').replace('/', '.');
    }

    private static String seconds(double milliseconds) {
        return String.format(Locale.ROOT, "%.3f", milliseconds / 1000);
    }

    /** XML 1.0 cannot represent most control characters. */
    private static String clean(String text) {
        return text.replaceAll("[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\uFFFE\\uFFFF]", "?");
    }
}
