package dev.jwarp.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rnic.DatagramSide;
import dev.jwarp.rnic.DatagramWorld;
import dev.jwarp.rnic.EachDatagramWorld;
import dev.jwarp.rnic.memory.RnicMemoryRegion;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.progress.OwnerAnswer;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

/**
 * A mapped file is truncated, so that its memory faults; in these transports only copies of Java access that memory.
 */
@DisplayName("A datagram queue pair with an exception in a call")
class DatagramFaultsTest {
    private static final int LENGTH = 64 << 10;

    @TempDir
    private Path folder;

    private FileChannel file() throws IOException {
        Path path = folder.resolve("file");
        Files.write(path, new byte[LENGTH]);
        return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static DatagramSide besides(DatagramWorld world, DatagramSide other) {
        return DatagramSide.on(
                world,
                1,
                wishes -> wishes,
                given -> DatagramAttributes.builder(other.queuePair.localAddress())
                        .timeouts(DatagramSide.PATIENT));
    }

    /** Checks that requests completed with the cause, and that both queue pairs of the port work afterwards. */
    private static void failed(DatagramWorld world, DatagramSide sender, DatagramSide bad, DatagramSide good) {
        AsyncEvent event = world.asyncEvent(bad.context, AsyncEventType.QP_FATAL);
        assertThat(event.element()).isSameAs(bad.queuePair);
        assertThat(event.toString()).contains("InternalError");
        assertThat(bad.queuePair.state()).isEqualTo(QueuePairState.ERR);
        good.receive(20, 0, 100);
        sender.send(21, sender.to(good), 0, 100);
        good.success();
        bad.queuePair.modify(QueuePairState.RTS);
    }

    @EachDatagramWorld
    @DisplayName("while it receives a datagram goes to the error state with the cause; the port continues")
    void receiving(DatagramWorld.Kind kind) throws IOException {
        try (FileChannel file = file();
                DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide sender = DatagramSide.on(world, 0);
            DatagramSide bad = DatagramSide.on(world, 1);
            DatagramSide good = besides(world, bad);
            MemoryRegion region =
                    bad.domain.register(file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH), AccessFlag.LOCAL_WRITE);
            file.truncate(0);
            bad.queuePair.postReceive(new ReceiveWorkRequest().id(1).add(region, 0, 1000));
            bad.queuePair.postReceive(new ReceiveWorkRequest().id(2).add(region, 0, 1000));
            sender.send(3, sender.to(bad), 0, 1000);
            sender.success();
            List<WorkCompletion> lost = List.of(bad.next(), bad.next());
            assertThat(lost).extracting(WorkCompletion::id).containsExactlyInAnyOrder(1L, 2L);
            assertThat(lost).allSatisfy(completion -> {
                assertThat(completion.status()).isNotEqualTo(WorkCompletionStatus.SUCCESS);
                assertThat(completion.describe()).contains("InternalError");
            });
            failed(world, sender, bad, good);
            sender.next(); // the completion of the send to the good one
            bad.receive(4, 0, 100);
            sender.send(5, sender.to(bad), 0, 100);
            sender.success();
            bad.success();
        }
    }

    @EachDatagramWorld
    @DisplayName("during a deregistration goes to the error state; the waiting thread gets its answer")
    void deregistering(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide bad = DatagramSide.on(world, 1);
            TaggedBuffer valid = ((RnicMemoryRegion) bad.memory).tagged(); // deregistering a valid registration throws
            OwnerAnswer answer =
                    new OwnerAnswer(((RnicProtectionDomain) bad.domain).core().progression(), () -> false);
            ((RnicDatagramQueuePair) bad.queuePair).endpoint().deregistered(valid, answer);
            world.until("the answer", answer::ready);
            AsyncEvent event = world.asyncEvent(bad.context, AsyncEventType.QP_FATAL);
            assertThat(event.element()).isSameAs(bad.queuePair);
            assertThat(bad.queuePair.state()).isEqualTo(QueuePairState.ERR);
            bad.queuePair.modify(QueuePairState.RTS);
        }
    }

    @EachDatagramWorld
    @DisplayName("while it sends goes to the error state with the cause; the port continues")
    void sending(DatagramWorld.Kind kind) throws IOException {
        try (FileChannel file = file();
                DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide sender = DatagramSide.on(world, 0);
            DatagramSide bad = DatagramSide.on(world, 1);
            DatagramSide good = besides(world, bad);
            MemoryRegion region = bad.domain.register(file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH));
            file.truncate(0);
            bad.queuePair.postSend(
                    new SendWorkRequest().id(1).destination(bad.to(sender)).add(region, 0, 1000));
            WorkCompletion lost = bad.next();
            assertThat(lost.status()).isNotEqualTo(WorkCompletionStatus.SUCCESS);
            assertThat(lost.describe()).contains("InternalError");
            failed(world, sender, bad, good);
            sender.next();
            sender.receive(2, 0, 100);
            bad.send(3, bad.to(sender), 0, 100);
            bad.success();
            sender.success();
        }
    }
}
