package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Basics;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Transcript;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Charges each fault once. A failed case names requirements that would explain the failure. The tester tries the cases
 * of each of these requirements on the device, once a run. The first broken requirement is the cause; the failed case
 * then shows nothing of its own requirement and is inconclusive. Thread-safe.
 */
final class Attribution {
    /** Runs one case without attribution. A hurried run waits only as long as a device without faults takes. */
    @FunctionalInterface
    interface Try {
        Result of(TestCase test, boolean hurried);
    }

    /**
     * After so many cases with a known cause the tester hurries: further cases would wait in vain for the same answers.
     */
    private static final int ENOUGH_EXPLAINED = 5;

    /** So many consecutive unserved cases show that the device has gone. */
    private static final int ENOUGH_UNSERVED = 3;

    private final Map<String, List<TestCase>> cases = new HashMap<>();
    private final Map<String, Result> tried = new ConcurrentHashMap<>();
    private final AtomicInteger explained = new AtomicInteger();
    private final AtomicInteger unserved = new AtomicInteger();

    /** For each role a case that has passed and in which the device has sent something. */
    private final Map<Role, TestCase> answered = new ConcurrentHashMap<>();

    /** @param all cases that may be tried to find a cause */
    Attribution(List<TestCase> all) {
        for (TestCase test : all) {
            cases.computeIfAbsent(key(test.requirement().id(), test), k -> new ArrayList<>())
                    .add(test);
        }
    }

    private static String key(String requirement, TestCase test) {
        return requirement + "@" + test.device();
    }

    /** {@return the result of a case, with its cause} The case may have been tried before, as the possible cause of another one. */
    Result of(TestCase test, Try attempt) {
        return settled(test, attempt, new HashSet<>());
    }

    /**
     * @param asking the cases whose cause is being looked for; no case is its own cause
     */
    private Result settled(TestCase test, Try attempt, Set<String> asking) {
        Result before = tried.get(test.id());
        if (before != null) {
            return before;
        }
        // A result that other cases may be charged to must not come from a hurried run.
        boolean hurried = asking.isEmpty() && explained.get() >= ENOUGH_EXPLAINED;
        asking.add(test.id());
        Result result = attempt.of(test, hurried);
        Result silent = unanswered(result, attempt, asking.size() == 1);
        if (silent != null) {
            asking.remove(test.id());
            return kept(silent);
        }
        Result cause = cause(result, attempt, asking);
        if (hurried && cause == null && isOwn(result)) {
            result = attempt.of(test, false);
            cause = cause(result, attempt, asking);
        }
        if (cause != null) {
            result = result.because(cause);
        } else if (result.verdict() == Verdict.FAIL && heardNothing(result)) {
            TestCase word = firstWord(test);
            Result now = word == null ? null : attempt.of(word, false);
            if (now != null && now.verdict() == Verdict.INCONCLUSIVE) {
                result = noMore(result, now);
            }
        }
        asking.remove(test.id());
        if (!result.charge().requirement().isEmpty() && !isOwn(result)) {
            explained.incrementAndGet();
        }
        return kept(result);
    }

    private Result kept(Result result) {
        Result first = tried.putIfAbsent(result.test().id(), result);
        return first == null ? result : first;
    }

    /** Whether a case did not pass and no other cause is known. */
    private static boolean isOwn(Result result) {
        String charged = result.charge().requirement();
        return !result.good()
                && (charged.isEmpty()
                        || charged.equals(result.test().requirement().id()));
    }

    /**
     * The result of a case in which the device has sent nothing. A case that passed before is tried again: if the
     * device no longer answers it, the result says nothing of the requirement. Null if the device still answers, or if
     * no case has passed yet.
     *
     * @param own whether the case is tried for itself, not as the possible cause of another one
     */
    private @Nullable Result unanswered(Result result, Try attempt, boolean own) {
        TestCase witness = answered.get(result.test().device());
        if (result.good() || !heardNothing(result)) {
            unserved.set(0);
            if (result.verdict() == Verdict.PASS && !result.wires().isEmpty() && !heardNothing(result)) {
                answered.putIfAbsent(result.test().device(), result.test());
            }
            return null;
        }
        if (witness == null) {
            return null;
        }
        Result now = attempt.of(witness, false);
        if (now.good()) {
            unserved.set(0);
            return null;
        }
        // The first case that meets a silent device may have silenced it.
        boolean first = unserved.getAndIncrement() == 0;
        return first && own && result.verdict() == Verdict.FAIL && now.verdict() == Verdict.FAIL
                ? result
                : noMore(result, now);
    }

    private static Result noMore(Result result, Result now) {
        String expected = now.verdict() == Verdict.FAIL ? "expected " + now.expected() + ", got " : "";
        return result.inconclusive("the device serves no more: " + expected + now.actual());
    }

    /** Whether so many consecutive cases were not served that the device has gone. */
    boolean gone() {
        return unserved.get() >= ENOUGH_UNSERVED;
    }

    /** Whether the device sent nothing in the last conversation. The device may be gone. */
    private static boolean heardNothing(Result result) {
        List<Transcript> wires = result.wires();
        return !wires.isEmpty()
                && wires.get(wires.size() - 1).events().stream().noneMatch(e -> e.kind() == Event.Kind.RECEIVED);
    }

    /** Another case, about the first thing that any device must do; null if there is none. */
    private @Nullable TestCase firstWord(TestCase test) {
        return cases.getOrDefault(key(Basics.firstWord(test.device()), test), List.of()).stream()
                .filter(own -> !own.id().equals(test.id()))
                .findFirst()
                .orElse(null);
    }

    /**
     * {@return the cases that come after no other requirement, or all cases if there are none} These cases say most of
     * their requirement. Used for suspects that no case names and that every conversation relies on.
     */
    private static List<TestCase> witnesses(List<TestCase> own) {
        List<TestCase> first = own.stream().filter(c -> c.after().isEmpty()).toList();
        return first.isEmpty() ? own : first;
    }

    private @Nullable Result cause(Result result, Try attempt, Set<String> asking) {
        Set<String> suspects = new LinkedHashSet<>(result.charge().suspects());
        String own = result.test().requirement().id();
        List<String> after = result.test().after();
        suspects.removeIf(s -> s.equals(own) || (!after.contains(s) && !Basics.mayExplain(s, own)));
        for (String suspect : suspects) {
            List<TestCase> cases = this.cases.getOrDefault(key(suspect, result.test()), List.of());
            for (TestCase test : after.contains(suspect) ? cases : witnesses(cases)) {
                if (!asking.contains(test.id())) {
                    Result shown = settled(test, attempt, asking);
                    String broken = shown.charge().requirement();
                    if (broken.equals(own)) {
                        return null; // the other case shows the same fault
                    }
                    if (!broken.isEmpty()) {
                        return shown;
                    }
                }
            }
        }
        return null;
    }
}
