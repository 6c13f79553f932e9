package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Basics;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Recorded;
import dev.jwarp.conformance.script.Role;
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
 * Charges a fault once. A failed case names requirements that would explain it; each is tried on the device by its own cases, once a run, and the
 * first that is broken is the cause: then the case has shown nothing of its own requirement, and is inconclusive. Any thread.
 */
final class Attribution {
    /** Runs one case, without attribution; hurried, it waits only as long as a device takes that is well. */
    @FunctionalInterface
    interface Try {
        Result of(TestCase test, boolean hurried);
    }

    /** Cases with a known cause after which the tester hurries: each would wait in vain for the same answers. */
    private static final int ENOUGH_EXPLAINED = 5;

    /** Cases in a row that the device did not serve. */
    private static final int ENOUGH_UNSERVED = 3;

    private final Map<String, List<TestCase>> cases = new HashMap<>();
    private final Map<String, Result> tried = new ConcurrentHashMap<>();
    private final AtomicInteger explained = new AtomicInteger();
    private final AtomicInteger unserved = new AtomicInteger();

    /** By role, a case that has passed with words of the device. */
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

    /** {@return the result of a case with its cause} The case may have been tried before, to find the cause of another. */
    Result of(TestCase test, Try attempt) {
        return settled(test, attempt, new HashSet<>());
    }

    /** @param asking the cases whose cause is being looked for: none is its own cause */
    private Result settled(TestCase test, Try attempt, Set<String> asking) {
        Result before = tried.get(test.id());
        if (before != null) {
            return before;
        }
        // What another case is charged by is not found out in a hurry.
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

    private static boolean good(Result result) {
        return result.verdict() == Verdict.PASS || result.verdict() == Verdict.SKIPPED;
    }

    /** It did not pass, and nothing else is known to be why. */
    private static boolean isOwn(Result result) {
        String charged = result.charge().requirement();
        return !good(result)
                && (charged.isEmpty()
                        || charged.equals(result.test().requirement().id()));
    }

    /**
     * What becomes of a case to which the device has said nothing: where it says nothing any more to a case that has passed, either, the result says
     * nothing of the requirement. Null if it still answers, or nothing has passed yet.
     *
     * @param own the case is tried for itself
     */
    private @Nullable Result unanswered(Result result, Try attempt, boolean own) {
        TestCase witness = answered.get(result.test().device());
        if (good(result) || !heardNothing(result)) {
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
        if (good(now)) {
            unserved.set(0);
            return null;
        }
        // The first case that fails with a device that has begun to say nothing may be what made it so.
        boolean first = unserved.getAndIncrement() == 0;
        return first && own && result.verdict() == Verdict.FAIL && now.verdict() == Verdict.FAIL
                ? result
                : noMore(result, now);
    }

    private static Result noMore(Result result, Result now) {
        String expected = now.verdict() == Verdict.FAIL ? "expected " + now.expected() + ", got " : "";
        return result.inconclusive("the device serves no more: " + expected + now.actual());
    }

    /** The device has not served so many cases, one after the other, that it will serve no others. */
    boolean gone() {
        return unserved.get() >= ENOUGH_UNSERVED;
    }

    /** The device ended the last conversation before it said anything: there may be no device any more. */
    private static boolean heardNothing(Result result) {
        List<Recorded> wires = result.wires();
        return !wires.isEmpty()
                && wires.get(wires.size() - 1).events().stream().noneMatch(e -> e.kind() == Event.Kind.RECEIVED);
    }

    /** Another case, for the first thing that any device can do; null if there is none. */
    private @Nullable TestCase firstWord(TestCase test) {
        return cases.getOrDefault(key(Basics.firstWord(test.device()), test), List.of()).stream()
                .filter(own -> !own.id().equals(test.id()))
                .findFirst()
                .orElse(null);
    }

    /**
     * {@return those that come after nothing else, or all: they say most of their requirement} For suspects that no case names, and that every
     * conversation relies on.
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
                        return null; // what shows in others too
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
