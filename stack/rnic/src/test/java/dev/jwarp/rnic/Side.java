package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The objects of a queue pair in a test, of a connection or for datagrams: domain, completions, memory, and short
 * methods for them.
 */
public abstract class Side {
    public static final Duration PATIENCE = Patience.LIMIT;
    public static final int MEMORY = 1 << 20;

    public final Context context;
    public final ProtectionDomain domain;
    public final CompletionQueue completions;
    public final MemoryRegion memory;
    private final WorkCompletion[] one = WorkCompletion.array(1);

    Side(Context context, ProtectionDomain domain, CompletionQueue completions, AccessFlag... rights) {
        this.context = context;
        this.domain = domain;
        this.completions = completions;
        memory = domain.allocate(MEMORY, rights);
    }

    /** Waits for a completion; fails if none comes. */
    abstract void await(WorkCompletion[] one);

    /** Lets data in flight arrive. */
    abstract void settle();

    /** {@return the next completion; fails if none comes} */
    public WorkCompletion next() {
        await(one);
        WorkCompletion copy = one[0];
        one[0] = new WorkCompletion();
        return copy;
    }

    /** {@return the next completion, which must be a success} */
    public WorkCompletion success() {
        return next(WorkCompletionStatus.SUCCESS);
    }

    /** {@return the next completion, which must have that status} */
    public WorkCompletion next(WorkCompletionStatus status) {
        WorkCompletion completion = next();
        assertThat(completion.status()).as(completion::describe).isEqualTo(status);
        return completion;
    }

    /** {@return the next {@code count} completions} */
    public List<WorkCompletion> next(int count) {
        List<WorkCompletion> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(next());
        }
        return all;
    }

    /** Checks that no completion arrives for a while. */
    public void nothing() {
        settle();
        assertThat(completions.poll(one)).as("completions, such as " + one[0]).isZero();
    }

    public Side write(int offset, String text) {
        memory.buffer().put(offset, text.getBytes(StandardCharsets.US_ASCII));
        return this;
    }

    public String read(int offset, int length) {
        byte[] bytes = new byte[length];
        memory.buffer().get(offset, bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    /** {@return the address that the peer uses for {@code offset} of the memory} */
    public long address(int offset) {
        return memory.address() + offset;
    }
}
