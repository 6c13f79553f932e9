package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.EachTcpWorld;
import dev.jwarp.rnic.World;
import dev.jwarp.rnic.core.LastSteps;
import dev.jwarp.rnic.memory.MemoryParts;
import dev.jwarp.rnic.memory.RnicMemoryRegion;
import dev.jwarp.rnic.memory.RnicMemoryWindow;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEventType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The last steps of a stream")
class LastStepsTest {
    private final List<String> done = new ArrayList<>();
    private boolean fails = true;

    private void step(String name, boolean mayFail) {
        if (mayFail && fails) {
            throw new OutOfMemoryError("as if, in " + name);
        }
        done.add(name);
    }

    @Test
    @DisplayName("are all tried if some throw; a further call repeats only those that threw")
    void resumed() {
        LastSteps<LastStepsTest> steps = new LastSteps<>(
                this,
                List.of(
                        test -> test.step("a", true),
                        test -> test.step("b", false),
                        test -> test.step("c", true),
                        test -> test.step("d", false)));
        assertThatThrownBy(steps::run).isInstanceOf(OutOfMemoryError.class);
        assertThat(done).containsExactly("b", "d");
        fails = false;
        steps.run();
        steps.run();
        assertThat(done).containsExactly("b", "d", "a", "c");
    }

    @EachTcpWorld
    @DisplayName("are done even if one of them always fails: requests complete once, and the program gets the event")
    void oneFails(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            RnicQueuePair queuePair = (RnicQueuePair) pair.active.queuePair;
            RnicMemoryRegion region =
                    (RnicMemoryRegion) pair.active.domain.allocate(64, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
            RnicMemoryWindow.Binding broken = MemoryParts.ofNoWindow(region, queuePair);
            queuePair.completer().bindingPosted(broken);
            pair.active.receive(1, 0, 8);
            pair.active.receive(2, 8, 8);
            pair.passive.id.disconnect();
            pair.active.event(CmEventType.DISCONNECTED);
            assertThat(pair.active.next().id()).isEqualTo(1);
            assertThat(pair.active.next().id()).isEqualTo(2);
            pair.active.nothing();
            assertThat(queuePair.connection()).isNull();
            queuePair.completer().bindingEnded(broken.buffer().stag());
        }
    }
}
