package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A condition of the program")
class ProgressConditionTest {
    private static final Duration FOR_EVER = Duration.ofDays(50_000);

    private static Context open(Progress progress) {
        return new RnicProvider().rnic().open(progress, Map.of());
    }

    private static void assertRefused(RdmaErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .satisfies(e -> assertThat(((RdmaException) e).code()).isEqualTo(code));
    }

    /** A waiting thread and its result. */
    private static CompletableFuture<Boolean> waiting(ProgressCondition condition, AtomicReference<Thread> who) {
        CompletableFuture<Boolean> outcome = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                outcome.complete(condition.await(FOR_EVER));
            } catch (RdmaException e) {
                outcome.completeExceptionally(e);
            }
        });
        who.set(thread);
        thread.start();
        return outcome;
    }

    private static void awaitAsleep(AtomicReference<Thread> who) {
        await().until(() -> who.get().getState() != Thread.State.NEW
                && (who.get().getState() != Thread.State.RUNNABLE || inSelect(who.get())));
    }

    private static boolean inSelect(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0 && stack[0].isNativeMethod();
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    @DisplayName("is awaited until it is signalled, while other waits continue:")
    void signalled(Progress progress) throws Exception {
        AtomicBoolean first = new AtomicBoolean();
        AtomicBoolean second = new AtomicBoolean();
        try (Context context = open(progress);
                ProgressCondition one = context.newCondition(first::get);
                ProgressCondition other = context.newCondition(second::get)) {
            AtomicReference<Thread> who = new AtomicReference<>();
            CompletableFuture<Boolean> firstWaits = waiting(one, who);
            awaitAsleep(who);
            CompletableFuture<Boolean> secondWaits = waiting(other, who);
            awaitAsleep(who);
            first.set(true);
            one.signal();
            assertThat(firstWaits.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(secondWaits).isNotDone();
            second.set(true);
            other.signal();
            assertThat(secondWaits.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    @DisplayName("returns false after the timeout, and throws INTERRUPTED for an interrupted thread:")
    void notThere(Progress progress) {
        try (Context context = open(progress);
                ProgressCondition never = context.newCondition(() -> false)) {
            assertThat(never.await(Duration.ZERO)).isFalse();
            assertThat(never.await(Duration.ofMillis(5))).isFalse();
            Thread.currentThread().interrupt();
            assertRefused(RdmaErrorCode.INTERRUPTED, () -> never.await(FOR_EVER));
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    @DisplayName("ends with its context:")
    void closed(Progress progress) {
        Context context = open(progress);
        ProgressCondition never = context.newCondition(() -> false);
        AtomicReference<Thread> who = new AtomicReference<>();
        CompletableFuture<Boolean> waits = waiting(never, who);
        awaitAsleep(who);
        context.close();
        assertThatThrownBy(() -> waits.get(Patience.SECONDS, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .satisfies(e -> assertThat(((RdmaException) e).code()).isEqualTo(RdmaErrorCode.CLOSED));
        assertRefused(RdmaErrorCode.CLOSED, () -> context.newCondition(() -> true));
    }
}
