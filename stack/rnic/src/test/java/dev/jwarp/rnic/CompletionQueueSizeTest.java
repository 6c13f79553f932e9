package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.jwarp.rnic.connection.Connections;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@DisplayName("A completion queue that is smaller than the queues that report to it")
class CompletionQueueSizeTest {
    /** Log messages about completion queues. */
    private static final class Told extends AppenderBase<ILoggingEvent> {
        final List<String> warnings = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel() == Level.WARN) {
                warnings.add(event.getFormattedMessage());
            }
        }
    }

    private final Logger logger = (Logger) LoggerFactory.getLogger(Connections.class);
    private final Told told = new Told();
    private final World world = World.of(World.Kind.SIMULATED);
    private final Context context = world.listening();
    private final ProtectionDomain domain = context.allocateProtectionDomain();

    @BeforeEach
    void listen() {
        told.setContext(logger.getLoggerContext());
        told.start();
        logger.addAppender(told);
    }

    @AfterEach
    void close() {
        logger.detachAppender(told);
        world.close();
    }

    @Test
    @DisplayName("is reported once per context, with numbers, and not rejected")
    void once() {
        CompletionQueue small = context.createCompletionQueue(16);
        domain.createQueuePair(QueuePairAttributes.builder(small).build());
        assertThat(told.warnings)
                .singleElement()
                .asString()
                .contains(small + " has 16 entries, but 256 work requests")
                .contains("Create it with 256 entries");
        domain.createQueuePair(QueuePairAttributes.builder(small).build());
        assertThat(told.warnings).hasSize(1);
    }

    @Test
    @DisplayName("is reported with the first queue pair that exceeds it, even if others were closed meanwhile")
    void together() {
        CompletionQueue both = context.createCompletionQueue(512);
        QueuePair first =
                domain.createQueuePair(QueuePairAttributes.builder(both).build());
        QueuePair second =
                domain.createQueuePair(QueuePairAttributes.builder(both).build());
        first.close();
        second.close();
        domain.createQueuePair(QueuePairAttributes.builder(both).build());
        domain.createQueuePair(QueuePairAttributes.builder(both).build());
        assertThat(told.warnings).isEmpty();
        domain.createQueuePair(QueuePairAttributes.builder(both).build());
        assertThat(told.warnings).singleElement().asString().contains("has 512 entries, but 768 work requests");
    }

    @Test
    @DisplayName("is checked separately for sends and receives, and a shared receive queue counts once")
    void apart() {
        CompletionQueue sends = context.createCompletionQueue(128);
        CompletionQueue receives = context.createCompletionQueue(64);
        for (int i = 0; i < 2; i++) { // the second has no sends to report
            domain.createQueuePair(
                    QueuePairAttributes.builder(i == 0 ? sends : context.createCompletionQueue(128), receives)
                            .sharedReceiveQueue(domain.createSharedReceiveQueue(64, 1))
                            .build());
        }
        assertThat(told.warnings).isEmpty();
        domain.createQueuePair(QueuePairAttributes.builder(context.createCompletionQueue(128), receives)
                .sharedReceiveQueue(domain.createSharedReceiveQueue(65, 1))
                .build());
        assertThat(told.warnings).singleElement().asString().contains("has 64 entries, but 65 work requests");
    }

    @Test
    @DisplayName("Polling into an array without objects loses no completion")
    void emptyArray() {
        Connected pair = Connected.in(world);
        pair.passive.receive(1, 0, 8);
        pair.passive.receive(2, 0, 8);
        pair.active.send(1, 0, 8);
        pair.active.send(2, 0, 8);
        pair.active.success();
        pair.active.success();
        world.settle();
        assertThatThrownBy(() -> pair.passive.completions.poll(new WorkCompletion[4]))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_ARGUMENT));
        WorkCompletion[] half = new WorkCompletion[2];
        half[0] = new WorkCompletion();
        assertThat(pair.passive.completions.poll(half)).isEqualTo(1);
        assertThat(half[0].id()).isEqualTo(1);
        assertThat(pair.passive.success().id()).isEqualTo(2);
    }
}
