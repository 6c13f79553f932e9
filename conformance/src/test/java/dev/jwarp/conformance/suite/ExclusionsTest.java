package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.cases.AllCases;
import dev.jwarp.conformance.script.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Known deviations of a device. */
class ExclusionsTest {
    @TempDir
    private Path folder;

    @Test
    @DisplayName("a line names a case and why it may fail")
    void lineNamesCaseAndWhyItMayFail() throws IOException {
        TestCase test = any();
        Exclusions known = read("# a remark", "", test.id() + "   known since 2019");

        assertThat(known.reason(test)).isEqualTo("known since 2019");
        assertThat(known.veto(test)).isEmpty();
    }

    @Test
    @DisplayName("a case with a mark before its name is not tried")
    void withMarkInFrontCaseIsNotEvenTried() throws IOException {
        TestCase test = any();
        Exclusions known = read("!" + test.id() + " ends the device");

        assertThat(known.veto(test)).isEqualTo("ends the device");
        assertThat(known.reason(test)).isEmpty();
    }

    private static TestCase any() {
        return AllCases.suite().cases(Role.RESPONDER, List.of()).get(0);
    }

    private Exclusions read(String... lines) throws IOException {
        return Exclusions.read(Files.write(folder.resolve("known"), List.of(lines)));
    }
}
