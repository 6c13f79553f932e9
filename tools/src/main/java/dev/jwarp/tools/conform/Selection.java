package dev.jwarp.tools.conform;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.report.Explanation;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.Exclusions;
import dev.jwarp.conformance.suite.Suite;
import dev.jwarp.conformance.suite.TestCase;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The flags that select cases, and the known deviations. */
final class Selection {
    @Parameters(
            arity = "0..*",
            paramLabel = "FILTER",
            description =
                    "Only cases of a requirement (MPA-7.1.1-13), of an address (rfc5044/7.1.1/13, rfc5044/7, rfc5044),"
                            + " or with a name, or with the beginning of one.")
    private List<String> filters = new ArrayList<>();

    @Option(
            names = {"--case", "--filter"},
            paramLabel = "FILTER",
            description = "The same as FILTER.")
    private List<String> moreFilters = new ArrayList<>();

    @Option(names = "--list", description = "List the cases and end.")
    private boolean list;

    @Option(
            names = "--explain",
            description =
                    "Explain the cases: the requirement and its source, the test, and what passes; with a device also"
                            + " the conversation and the result.")
    private boolean explain;

    @Option(
            names = "--exclude",
            paramLabel = "FILE",
            description =
                    "Known deviations: a filter and a reason in each line. A case with ! in front of its filter is not"
                            + " run.")
    private @Nullable Path exclude;

    /** {@return whether to list the cases only} */
    boolean list() {
        return list;
    }

    /** {@return whether there is no filter} */
    boolean whole() {
        return wanted().isEmpty();
    }

    /** {@return whether to explain the cases} */
    boolean explain() {
        return explain;
    }

    /**
     * {@return explanations, without a run, of the cases and of the requirements without a case that the filters name;
     * of all without a filter}
     */
    List<String> explanation() {
        List<String> wanted = wanted();
        boolean all = wanted.isEmpty();
        List<String> lines = new ArrayList<>();
        List<String> found = new ArrayList<>();
        Catalogue catalogue = Catalogue.load();
        for (Requirement requirement : catalogue.all()) {
            List<String> naming =
                    wanted.stream().filter(filter -> names(filter, requirement)).toList();
            if ((all || !naming.isEmpty())
                    && !catalogue.unprovoked(requirement.id()).isEmpty()) {
                lines.addAll(Explanation.of(requirement, catalogue));
                found.addAll(naming);
            }
        }
        // A filter may name requirements of both kinds.
        wanted.removeIf(filter ->
                found.contains(filter) && AllCases.suite().cases().stream().noneMatch(c -> c.matches(filter)));
        if (all || !wanted.isEmpty()) {
            cases(role -> true, wanted).forEach(c -> lines.addAll(Explanation.of(c)));
        }
        return lines;
    }

    private static boolean names(String filter, Requirement requirement) {
        return (requirement.id() + "-").startsWith(filter + "-")
                || (requirement.address() + "/").startsWith(filter + "/");
    }

    private List<String> wanted() {
        List<String> wanted = new ArrayList<>(filters);
        wanted.addAll(moreFilters);
        return wanted;
    }

    /**
     * {@return the cases for devices in these roles that the filters name, in order} Rejects a filter that names no
     * case.
     */
    List<TestCase> cases(Predicate<Role> roles) {
        return cases(roles, wanted());
    }

    private static List<TestCase> cases(Predicate<Role> roles, List<String> wanted) {
        Suite suite = AllCases.suite();
        List<TestCase> cases = new ArrayList<>();
        for (Role role : Role.values()) {
            if (roles.test(role)) {
                cases.addAll(suite.cases(role, wanted));
            }
        }
        for (String filter : wanted) {
            if (cases.stream().noneMatch(c -> c.matches(filter))) {
                throw ToolFailure.usage("no case matches " + filter, "'jwarp conform --list' shows all cases");
            }
        }
        return cases;
    }

    /** {@return the known deviations} Rejects a file that cannot be read, and a line that names no case. */
    Exclusions exclusions() {
        if (exclude == null) {
            return Exclusions.NONE;
        }
        Exclusions known;
        try {
            known = Exclusions.read(exclude);
        } catch (NoSuchFileException e) {
            throw ToolFailure.usage("there is no file " + exclude + " for --exclude");
        } catch (IOException e) {
            throw ToolFailure.usage("cannot read the known deviations: " + e.getMessage());
        }
        List<String> idle = known.idle(AllCases.suite().cases());
        if (!idle.isEmpty()) {
            throw ToolFailure.usage(exclude + " names no case with " + String.join(", ", idle));
        }
        return known;
    }
}
