package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.util.Arrays;
import java.util.Map;

/**
 * Bytes that the processor copies for each byte of an RDMA Write, by the counters of the stack: into send buffers, and
 * to assemble FPDUs that arrive in pieces. To place a byte in its region is one more copy; those of the kernel do not
 * count.
 */
final class CopyCount implements StudyApplication {
    private static final int WINDOW = 32;

    private final ApplicationParameters parameters;

    /** @param parameters {@code size=BYTES seconds=N} */
    CopyCount(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    @Override
    public Map<String, Double> run() {
        int size = parameters.number("size");
        try (Context context = RdmaProvider.load().devices().get(0).open(Progress.INLINE, Map.of())) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            CompletionQueue completions = context.createCompletionQueue(1_024);
            MemoryRegion memory = domain.allocate(size, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            QueuePair pair = new OwnPeer(domain, QueuePairAttributes.builder(completions)).connect()[0];
            SendWorkRequest write = new SendWorkRequest()
                    .rdmaWrite(memory.address(), memory.rkey())
                    .add(memory, 0, size);
            WorkCompletion[] some = WorkCompletion.array(WINDOW);
            long gathered = -bytes(context, "tcp_gathered");
            long assembled = -bytes(context, "tcp_assembled");
            long all = 0;
            long end = System.nanoTime() + parameters.nanos();
            do {
                for (int i = 0; i < WINDOW; i++) {
                    pair.postSend(write);
                }
                for (int done = 0; done < WINDOW; ) {
                    int more = completions.await(some, ApplicationParameters.PATIENCE);
                    if (more == 0 || !Arrays.stream(some, 0, more).allMatch(WorkCompletion::succeeded)) {
                        throw ToolFailure.failed("a Write has failed: " + some[0]);
                    }
                    done += more;
                }
                all += (long) WINDOW * size;
            } while (System.nanoTime() - end < 0);
            gathered += bytes(context, "tcp_gathered");
            assembled += bytes(context, "tcp_assembled");
            return Map.of(
                    "copied_to_send", 1 - (double) gathered / all, "copied_to_assemble", (double) assembled / all);
        }
    }

    private static long bytes(Context context, String counter) {
        return context.counters().stream()
                .filter(each -> each.name().equals(counter))
                .mapToLong(Counter::value)
                .sum();
    }
}
