package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.MortalJvm;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A memory segment whose arena is closed while datagrams use it")
class SegmentDatagramsTest {
    private static final int LENGTH = 64 << 10;
    private static final int MESSAGE = 1_000;
    private static final String CAUSE = "IllegalStateException";
    private static final String SURVIVED = "survived";

    @TempDir
    private Path folder;

    /** The use of the memory. */
    private enum Use {
        SENT_FROM,
        /** After a Send from valid memory, in one list. */
        SENT_BEHIND_ANOTHER,
        RECEIVED_INTO,
        WRITTEN_TO,
        READ_FROM
    }

    /** The program of a separate JVM, which may crash. Arguments: kind of world, use. */
    public static final class Program {
        private final DatagramWorld world;
        private final Use use;
        private final DatagramSide other;
        private final DatagramSide bad;

        private Program(DatagramWorld world, Use use) {
            this.world = world;
            this.use = use;
            other = DatagramSide.on(world, 0);
            bad = DatagramSide.on(world, 1);
        }

        /** Prints a line if it survived and all checks passed. */
        public static void main(String[] arguments) {
            try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.valueOf(arguments[0]))) {
                new Program(world, Use.valueOf(arguments[1])).run();
            }
            System.out.println(SURVIVED);
        }

        private void run() {
            AutoCloseable arena = Arenas.arena("ofShared");
            MemoryRegion region = bad.domain.registerSegment(
                    Arenas.allocate(arena, LENGTH),
                    AccessFlag.LOCAL_WRITE,
                    AccessFlag.REMOTE_WRITE,
                    AccessFlag.RECORD,
                    AccessFlag.REMOTE_READ);
            post(region);
            other.success();
            if (use != Use.READ_FROM) {
                bad.success().release();
            }
            if (use == Use.SENT_FROM || use == Use.SENT_BEHIND_ANOTHER) {
                other.receive(5, 0, MESSAGE); // so that no message is lost without a receive
            }
            Arenas.close(arena);
            if (use == Use.SENT_BEHIND_ANOTHER) {
                SendWorkRequest[] list = {
                    new SendWorkRequest().id(21).destination(bad.to(other)).add(bad.memory, 0, MESSAGE),
                    new SendWorkRequest().id(22).destination(bad.to(other)).add(region, 0, MESSAGE)
                };
                bad.queuePair.postSend(list, list.length);
                List<WorkCompletion> both = bad.next(2);
                assertThat(both).extracting(WorkCompletion::id).containsExactlyInAnyOrder(21L, 22L);
                for (WorkCompletion one : both) {
                    assertThat(one.succeeded()).as(one.describe()).isEqualTo(one.id() == 21);
                }
                other.success(); // the message was sent
            } else {
                post(region);
            }
            if (use == Use.SENT_FROM || use == Use.RECEIVED_INTO) {
                WorkCompletion failed = bad.next();
                assertThat(failed.status()).isNotEqualTo(WorkCompletionStatus.SUCCESS);
                assertThat(failed.describe()).contains(CAUSE);
            }
            AsyncEvent event = world.asyncEvent(bad.context, AsyncEventType.QP_FATAL);
            assertThat(event.element()).isSameAs(bad.queuePair);
            assertThat(event.toString()).contains(CAUSE);
            assertThat(bad.queuePair.state()).isEqualTo(QueuePairState.ERR);
            region.close();
        }

        /** Completions occur at {@code other} and, except for a Read, at {@code bad}. */
        private void post(MemoryRegion region) {
            SendWorkRequest request = new SendWorkRequest().destination(other.to(bad));
            switch (use) {
                case SENT_FROM, SENT_BEHIND_ANOTHER -> {
                    other.receive(1, 0, MESSAGE);
                    bad.queuePair.postSend(
                            new SendWorkRequest().destination(bad.to(other)).add(region, 0, MESSAGE));
                }
                case RECEIVED_INTO -> {
                    bad.queuePair.postReceive(new ReceiveWorkRequest().id(1).add(region, 0, MESSAGE));
                    other.queuePair.postSend(request.add(other.memory, 0, MESSAGE));
                }
                case WRITTEN_TO ->
                    other.queuePair.postSend(
                            request.writeRecord(region.address(), region.rkey()).add(other.memory, 0, MESSAGE));
                case READ_FROM ->
                    other.queuePair.postSend(
                            request.rdmaRead(region.address(), region.rkey()).add(other.memory, 0, MESSAGE));
            }
        }
    }

    private void survives(DatagramWorld.Kind kind, Use use) throws Exception {
        Arenas.assumed();
        String printed = MortalJvm.run(
                folder, List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"), Program.class, kind.name(), use.name());
        assertThat(printed).endsWith(SURVIVED + System.lineSeparator());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends the queue pair with the cause, not the JVM: inline")
    void inline(Use use) throws Exception {
        survives(DatagramWorld.Kind.INLINE, use);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends the queue pair with the cause, not the JVM: threaded")
    void threaded(Use use) throws Exception {
        survives(DatagramWorld.Kind.THREADED, use);
    }
}
