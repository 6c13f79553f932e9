package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Listeners;
import dev.jwarp.tools.Run;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The examination of datagrams, from the command line; that jwarp passes all of it is in {@link ConformSelfTest}. */
class ConformDatagramTest {
    @Test
    @DisplayName("there are many cases all of them about the document of datagrams")
    void thereAreManyCasesAll() {
        Run run = Run.of("conform", "--list", "--datagram");

        assertThat(run.out().lines()).hasSizeGreaterThan(150).allMatch(line -> line.startsWith("DG-"));
    }

    @Test
    @DisplayName("a target that listens is examined from another process")
    void targetThatListensIsExaminedFromAnotherProcess() throws Exception {
        Run.Background target = Run.inBackground("conform-target", "--datagram", "--listen", "127.0.0.1:0");
        Run tester = Run.of(
                "conform",
                "--datagram",
                "--peer",
                "127.0.0.1:" + Listeners.port(target),
                "--quiet-time",
                "0.05",
                "DG-4.6",
                "datagram/8/1",
                "DG-11.2-2:ahead@datagram");
        target.interrupt();

        assertThat(tester.status()).as(tester.toString()).isZero();
        assertThat(tester.out()).endsWith("8 tests, 8 passed, 0 skipped, 0 failed" + System.lineSeparator());
        assertThat(target.await().out()).contains("conversations");
    }

    @Test
    @DisplayName("without strict what is only recommended is skipped")
    void withoutStrictWhatIsOnlyRecommendedIsSkipped() throws Exception {
        Run.Background target = Run.inBackground("conform-target", "--datagram", "--listen", "127.0.0.1:0");
        Run tester = Run.of("conform", "--datagram", "--peer", "127.0.0.1:" + Listeners.port(target), "DG-4.5-4");
        target.interrupt();

        assertThat(tester.out()).contains("1 tests, 0 passed, 1 skipped, 0 failed");
        target.await();
    }

    @Test
    @DisplayName("a device that connects cannot be examined")
    void deviceThatConnectsCannotBeExamined() {
        Run run = Run.of("conform", "--datagram", "--listen", "0");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--datagram needs --peer or --self");
    }
}
