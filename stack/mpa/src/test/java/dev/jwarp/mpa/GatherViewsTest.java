package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The views that a batch gathers with")
class GatherViewsTest {
    private final GatherViews views = new GatherViews();

    @Test
    @DisplayName("are distinct within a batch and reused in the next, even if regions alternate")
    void reused() {
        List<ByteBuffer> regions = regions(3);
        Set<ByteBuffer> first = takeBatch(regions, 20);
        assertThat(first).hasSize(60);
        for (int i = 0; i < 100; i++) {
            assertThat(takeBatch(regions, 20)).isEqualTo(first);
        }
    }

    @Test
    @DisplayName("cover the whole source, regardless of earlier limits")
    void whole() {
        ByteBuffer source = ByteBuffer.allocateDirect(100);
        views.nextBatch();
        ByteBuffer view = views.take(source).limit(50).position(20);
        assertThat(view.remaining()).isEqualTo(30);
        views.nextBatch();
        ByteBuffer again = views.take(source);
        assertThat(again).isSameAs(view);
        assertThat(again.position()).isZero();
        assertThat(again.limit()).isEqualTo(100);
    }

    @Test
    @DisplayName("belong to the identical buffer, not to one with equal contents")
    void identity() {
        views.nextBatch();
        ByteBuffer one = ByteBuffer.allocateDirect(8);
        ByteBuffer other = ByteBuffer.allocateDirect(8);
        views.take(one);
        views.nextBatch();
        views.take(other).put(0, (byte) 1);
        assertThat(one.get(0)).isZero();
        assertThat(other.get(0)).isEqualTo((byte) 1);
    }

    @Test
    @DisplayName("are kept for a bounded number of sources; further sources of a batch get their own views")
    void bounded() {
        List<ByteBuffer> regions = regions(3 * GatherViews.MAX_SOURCES);
        for (int i = 0; i < 5; i++) {
            assertThat(takeBatch(regions, 2)).hasSize(6 * GatherViews.MAX_SOURCES);
            assertThat(views.sources()).isEqualTo(GatherViews.MAX_SOURCES);
        }
    }

    @Test
    @DisplayName("of an unused source are dropped after a while, so that its memory can be freed")
    void droppedWhenIdle() {
        List<ByteBuffer> regions = regions(5);
        takeBatch(regions, 1);
        assertThat(views.sources()).isEqualTo(5);
        for (int i = 0; i < GatherViews.IDLE_BATCHES + GatherViews.MAX_SOURCES + 1; i++) {
            takeBatch(regions.subList(0, 1), 1);
        }
        assertThat(views.sources()).isEqualTo(1);
        views.clear();
        assertThat(views.sources()).isZero();
    }

    private Set<ByteBuffer> takeBatch(List<ByteBuffer> regions, int each) {
        views.nextBatch();
        Set<ByteBuffer> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < each; i++) {
            for (ByteBuffer region : regions) {
                taken.add(views.take(region));
            }
        }
        return taken;
    }

    private static List<ByteBuffer> regions(int count) {
        List<ByteBuffer> regions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            regions.add(ByteBuffer.allocateDirect(16));
        }
        return regions;
    }
}
