package dev.jwarp.rnic.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.OperationStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The free entries of a completion queue")
class FreeCompletionsTest {
    @Test
    @DisplayName("are as many as the queue's capacity, and each is taken once")
    void eachOnce() {
        FreeCompletions free = new FreeCompletions(3, false);
        List<Completion> taken = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            taken.add(free.take());
        }
        assertThat(taken).doesNotContainNull().doesNotHaveDuplicates();
        assertThat(free.take()).isNull();
        taken.forEach(free::give);
        for (int i = 0; i < 3; i++) {
            assertThat(free.take()).isNotNull();
        }
        assertThat(free.take()).isNull();
    }

    @Test
    @DisplayName("are reused last in, first out, which keeps the cache warm")
    void lastFirst() {
        FreeCompletions free = new FreeCompletions(8, false);
        Completion one = free.take();
        Completion two = free.take();
        free.give(one);
        free.give(two);
        assertThat(free.take()).isSameAs(two);
        assertThat(free.take()).isSameAs(one);
    }

    @Test
    @DisplayName("reject the return of an entry that is free already")
    void twice() {
        FreeCompletions free = new FreeCompletions(2, false);
        Completion entry = free.take();
        free.give(entry);
        assertThatThrownBy(() -> free.give(entry))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is free");
        assertThat(free.take()).isSameAs(entry);
        assertThat(free.take()).as("the other one").isNotNull().isNotSameAs(entry);
        assertThat(free.take()).isNull();
    }

    @Test
    @DisplayName("can be published once for each take")
    void publishedTwice() {
        Completion entry = new FreeCompletions(1, false).take();
        entry.published();
        assertThatThrownBy(entry::published)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is published");
    }

    @Test
    @DisplayName("never belong to two threads at a time")
    void threads() throws InterruptedException {
        int capacity = 5;
        FreeCompletions free = new FreeCompletions(capacity, false);
        AtomicIntegerArray owners = new AtomicIntegerArray(capacity);
        AtomicInteger faults = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(new Thread(() -> {
                for (int round = 0; round < 300_000; round++) {
                    Completion one = free.take();
                    Completion two = free.take();
                    for (Completion entry : new Completion[] {one, two}) {
                        if (entry != null && owners.incrementAndGet(entry.number()) != 1) {
                            faults.incrementAndGet();
                        }
                    }
                    for (Completion entry : new Completion[] {one, two}) {
                        if (entry != null) {
                            owners.decrementAndGet(entry.number());
                            free.give(entry);
                        }
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(faults).hasValue(0);
        for (int i = 0; i < capacity; i++) {
            assertThat(free.take()).as("none is lost").isNotNull();
        }
    }

    @Test
    @DisplayName("have for each status of the stack the status of the verbs of the same name")
    void statuses() {
        for (OperationStatus status : OperationStatus.values()) {
            assertThat(Completion.status(status).name()).isEqualTo(status.name());
        }
    }
}
