package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A window has its STag from the start, but is found only while it is bound. */
class WindowBindingTest {
    private final STagTable table = new STagTable(new SplittableRandom(5), 3);
    private final TaggedBuffer region =
            table.register(9, ByteBuffer.allocate(100), 0x4000, Access.LOCAL_WRITE | Access.MW_BIND);

    private TaggedBuffer prepare() {
        return table.prepareWindow(region, 7, 10, 20, 0x9000, Access.REMOTE_WRITE);
    }

    @Test
    void isNotFoundBeforeItIsBoundNorAfterItIsDeregistered() {
        TaggedBuffer window = prepare();
        assertThat(window.stag()).isNotEqualTo(STagTable.NO_STAG);
        assertThat(table.find(window.stag())).isNull();
        assertThat(table.size()).isEqualTo(1);

        assertThat(table.bind(window)).isTrue();
        assertThat(table.find(window.stag())).isSameAs(window);
        assertThat(window.memoryOffset()).isEqualTo(10);
        assertThat(window.streamId()).isEqualTo(7);

        assertThat(table.deregister(window)).isTrue();
        assertThat(table.find(window.stag())).isNull();
    }

    @Test
    void isBoundOnceAndNeverAgain() {
        TaggedBuffer window = prepare();
        assertThat(table.bind(window)).isTrue();
        assertThat(table.bind(window)).isFalse();
        table.deregister(window);
        assertThat(table.bind(window)).isFalse();
        TaggedBuffer given = prepare();
        table.deregister(given); // deregistered before it was bound
        assertThat(table.bind(given)).isFalse();
    }

    @Test
    void isNotBoundWithoutItsRegionNorBeyondTheLimit() {
        TaggedBuffer one = prepare();
        TaggedBuffer two = prepare();
        TaggedBuffer three = prepare();
        assertThat(table.bind(one)).isTrue();
        assertThat(table.bind(two)).isTrue();
        assertThat(table.bind(three)).isFalse();
        table.deregister(one);
        table.deregister(region);
        assertThat(table.bind(three)).isFalse();
        assertThatThrownBy(this::prepare).isInstanceOf(IllegalArgumentException.class);
    }
}
