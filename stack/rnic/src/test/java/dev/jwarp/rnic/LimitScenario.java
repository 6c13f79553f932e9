package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.ReceiveWorkRequest;
import java.util.Map;

/**
 * A shared receive queue that reaches its limit without memory for the event; runs in classes of {@link
 * FailingClasses}.
 */
public final class LimitScenario {
    private LimitScenario() {}

    /** Makes each allocation of the event fail in turn. Returns their number. */
    public static int run(String progress) {
        int failed = 0;
        try (RnicContext context = (RnicContext) new RnicProvider().rnic().open(Progress.valueOf(progress), Map.of());
                ProtectionDomain domain = context.allocateProtectionDomain();
                MemoryRegion memory = domain.allocate(8, AccessFlag.LOCAL_WRITE)) {
            fails(0, context, domain, memory); // loads the classes
            while (fails(failed + 1, context, domain, memory)) {
                failed++;
            }
        }
        return failed;
    }

    private static boolean fails(int number, RnicContext context, ProtectionDomain domain, MemoryRegion memory) {
        try (RnicSharedReceiveQueue queue = (RnicSharedReceiveQueue) domain.createSharedReceiveQueue(2, 1)) {
            queue.postReceive(new ReceiveWorkRequest().add(memory, 0, 8));
            queue.postReceive(new ReceiveWorkRequest().add(memory, 0, 8));
            queue.armLimit(2);
            AllocationFault.arm(number);
            try {
                assertThat(queue.take()).as("the taken receive is not lost").isNotNull();
            } finally {
                AllocationFault.disarm();
            }
            AsyncEvent event = context.core().asyncEvents().take();
            assertThat(queue.limit())
                    .as("the limit after allocation " + number + " failed, and " + event)
                    .isEqualTo(event == null ? 2 : 0);
            if (event == null) {
                assertThat(queue.take()).isNotNull();
                event = context.core().asyncEvents().take();
                assertThat(queue.limit()).isZero();
            }
            assertThat(event).isNotNull();
            assertThat(event.type()).isEqualTo(AsyncEventType.SRQ_LIMIT_REACHED);
            assertThat(event.element()).isSameAs(queue);
            assertThat(event.count()).isEqualTo(1);
            assertThat(context.core().asyncEvents().take()).isNull();
            return AllocationFault.tripped();
        }
    }
}
