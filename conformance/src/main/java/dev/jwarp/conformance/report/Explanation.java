package dev.jwarp.conformance.report;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.report.Findings.Conversation;
import dev.jwarp.conformance.suite.Result;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.conformance.suite.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Explains one case to a person who doubts its verdict: the requirement and its section, what the case does, what the
 * device sent, and what it should have sent.
 */
public final class Explanation {
    private static final String INDENT = " ".repeat(15);

    /** Names of test vectors, as the catalogue writes them. */
    private static final Pattern VECTOR = Pattern.compile("\\b[A-Z]+[0-9]*-[A-Z0-9]{2,}");

    private Explanation() {}

    /** Explains a requirement without a case: why no case shows it, and which of jwarp's own tests does. */
    public static List<String> of(Requirement requirement, Catalogue catalogue) {
        List<String> lines = new ArrayList<>();
        lines.add(requirement.id());
        asked(lines, requirement);
        add(lines, "no case", catalogue.unprovoked(requirement.id()));
        add(lines, "instead", catalogue.proof(requirement.id()));
        return lines;
    }

    /** Explains what a case does and shows, without a run. */
    public static List<String> of(TestCase test) {
        List<String> lines = new ArrayList<>();
        lines.add(test.id() + "  " + test.title());
        Requirement own = test.requirement();
        asked(lines, own);
        boolean vectors = VECTOR.matcher(own.provoked()).find();
        add(lines, "provoked by", own.provoked() + (vectors ? " (in capitals: vectors of test-vectors)" : ""));
        add(lines, "must be seen", own.expected());
        test.requirements().stream().skip(1).forEach(r -> add(lines, "tests too", said(r)));
        add(lines, "the device", "is the " + test.device());
        add(lines, "needs", test.needs().stream().map(Ability::words).collect(Collectors.joining("; ")));
        Catalogue catalogue = Catalogue.load();
        test.after().stream()
                .distinct()
                .filter(id -> !test.tests(id))
                .forEach(id -> add(lines, "only after", said(catalogue.get(id))));
        if (!own.strength().binding()) {
            add(lines, "tried", "with --strict only, as it is no MUST");
        }
        return lines;
    }

    /**
     * Explains a case and its result in a run.
     *
     * @param finding the same result in the form of a report
     */
    public static List<String> of(Result result, Findings.Finding finding) {
        List<String> lines = new ArrayList<>(of(result.test()));
        if (!finding.conversations().isEmpty()) {
            add(lines, "the exchange", "> from the tester, < from the device");
        }
        for (int i = 0; i < finding.conversations().size(); i++) {
            Conversation conversation = finding.conversations().get(i);
            lines.add("  conversation " + (i + 1) + ", " + conversation.transport() + ", the tester at "
                    + conversation.tester() + ", the device at " + conversation.device());
            lines.addAll(Story.of(conversation));
        }
        if (result.verdict() == Verdict.FAIL || result.verdict() == Verdict.INCONCLUSIVE) {
            lastHeard(lines, finding);
            add(lines, "should come", result.expected());
            add(lines, "came", result.actual());
            String charged = result.charge().requirement();
            if (!charged.isEmpty()) {
                add(lines, "charged to", said(Catalogue.load().get(charged)));
            }
            // A case that is charged to another requirement has its cause already.
            if (charged.isEmpty() || result.test().tests(charged)) {
                add(
                        lines,
                        "relied on",
                        result.charge().suspects().stream().distinct().collect(Collectors.joining(", ")));
            }
        } else if (result.verdict() == Verdict.SKIPPED) {
            add(lines, "not tried", result.actual());
        }
        add(lines, "known", result.excluded());
        add(lines, "verdict", finding.verdict());
        return lines.stream().map(Story::printable).toList();
    }

    private static void asked(List<String> lines, Requirement requirement) {
        add(lines, "requirement", said(requirement));
        add(lines, "binds", requirement.role());
    }

    private static String said(Requirement r) {
        return r.id() + " (" + r.source() + ", " + r.strength().words() + "): " + r.text();
    }

    private static void add(List<String> lines, String name, String text) {
        if (!text.isEmpty()) {
            lines.add("  %-12s %s".formatted(name, text));
        }
    }

    /** The last bytes from the device: the case failed on them, or waited in vain for bytes after them. */
    private static void lastHeard(List<String> lines, Findings.Finding finding) {
        finding.conversations().stream()
                .flatMap(c -> c.events().stream())
                .filter(m -> m.kind().equals("received"))
                .reduce((earlier, later) -> later)
                .ifPresent(last -> {
                    boolean more = 2 * last.length() > last.octets().length();
                    add(lines, "last heard", last.octets() + (more ? " …" : ""));
                    last.frames().forEach(f -> lines.add(INDENT + "= " + f.name()));
                });
    }
}
