package dev.jwarp.tools.conform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * How jwarp's examination of itself has to end. Some rules are of times: a pause of a busy machine breaks them, or leaves them without a result, but not
 * twice in the same place.
 */
final class OwnExamination {
    private static final Pattern FAILED = Pattern.compile("^(?:FAIL|\\?{4}) +([^:\\s]+):", Pattern.MULTILINE);
    private static final int MOST = 2;

    private OwnExamination() {}

    /**
     * All cases passed; two at most that did not may be tried again, alone.
     *
     * @param run with {@code -v}, which names what is inconclusive
     * @param tests that ran: their number, as an expression
     * @param again arguments to try some cases again, without their names
     */
    static void passes(Run run, String tests, String... again) {
        List<String> failed = FAILED.matcher(run.out())
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();
        if (failed.isEmpty()) {
            allPassed(run, tests);
        } else {
            assertThat(failed).as(run.out()).hasSizeLessThanOrEqualTo(MOST);
            List<String> arguments = new ArrayList<>(List.of(again));
            arguments.addAll(failed);
            allPassed(Run.of(arguments.toArray(String[]::new)), "\\d+");
        }
    }

    private static void allPassed(Run run, String tests) {
        assertThat(run.out().lines().reduce((first, second) -> second).orElse(""))
                .as(run.out())
                .matches("(" + tests + ") tests?, \\1 passed, 0 skipped, 0 failed");
        assertThat(run.status()).isZero();
    }
}
