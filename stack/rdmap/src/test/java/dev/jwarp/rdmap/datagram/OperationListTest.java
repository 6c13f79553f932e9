package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A list of operations")
class OperationListTest {
    private final OperationList list = new OperationList();
    private final List<DatagramOperation> model = new ArrayList<>();

    private void agree() {
        assertThat(list.isEmpty()).isEqualTo(model.isEmpty());
        assertThat(list.first()).isSameAs(model.isEmpty() ? null : model.get(0));
        assertThat(list.hasSeveral()).isEqualTo(model.size() > 1);
        DatagramOperation next = list.first();
        for (DatagramOperation each : model) {
            assertThat(next).isSameAs(each);
            next = list.after(each);
        }
        assertThat(next).isNull();
    }

    @Test
    @DisplayName("is FIFO, and removes any operation; removal of an absent one has no effect")
    void model() {
        Random random = new Random(7);
        List<DatagramOperation> outside = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            outside.add(new DatagramOperation(1, 0));
        }
        for (int step = 0; step < 5_000; step++) {
            int what = random.nextInt(4);
            if (what <= 1 && !outside.isEmpty()) {
                DatagramOperation next = outside.remove(random.nextInt(outside.size()));
                list.append(next);
                model.add(next);
            } else if (what == 2) {
                DatagramOperation polled = list.poll();
                assertThat(polled).isSameAs(model.isEmpty() ? null : model.remove(0));
                if (polled != null) {
                    outside.add(polled);
                }
            } else if (what == 3 && random.nextBoolean() && !outside.isEmpty()) {
                list.remove(outside.get(0));
            } else if (!model.isEmpty()) {
                DatagramOperation taken = model.remove(random.nextInt(model.size()));
                list.remove(taken);
                outside.add(taken);
            }
            agree();
        }
        while (!model.isEmpty()) {
            assertThat(list.poll()).isSameAs(model.remove(0));
            agree();
        }
    }
}
