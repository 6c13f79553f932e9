package dev.jwarp.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A few threads in a forced order; {@code OwnershipStress} tests simultaneous calls. */
@DisplayName("The owner of an inline transport")
class OwnershipTest {
    /** Written by owners alone: a plain list. */
    private final List<String> done = new ArrayList<>();

    private final AtomicBoolean notesWait = new AtomicBoolean();
    private final AtomicBoolean woken = new AtomicBoolean();
    private final AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();

    private final Ownership ownership = new Ownership(new Ownership.Owned() {
        @Override
        public boolean notesWaitForPoll() {
            return notesWait.get();
        }

        @Override
        public void onNote() {
            woken.set(true);
        }

        @Override
        public void afterNotes() {
            done.add("after notes");
        }

        @Override
        public void noteFailed(Throwable cause) {
            done.add("failed: " + cause.getMessage());
        }
    });

    private Runnable does(String what) {
        return () -> done.add(what);
    }

    private void poll(Runnable work) {
        assertThat(ownership.enter()).isTrue();
        try {
            ownership.runNotes();
            work.run();
        } finally {
            ownership.leave();
        }
    }

    /** Starts a thread for the work, and keeps its exception. */
    private Thread begin(Runnable work) {
        Thread thread = new Thread(work);
        thread.setUncaughtExceptionHandler((from, e) -> thrown.set(e));
        thread.start();
        return thread;
    }

