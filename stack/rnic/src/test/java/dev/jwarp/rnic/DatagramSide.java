package dev.jwarp.rnic;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** A datagram queue pair in a test, with the objects that it needs and short methods for frequent steps. */
public final class DatagramSide extends Side {
    /** Short timeouts, for tests with losses or virtual time. */
    static final DatagramTimeouts SHORT = DatagramTimeouts.DEFAULT
            .withIdle(Duration.ofMillis(50))
            .withRead(Duration.ofMillis(200))
            .withRate(100_000_000);

    /** Timeouts for tests without losses: longer than a thread has to wait on a busy machine. */
    public static final DatagramTimeouts PATIENT = DatagramTimeouts.DEFAULT
            .withIdle(Duration.ofSeconds(60)) // the maximum
            .withMessage(Duration.ofSeconds(60))
            .withRead(Duration.ofSeconds(60));

    private static final int COMPLETIONS = 4096;
    private static final Duration MOMENT = Duration.ofMillis(20);

    final DatagramWorld world;
    public final DatagramQueuePair queuePair;

    private DatagramSide(
            DatagramWorld world,
            int host,
            QueuePairType type,
            CompletionQueue completions,
            UnaryOperator<QueuePairAttributes.Builder> wishes,
            UnaryOperator<DatagramAttributes.Builder> datagrams) {
        super(
                world.context(host),
                world.context(host).allocateProtectionDomain(),
                completions,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.RECORD,
                AccessFlag.REMOTE_READ);
        this.world = world;
        queuePair = domain.createDatagramQueuePair(
                type,
                wishes.apply(QueuePairAttributes.builder(completions)).build(),
                datagrams
                        .apply(DatagramAttributes.builder(world.address(host, 0))
                                .pathMtu(1500) // segments as on common networks
                                .timeouts(type == QueuePairType.UD && world.loses() ? SHORT : PATIENT))
                        .build());
    }

    private static CompletionQueue queue(DatagramWorld world, int host, int entries) {
        return world.context(host).createCompletionQueue(entries);
    }

    /** {@return a queue pair that reports to this queue} */
    static DatagramSide reporting(DatagramWorld world, int host, CompletionQueue completions) {
        return new DatagramSide(
                world, host, QueuePairType.UD, completions, UnaryOperator.identity(), UnaryOperator.identity());
    }

    /** {@return a queue pair on host {@code host}, on a port of its own} */
    public static DatagramSide on(DatagramWorld world, int host) {
        return on(world, host, UnaryOperator.identity(), UnaryOperator.identity());
    }

    public static DatagramSide on(
            DatagramWorld world,
            int host,
            UnaryOperator<QueuePairAttributes.Builder> wishes,
            UnaryOperator<DatagramAttributes.Builder> datagrams) {
        return new DatagramSide(world, host, QueuePairType.UD, queue(world, host, COMPLETIONS), wishes, datagrams);
    }

    /** {@return a queue pair of type RD} */
    public static DatagramSide reliable(DatagramWorld world, int host) {
        return new DatagramSide(
                world,
                host,
                QueuePairType.RD,
                queue(world, host, COMPLETIONS),
                UnaryOperator.identity(),
                UnaryOperator.identity());
    }

    public static DatagramSide reliable(
            DatagramWorld world, int host, UnaryOperator<DatagramAttributes.Builder> datagrams) {
        return new DatagramSide(
                world, host, QueuePairType.RD, queue(world, host, COMPLETIONS), UnaryOperator.identity(), datagrams);
    }

    /** {@return a queue pair with a completion queue of that capacity} */
    static DatagramSide small(DatagramWorld world, int host, int entries) {
        return new DatagramSide(
                world,
                host,
                QueuePairType.UD,
                queue(world, host, entries),
                UnaryOperator.identity(),
                UnaryOperator.identity());
    }

    /** {@return a handle for the other side} */
    public AddressHandle to(DatagramSide other) {
        return queuePair.createAddressHandle(
                other.queuePair.localAddress(), other.queuePair.number(), other.queuePair.key());
    }

    public void receive(long id, int offset, int length) {
        queuePair.postReceive(new ReceiveWorkRequest().id(id).add(memory, offset, length));
    }

    public void send(long id, AddressHandle peer, int offset, int length) {
        queuePair.postSend(new SendWorkRequest().id(id).destination(peer).add(memory, offset, length));
    }

    /** Writes to the same offset of the other side. */
    public void writeRecord(long id, AddressHandle peer, DatagramSide target, int offset, int length) {
        queuePair.postSend(new SendWorkRequest()
                .id(id)
                .destination(peer)
                .writeRecord(target.address(offset), target.memory.rkey())
                .add(memory, offset, length));
    }

    /** {@return a Read of the same offset of the other side} */
    public SendWorkRequest read(long id, AddressHandle peer, DatagramSide target, int offset, int length) {
        return new SendWorkRequest()
                .id(id)
                .destination(peer)
                .rdmaRead(target.address(offset), target.memory.rkey())
                .add(memory, offset, length);
    }

    @Override
    void await(WorkCompletion[] one) {
        // Polls all contexts, because another context may have to make progress, too. With event loops, this thread
        // yields the processor.
        world.until(
                "a completion", () -> (world.threaded() ? completions.await(one, MOMENT) : completions.poll(one)) == 1);
    }

    @Override
    void settle() {
        world.settle();
    }

    @Override
    public DatagramSide write(int offset, String text) {
        super.write(offset, text);
        return this;
    }

    /** Fills memory with bytes that encode their positions. */
    public DatagramSide pattern(int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            memory.buffer().put(i, octet(i));
        }
        return this;
    }

    static byte octet(int place) {
        return (byte) (1 + (place * 31 + place / 251) % 255);
    }

    /** {@return whether all these bytes encode their positions} */
    public boolean hasPattern(long offset, long length) {
        for (long i = offset; i < offset + length; i++) {
            if (memory.buffer().get((int) i) != octet((int) i)) {
                return false;
            }
        }
        return true;
    }

    long counter(String name) {
        return DatagramWorld.counter(context, name);
    }
}
