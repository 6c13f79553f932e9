package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Transfers data to or from memory that becomes invalid during use. Only the connection that uses it must end. */
final class FaultyMemory {
    private static final int PIECE = 256 << 10;

    /** Number of successful messages before the memory becomes invalid; enough for JIT compilation. */
    private static final int BEFORE = 40;

    /** Largest number of messages until the fault has to occur. */
    private static final int AFTER = 200;

    /** The use of the memory. */
    enum Use {
        WRITTEN_FROM,
        SENT_FROM,
        WRITTEN_TO,
        RECEIVED_INTO,
        READ_FROM,
        READ_INTO
    }

    /** The registration of the memory. */
    interface Registration {
        MemoryRegion in(ProtectionDomain domain, AccessFlag... access);
    }

    private final Connected bad;
    private final Connected good;
    private final Use use;
    private final Registration memory;
    private final Runnable goAway;
    private final String cause;

    /**
     * Uses {@code memory}, at least 256 KiB, until {@code goAway} has invalidated it; {@code cause} must be reported
     * then.
     */
    FaultyMemory(World world, Use use, ByteBuffer memory, Runnable goAway, String cause) {
        this(world, use, (domain, access) -> domain.register(memory, access), goAway, cause);
    }

    FaultyMemory(World world, Use use, Registration memory, Runnable goAway, String cause) {
        bad = Connected.in(world);
        good = Connected.in(world);
        this.use = use;
        this.memory = memory;
        this.goAway = goAway;
        this.cause = cause;
    }

    private Endpoint user() {
        return switch (use) {
            case WRITTEN_FROM, SENT_FROM, READ_INTO -> bad.active;
            case WRITTEN_TO, RECEIVED_INTO, READ_FROM -> bad.passive;
        };
    }

    /** Throws an AssertionError if a check fails. */
    void run() {
        MemoryRegion region = register();
        for (int i = 0; i < BEFORE; i++) {
            post(region, i);
            bad.active.success();
            if (use == Use.RECEIVED_INTO || use == Use.SENT_FROM) {
                bad.passive.success();
            }
        }
        goAway.run();
        fails(region);
    }

    /** The same with memory that is invalid from the beginning. */
    void runAtOnce() {
        fails(register());
    }

    private MemoryRegion register() {
        return memory.in(user().domain, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
    }

    private void fails(MemoryRegion region) {
        WorkCompletion failed = untilFailure(region);
        if (user() == bad.active || use == Use.RECEIVED_INTO) {
            assertThat(failed.describe()).as("completion").contains(cause);
        }
        CmEvent ended = user().event(CmEventType.DISCONNECTED);
        assertThat(ended.sentence()).as("event of the connection").contains(cause);
        region.close();
        good.passive.receive(1, 0, 100);
        good.active.write(0, "still here").send(2, 0, 10);
        good.active.success();
        good.passive.success();
        assertThat(good.passive.read(0, 10)).isEqualTo("still here");
    }

    private WorkCompletion untilFailure(MemoryRegion region) {
        for (int i = 0; i < AFTER; i++) {
            post(region, BEFORE + i);
            WorkCompletion received = use == Use.RECEIVED_INTO ? bad.passive.next() : null;
            if (received != null) {
                assertThat(received.status()).as("bytes that never arrived").isNotEqualTo(WorkCompletionStatus.SUCCESS);
                return received;
            }
            WorkCompletion sent = bad.active.next();
            if (sent.status() != WorkCompletionStatus.SUCCESS) {
                return sent;
            }
            // A Write is complete when TCP has it.
            assertThat(use).as("invalid memory").isIn(Use.WRITTEN_TO);
        }
        throw new AssertionError("the fault did not occur");
    }

    private void post(MemoryRegion region, int id) {
        Endpoint active = bad.active;
        Endpoint passive = bad.passive;
        SendWorkRequest request = new SendWorkRequest().id(id);
        switch (use) {
            case WRITTEN_FROM ->
                request.rdmaWrite(passive.address(0), passive.memory.rkey()).add(region, 0, PIECE);
            case SENT_FROM -> {
                passive.receive(id, 0, PIECE);
                request.add(region, 0, PIECE);
            }
            case WRITTEN_TO ->
                request.rdmaWrite(region.address(), region.rkey()).add(active.memory, 0, PIECE);
            case RECEIVED_INTO -> {
                passive.queuePair.postReceive(new ReceiveWorkRequest().id(id).add(region, 0, PIECE));
                request.add(active.memory, 0, PIECE);
            }
            case READ_FROM -> request.rdmaRead(region.address(), region.rkey()).add(active.memory, 0, PIECE);
            case READ_INTO ->
                request.rdmaRead(passive.address(0), passive.memory.rkey()).add(region, 0, PIECE);
        }
        Objects.requireNonNull(active.queuePair).postSend(request);
    }
}