    private static void awaitParked(Thread thread) {
        while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    private static boolean enters(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("enter"));
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("is the thread that polls, from the beginning of the call to its end")
    void poller() {
        assertThat(ownership.isMine()).isFalse();
        poll(() -> assertThat(ownership.isMine()).isTrue());
        assertThat(ownership.isMine()).isFalse();
    }

    @Test
    @DisplayName("may poll from within a callback, without an effect")
    void pollFromWithin() {
        poll(() -> {
            assertThat(ownership.enter()).isFalse();
            assertThat(ownership.isMine()).isTrue();
        });
    }

    @Test
    @DisplayName("is one thread: a second thread that polls gets an exception")
    void onePoller() {
        poll(() -> join(begin(ownership::enter)));
        assertThat(thrown.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("only one");
    }

    @Test
    @DisplayName("may be a thread that runs a note: a thread that polls then waits, without an exception")
    void pollerWaits() {
        poll(() -> {}); // an earlier poll has no effect
        AtomicReference<@Nullable Thread> poller = new AtomicReference<>();
        ownership.execute(() -> {
            Thread polling = begin(() -> poll(does("poll")));
            poller.set(polling);
            for (int looks = 0; looks < 100 && polling.isAlive(); ) {
                looks += enters(polling) ? 1 : 0;
            }
            done.add("note");
        });
        join(poller.get());
        assertThat(thrown).hasNullValue();
        assertThat(done).containsSubsequence("note", "poll");
    }

    @Test
    @DisplayName("is released by an exception of a step: the next call can poll")
    void afterException() {
        assertThatThrownBy(() -> poll(() -> {
                    throw new IllegalStateException("as if");
                }))
                .hasMessage("as if");
        poll(does("next"));
        assertThat(done).containsExactly("next");
    }

    @Test
    @DisplayName("runs notes of others in order, and is woken for each in case it waits")
    void notesInOrder() {
        poll(() -> {
            join(begin(() -> {
                ownership.execute(does("first"));
                assertThat(woken.getAndSet(false)).isTrue();
                ownership.execute(does("second"));
                assertThat(woken).isTrue();
            }));
            assertThat(done).isEmpty();
            assertThat(ownership.hasNotes()).isTrue();
            assertThat(ownership.runNotes()).isTrue();
            assertThat(ownership.runNotes()).isFalse();
        });
        assertThat(thrown).hasNullValue();
        assertThat(done).containsExactly("first", "second");
    }

    @Test
    @DisplayName("runs notes at the end of its call at the latest")
    void notesBeforeItLeaves() {
        poll(() -> join(begin(() -> ownership.execute(does("note")))));
        assertThat(done).containsExactly("note", "after notes");
    }

    @Test
    @DisplayName("is the author of a note if there is no other owner, until the note has run")
    void noteWithoutOwner() {
        ownership.execute(() -> {
            assertThat(ownership.isMine()).isTrue();
            done.add("note");
        });
        assertThat(done).containsExactly("note", "after notes");
        assertThat(ownership.isMine()).isFalse();
    }

    @Test
    @DisplayName("runs a note left during another note after it; the author does not wait")
    void noteBehindNote() {
        AtomicReference<@Nullable Thread> ranBy = new AtomicReference<>();
        ownership.execute(() -> {
            join(begin(() -> ownership.execute(() -> ranBy.set(Thread.currentThread()))));
            assertThat(ranBy).hasNullValue();
        });
        assertThat(ranBy).hasValue(Thread.currentThread());
    }

    @Test
    @DisplayName("runs its own notes at once if that is permitted, and otherwise after its current work")
    void ownNotes() {
        poll(() -> {
            ownership.note(does("later"));
            ownership.execute(does("at once"));
        });
        assertThat(done).containsExactly("at once", "later", "after notes");
    }

    @Test
    @DisplayName("runs the other notes although one throws any exception")
    void noteThrows() {
        poll(() -> {
            ownership.note(() -> {
                throw new StackOverflowError("as if");
            });
            ownership.note(does("next"));
        });
        assertThat(done).containsExactly("failed: as if", "next", "after notes");
    }

    @Test
    @DisplayName(
            "runs notes that wait for a poll in the next one, not at the end of this one; their author does not run them")
    void notesThatWait() {
        notesWait.set(true);
        ownership.execute(does("before"));
        assertThat(done).isEmpty();
        poll(() -> ownership.note(does("within")));
        assertThat(done).containsExactly("before");
        poll(() -> {});
        assertThat(done).containsExactly("before", "within");
    }

    @Test
    @DisplayName("does not run a note that waits for a poll while another thread waits for its own note")
    void notesThatWaitOn() {
        notesWait.set(true);
        ownership.note(does("note"));
        ownership.executeAndWait(does("awaited"));
        assertThat(done).containsExactly("awaited", "after notes");
        assertThat(ownership.hasNotes()).isTrue();
    }

    @Test
    @DisplayName(
            "is the author of a task that does not wait for a poll, unless an earlier note waits: the order is kept")
    void orderOfTasks() {
        notesWait.set(true);
        ownership.executeOrNote(does("first"));
        assertThat(done).containsExactly("first", "after notes");
        poll(() -> join(begin(() -> ownership.executeOrNote(does("second")))));
        ownership.executeOrNote(does("third"));
        assertThat(done).containsExactly("first", "after notes");
        poll(() -> {});
        assertThat(done).containsExactly("first", "after notes", "second", "third");
    }

    @Test
    @DisplayName("runs all notes when no poll will follow")
    void noMorePolls() {
        notesWait.set(true);
        ownership.note(does("before"));
        ownership.executeAndWait(() -> {
            notesWait.set(false);
            ownership.note(does("during"));
        });
        ownership.note(does("after"));
        assertThat(done).containsExactly("after notes", "before", "during", "after notes", "after", "after notes");
    }

    @Test
    @DisplayName("is not awaited if there is none, nor by itself")
    void awaitedAtOnce() {
        for (boolean wait : new boolean[] {true, false}) {
            notesWait.set(wait);
            done.clear();
            ownership.executeAndWait(() -> ownership.executeAndWait(does("note")));
            assertThat(done).containsExactly("note", "after notes");
            poll(() -> {
                ownership.executeAndWait(does("of the owner"));
                assertThat(done).endsWith("of the owner");
            });
        }
    }

    @Test
    @DisplayName("is awaited until it next runs notes, and is woken for that")
    void awaitedWhilePolling() {
        for (boolean wait : new boolean[] {true, false}) {
            notesWait.set(wait);
            woken.set(false);
            AtomicReference<@Nullable Thread> author = new AtomicReference<>();
            AtomicReference<@Nullable Thread> ranBy = new AtomicReference<>();
            poll(() -> {
                author.set(begin(() -> ownership.executeAndWait(() -> ranBy.set(Thread.currentThread()))));
                awaitParked(author.get());
                assertThat(woken).isTrue();
                assertThat(ranBy).hasNullValue();
                ownership.runNotes();
                assertThat(ranBy).hasValue(Thread.currentThread());
            });
            join(author.get());
        }
    }

    @Test
    @DisplayName("is awaited until it has left, if it runs no notes: then the author is the owner")
    void awaitedAfterPolling() {
        notesWait.set(true);
        AtomicReference<@Nullable Thread> author = new AtomicReference<>();
        poll(() -> {
            author.set(begin(() -> ownership.executeAndWait(does("note"))));
            awaitParked(author.get());
            assertThat(done).isEmpty();
        });
        join(author.get());
        assertThat(done).containsExactly("note", "after notes");
    }

    @Test
    @DisplayName("is one of two threads after the other if both wait for their notes")
    void twoAwaited() {
        notesWait.set(true);
        AtomicReference<@Nullable Thread> second = new AtomicReference<>();
        ownership.executeAndWait(() -> {
            second.set(begin(() -> ownership.executeAndWait(does("second"))));
            awaitParked(second.get());
            done.add("first");
        });
        join(second.get());
        assertThat(done).containsExactly("first", "after notes", "second", "after notes");
    }

    @Test
    @DisplayName("passes the exception of a note to the thread that awaits it, and continues to poll")
    void awaitedThrows() {
        for (Throwable failure :
                new Throwable[] {new StackOverflowError("as if"), new IllegalStateException("as if")}) {
            Runnable failing = () -> {
                if (failure instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) failure;
            };
            assertThatThrownBy(() -> ownership.executeAndWait(failing)).isSameAs(failure);
            thrown.set(null);
            AtomicReference<@Nullable Thread> author = new AtomicReference<>();
            poll(() -> {
                author.set(begin(() -> ownership.executeAndWait(failing)));
                awaitParked(author.get());
                ownership.runNotes();
            });
            join(author.get());
            assertThat(thrown).hasValue(failure);
        }
        assertThat(done).doesNotContain("failed: as if");
    }

    @Test
    @DisplayName("is awaited by an interrupted thread too, which stays interrupted")
    void awaitedInterrupted() {
        AtomicBoolean stillInterrupted = new AtomicBoolean();
        AtomicReference<@Nullable Thread> author = new AtomicReference<>();
        poll(() -> {
            author.set(begin(() -> {
                Thread.currentThread().interrupt();
                ownership.executeAndWait(does("note"));
                stillInterrupted.set(Thread.currentThread().isInterrupted());
            }));
            while (!ownership.hasNotes()) {
                Thread.onSpinWait();
            }
            ownership.runNotes();
        });
        join(author.get());
        assertThat(done).containsExactly("note");
        assertThat(stillInterrupted).isTrue();
    }
}
