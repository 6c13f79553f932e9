package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Listeners;
import dev.jwarp.tools.Run;
import org.junit.jupiter.api.Test;

/** The examination of datagrams, from the command line; that jwarp passes all of it is in {@link ConformSelfTest}. */
class ConformDatagramTest {
    @Test
    void there_are_many_cases_all_of_them_about_the_document_of_datagrams() {
        Run run = Run.of("conform", "--list", "--datagram");

        assertThat(run.out().lines()).hasSizeGreaterThan(150).allMatch(line -> line.startsWith("DG-"));
    }

    @Test
    void a_target_that_listens_is_examined_from_another_process() throws Exception {
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
        assertThat(tester.out()).endsWith("7 tests, 7 passed, 0 skipped, 0 failed" + System.lineSeparator());
        assertThat(target.await().out()).contains("conversations");
    }

    @Test
    void without_strict_what_is_only_recommended_is_skipped() throws Exception {
        Run.Background target = Run.inBackground("conform-target", "--datagram", "--listen", "127.0.0.1:0");
        Run tester = Run.of("conform", "--datagram", "--peer", "127.0.0.1:" + Listeners.port(target), "DG-4.5-4");
        target.interrupt();

        assertThat(tester.out()).contains("1 tests, 0 passed, 1 skipped, 0 failed");
        target.await();
    }

    @Test
    void a_device_that_connects_cannot_be_examined() {
        Run run = Run.of("conform", "--datagram", "--listen", "0");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--datagram needs --peer or --self");
    }
}
