package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The receive queue of a queue pair")
class ReceiveQueueTest {
    private static final int LENGTH = 1 << 20;

    private final STagTable table = new STagTable(new SplittableRandom(5), 10);
    private final TaggedBuffer one = region();
    private final TaggedBuffer other = region();

    private TaggedBuffer region() {
        return table.register(1, ByteBuffer.allocate(LENGTH), 0, Access.LOCAL_WRITE);
    }

    private static ReceiveOperation taken(ReceiveQueue queue) {
        return Objects.requireNonNull(queue.take(), "a receive is posted");
    }

    /** A receive whose values are all derived from its id. */
    private boolean post(ReceiveQueue queue, int id, int elements) {
        if (!queue.begin(id)) {
            return false;
        }
        for (int i = 0; i < elements; i++) {
            queue.add((id + i) % 2 == 0 ? one : other, id + i, 100 * id + i);
        }
        queue.publish();
        return true;
    }

    private void check(ReceiveOperation operation, int id, int elements) {
        assertThat(operation.workRequestId()).isEqualTo(id);
        assertThat(operation.memory().size()).isEqualTo(elements);
        for (int i = 0; i < elements; i++) {
            assertThat(operation.memory().buffer(i)).isSameAs((id + i) % 2 == 0 ? one : other);
            assertThat(operation.memory().taggedOffset(i)).isEqualTo(id + i);
            assertThat(operation.memory().length(i)).isEqualTo(100 * id + i);
        }
    }

    @Test
    @DisplayName("returns each receive once, in order, with all its elements, and grows with waiting receives")
    void order() {
        ReceiveQueue queue = new ReceiveQueue(100, 3);
        int posted = 0;
        int done = 0;
        for (int round = 1; round <= 40; round++) {
            for (int i = 0; i < 5; i++) {
                boolean room = post(queue, posted, posted % 4);
                assertThat(room).as("room for %s", posted).isEqualTo(posted - done < 100);
                posted += room ? 1 : 0;
            }
            for (int i = 0; i < 2; i++) {
                ReceiveOperation operation = taken(queue);
                check(operation, done, done % 4);
                operation.memory().clear();
                queue.release(operation);
                done++;
            }
            assertThat(queue.outstanding()).isEqualTo(posted - done);
        }
        assertThat(posted).isGreaterThan(130);
    }

    @Test
    @DisplayName("accepts exactly as many receives as its capacity")
    void capacity() {
        for (int capacity : new int[] {1, 3, 4, 5, 16}) {
            ReceiveQueue queue = new ReceiveQueue(capacity, 1);
            for (int i = 0; i < capacity; i++) {
                assertThat(post(queue, i, 1)).isTrue();
            }
            assertThat(queue.begin(99)).isFalse();
            queue.release(taken(queue));
            assertThat(post(queue, capacity, 1)).isTrue();
            assertThat(queue.begin(99)).isFalse();
        }
    }

    @Test
    @DisplayName("discards an invalid receive with all its elements")
    void halfFilled() {
        ReceiveQueue queue = new ReceiveQueue(4, 3);
        assertThat(queue.begin(7)).isTrue();
        queue.add(one, 1, 1);
        queue.add(one, 2, 2);
        queue.add(one, 3, 3);
        assertThat(queue.take()).isNull();
        post(queue, 8, 1);
        check(taken(queue), 8, 1);
        assertThat(queue.outstanding()).isEqualTo(1);
        assertThat(queue.held()).isZero();
    }

    @Test
    @DisplayName("releases the memory of completed receives, so that the queue keeps no closed region alive")
    void letsGo() {
        ReceiveQueue queue = new ReceiveQueue(100, 3);
        assertThat(queue.held()).isZero();
        for (int i = 0; i < 50; i++) {
            post(queue, i, 3);
        }
        assertThat(queue.held()).isEqualTo(150);
        for (int i = 0; i < 50; i++) {
            queue.release(taken(queue));
        }
        assertThat(queue.held()).isZero();
    }

    @Test
    @DisplayName("returns the same receive until it is complete")
    void oneAtATime() {
        ReceiveQueue queue = new ReceiveQueue(4, 1);
        post(queue, 1, 1);
        post(queue, 2, 1);
        ReceiveOperation operation = taken(queue);
        assertThat(queue.take()).isSameAs(operation);
        check(operation, 1, 1);
        queue.release(operation);
        check(taken(queue), 2, 1);
        queue.release(operation);
        assertThat(queue.take()).isNull();
    }

    @Test
    @DisplayName("publishes receives safely between the posting and the taking thread, even while it grows")
    void twoThreads() throws Exception {
        for (int round = 0; round < 100; round++) {
            ReceiveQueue queue = new ReceiveQueue(1_000, 2);
            int count = 2_000;
            AtomicBoolean over = new AtomicBoolean();
            CompletableFuture<Void> poster = CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < count && !over.get(); ) {
                            i += post(queue, i, 2) ? 1 : 0;
                        }
                    },
                    OwnThread.EACH);
            try {
                for (int i = 0; i < count; ) {
                    ReceiveOperation operation = queue.take();
                    if (operation != null) {
                        check(operation, i, 2);
                        queue.release(operation);
                        i++;
                    } else {
                        assertThat(poster.isCompletedExceptionally()).isFalse();
                    }
                }
            } finally {
                over.set(true);
            }
            poster.get(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(queue.outstanding()).isZero();
            queue.begin(0); // clears copies that were made while the other thread took receives
            assertThat(queue.held()).isZero();
        }
    }
}
