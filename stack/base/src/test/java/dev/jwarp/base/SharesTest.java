package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A limited resource")
class SharesTest {
    private static final long IDLE = 100;
    private static final long ONE = SourceKey.ofIpv4(0x0a00_0001);
    private static final long OTHER = SourceKey.ofIpv4(0x0a00_0002);

    private final Watch watch = new Watch();

    private static final class Watch implements ShareWatcher {
        @Nullable
        Error noMemory;

        final List<String> said = new ArrayList<>();
        long takenBack;
        long refused;

        @Override
        public void onTakenBack(long units) {
            takenBack += units;
        }

        @Override
        public void onRefused(long units) {
            refused += units;
        }

        @Override
        public void say(String sentence) {
            said.add(sentence);
            if (noMemory != null && sentence.contains("failed")) {
                throw noMemory;
            }
        }
    }

    /** Returns all units when asked, like a connection that is closed. */
    private static final class Peer implements ShareHolder {
        final Share share;
        boolean ended;

        Peer(Shares shares, long source, long now) {
            share = shares.join(source, this, now);
        }

        @Override
        public void takeBack(long nowNanos) {
            ended = true;
            share.leave();
        }
    }

    private Shares shares(long capacity, long guaranteed) {
        return new Shares(ShareLimits.of("memory", "jwarp.memory", capacity, guaranteed, IDLE), 42, watch);
    }

    @Test
    @DisplayName("grants units, and gets them back")
    void lends() {
        Shares shares = shares(100, 1);
        Peer peer = new Peer(shares, ONE, 0);
        assertThat(peer.share.take(100, 0)).isTrue();
        assertThat(shares.used()).isEqualTo(100);
        peer.share.give(40);
        assertThat(shares.used()).isEqualTo(60);
        assertThat(peer.share.held()).isEqualTo(60);
        peer.share.leave();
        peer.share.leave();
        assertThat(shares.used()).isZero();
        assertThat(shares.holders()).isZero();
        assertThat(shares.sources()).isZero();
    }

    @Test
    @DisplayName(
            "lets refused holders ask again after a pause; many of one source take turns, other sources do not wait")
    void askAgain() {
        Shares shares = shares(1, 1);
        long pause = 1000;
        long now = Long.MAX_VALUE - 5000; // the clock may begin anywhere
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            times.add(shares.join(ONE, ignored -> {}, now).askAgain(pause, now) - now);
        }
        assertThat(times.get(0)).isEqualTo(pause);
        assertThat(times.get(299)).isEqualTo(pause + 299 * pause / 2);
        assertThat(shares.join(OTHER, ignored -> {}, now).askAgain(pause, now) - now)
                .isEqualTo(pause);
        for (int i = 0; i < 10_000; i++) {
            shares.join(ONE, ignored -> {}, now).askAgain(pause, now);
        }
        assertThat(shares.join(ONE, ignored -> {}, now).askAgain(pause, now) - now)
                .as("some holders no longer ask when their turn comes")
                .isEqualTo(200 * pause);
        long later = now + 1000 * pause;
        assertThat(shares.join(ONE, ignored -> {}, later).askAgain(pause, later) - later)
                .isEqualTo(pause);
    }

    @Test
    @DisplayName("takes back from the largest idle holder, not from the longest idle one")
    void largestIdle() {
        Shares shares = shares(100, 1);
        Peer small = new Peer(shares, ONE, 0);
        Peer large = new Peer(shares, ONE, 0);
        Peer active = new Peer(shares, ONE, 0);
        small.share.take(10, 0);
        large.share.take(40, 1);
        active.share.take(50, 2);
        active.share.moved(IDLE + 50);
        Peer asker = new Peer(shares, ONE, IDLE + 50);
        assertThat(asker.share.take(20, IDLE + 50)).isTrue();
        assertThat(large.ended).isTrue();
        assertThat(small.ended).isFalse();
        assertThat(active.ended).isFalse();
        assertThat(watch.takenBack).isEqualTo(40);
    }

    @Test
    @DisplayName("takes back from the source that holds most, if no holder is idle")
    void largestSource() {
        Shares shares = shares(100, 1);
        List<Peer> many = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            many.add(new Peer(shares, ONE, i));
            many.get(i).share.take(10, i);
        }
        Peer good = new Peer(shares, OTHER, 10);
        assertThat(good.share.take(20, 10)).isTrue();
        assertThat(many.get(0).ended).isTrue();
        assertThat(many.get(1).ended).isFalse();
        Peer another = new Peer(shares, ONE, 11);
        assertThat(another.share.take(10, 11)).isTrue();
        assertThat(good.ended).isFalse();
    }

    @Test
    @DisplayName("does not take back from smaller active holders of the requester's source")
    void notFromSmaller() {
        Shares shares = shares(100, 4);
        Peer small = new Peer(shares, ONE, 0);
        small.share.take(10, 0);
        Peer hog = new Peer(shares, ONE, 1);
        assertThat(hog.share.take(90, 1)).isTrue();
        assertThat(hog.share.take(10, 2)).isFalse();
        assertThat(small.ended).isFalse();
        assertThat(watch.refused).isEqualTo(10);
        assertThat(small.share.take(10, 3)).isTrue();
        assertThat(hog.ended).isTrue();
    }

    @Test
    @DisplayName("grants guaranteed units regardless of what others hold")
    void guaranteed() {
        Shares shares = shares(100, 10);
        Peer hog = new Peer(shares, ONE, 0);
        hog.share.take(100, 0);
        Peer newcomer = new Peer(shares, ONE, 1);
        assertThat(newcomer.share.take(10, 1)).isTrue();
        assertThat(hog.ended).isTrue();
    }

    @Test
    @DisplayName("leaves every active holder its guaranteed units")
    void keepsGuaranteed() {
        Shares shares = shares(100, 10);
        List<Peer> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(new Peer(shares, ONE, 0));
            assertThat(all.get(i).share.take(10, 0)).isTrue();
        }
        Peer more = new Peer(shares, ONE, 1);
        assertThat(more.share.take(10, 1)).isFalse();
        assertThat(more.share.take(10, IDLE + 1)).isTrue();
        assertThat(all.get(0).ended).isTrue();
    }

    @Test
    @DisplayName("can leave idle holders nothing: finished holders return first, active ones keep guaranteed units")
    void idleKeepsNothing() {
        Shares shares = new Shares(
                ShareLimits.of("channels", "jwarp.channels", 3, 1, IDLE).idleKeepsNothing(true), 42, watch);
        List<Peer> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(new Peer(shares, SourceKey.ofIpv4(1 + i), 0));
            assertThat(all.get(i).share.take(1, 0)).isTrue();
        }
        Peer late = new Peer(shares, ONE, 1);
        assertThat(late.share.take(1, 1)).isFalse();
        all.get(2).share.rest(2);
        assertThat(late.share.take(1, 2)).isTrue();
        assertThat(all.get(2).ended).isTrue();
        assertThat(new Peer(shares, OTHER, 3).share.take(1, 3)).isFalse();
        all.get(0).share.moved(50);
        assertThat(new Peer(shares, OTHER, IDLE).share.take(1, IDLE)).isTrue();
        assertThat(all.get(1).ended).isTrue();
        assertThat(all.get(0).ended).isFalse();
    }

    @Test
    @DisplayName("divides single units among sources: a holder of the larger source is displaced")
    void places() {
        Shares shares = new Shares(
                ShareLimits.of("channels", "jwarp.channels", 100, 1, IDLE).perSource(80), 42, watch);
        List<Peer> hog = new ArrayList<>();
        for (int i = 0; i < 90; i++) {
            Peer peer = new Peer(shares, ONE, i);
            hog.add(peer);
            assertThat(peer.share.take(1, i)).as("place %d", i).isEqualTo(i < 80);
        }
        for (int i = 0; i < 50; i++) {
            assertThat(new Peer(shares, OTHER, 90).share.take(1, 90)).isTrue();
        }
        assertThat(hog.stream().filter(peer -> peer.ended)).hasSize(30);
        assertThat(new Peer(shares, OTHER, 90).share.take(1, 90))
                .as("more than half")
                .isFalse();
    }

    @Test
    @DisplayName("has a limit per source, and takes back from that source at its limit")
    void perSource() {
        Shares shares = new Shares(
                ShareLimits.of("memory", "jwarp.memory", 100, 1, IDLE).perSource(50), 42, watch);
        Peer first = new Peer(shares, ONE, 0);
        Peer stranger = new Peer(shares, OTHER, 0);
        stranger.share.take(10, 0);
        first.share.take(50, 0);
        Peer second = new Peer(shares, ONE, IDLE);
        assertThat(second.share.take(50, IDLE)).isTrue();
        assertThat(first.ended).isTrue();
        assertThat(stranger.ended).isFalse();
        assertThat(second.share.take(1, IDLE)).isFalse();
    }

    @Test
    @DisplayName("asks holders by their turn: FIRST before others, even for their own source; NEVER not at all")
    void turns() {
        Shares shares = shares(6, 1);
        List<Peer> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            all.add(new Peer(shares, ONE, i));
            assertThat(all.get(i).share.take(1, i)).isTrue();
        }
        all.get(0).share.turn(ShareTurn.NEVER);
        assertThat(new Peer(shares, ONE, 6).share.take(1, 6))
                .as("all have their guaranteed units")
                .isFalse();
        all.get(4).share.turn(ShareTurn.FIRST);
        all.get(3).share.turn(ShareTurn.FIRST);
        assertThat(new Peer(shares, ONE, 7).share.take(1, 7)).isTrue();
        assertThat(all.get(4).ended).as("the oldest of those with turn FIRST").isTrue();
        assertThat(new Peer(shares, OTHER, 8).share.take(1, 8)).isTrue();
        assertThat(all.get(3).ended).isTrue();
        assertThat(new Peer(shares, OTHER, 9).share.take(1, 9)).isTrue();
        assertThat(all.get(1).ended)
                .as("the oldest of the largest source, except the one with turn NEVER")
                .isTrue();
        assertThat(all.get(0).ended).isFalse();
        assertThat(shares.used()).isEqualTo(6);
        all.get(0).share.turn(ShareTurn.BY_SIZE);
        all.get(0).share.turn(ShareTurn.NEVER);
        all.get(0).share.leave();
        assertThat(shares.used()).isEqualTo(5);
    }

    @Test
    @DisplayName("takes back from the next source if no holder of the largest may be displaced")
    void largestStays() {
        Shares shares = shares(6, 1);
        List<Peer> others = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Peer peer = new Peer(shares, i < 4 ? ONE : OTHER, i);
            assertThat(peer.share.take(1, i)).isTrue();
            if (i < 4) {
                peer.share.turn(ShareTurn.NEVER);
            } else {
                others.add(peer);
            }
        }
        assertThat(new Peer(shares, SourceKey.ofIpv4(0x0a00_0003), 6).share.take(1, 6))
                .isTrue();
        assertThat(others).extracting(peer -> peer.ended).containsExactly(true, false);
    }

    @Test
    @DisplayName("takes nothing back for a request of free units only")
    void free() {
        Shares shares = new Shares(
                ShareLimits.of("memory", "jwarp.memory", 100, 1, IDLE).perSource(80), 42, watch);
        Peer one = new Peer(shares, ONE, 0);
        assertThat(one.share.takeFree(81, 0)).isFalse();
        assertThat(one.share.takeFree(80, 0)).isTrue();
        Peer other = new Peer(shares, OTHER, 0);
        assertThat(other.share.takeFree(21, IDLE)).isFalse();
        assertThat(other.share.takeFree(20, IDLE)).isTrue();
        assertThat(one.ended).isFalse();
        assertThat(watch.refused).isEqualTo(102);
    }

    @Test
    @DisplayName("takes nothing back for a request above the limit")
    void tooMuch() {
        Shares shares = new Shares(
                ShareLimits.of("memory", "jwarp.memory", 100, 1, IDLE).perSource(50), 42, watch);
        Peer other = new Peer(shares, ONE, 0);
        other.share.take(30, 0);
        Peer greedy = new Peer(shares, ONE, IDLE);
        assertThat(greedy.share.take(51, IDLE)).isFalse();
        assertThat(other.ended).isFalse();
        assertThat(greedy.share.take(50, IDLE)).isTrue();
        assertThat(other.ended).isTrue();
    }

    @Test
    @DisplayName("refuses a request if the asked holder returns nothing, instead of asking for ever")
    void stubborn() {
        Shares shares = shares(100, 1);
        Share stubborn = shares.join(ONE, now -> {}, 0);
        stubborn.take(100, 0);
        assertThat(shares.join(ONE, now -> {}, 0).take(1, IDLE)).isFalse();
    }

    @Test
    @DisplayName("takes back from another holder if the first declines; several that decline block a request only once")
    void declines() {
        Shares shares = shares(100, 1);
        for (int i = 0; i < 6; i++) {
            shares.join(ONE, now -> {}, 0).take(15, 0);
        }
        Peer gives = new Peer(shares, ONE, 0);
        gives.share.take(10, 0);
        Share asker = shares.join(OTHER, now -> {}, 0);
        assertThat(asker.take(1, IDLE)).as("four were asked").isFalse();
        assertThat(gives.ended).isFalse();
        assertThat(asker.take(1, IDLE)).as("the others were asked").isTrue();
        assertThat(gives.ended).isTrue();
        assertThat(shares.used()).isEqualTo(91);
    }

    @Test
    @DisplayName("takes back from another holder if one fails, unnoticed by the requester")
    void failingHolder() {
        Shares shares = shares(100, 1);
        shares.join(
                        ONE,
                        now -> {
                            throw new OutOfMemoryError("no memory to give back");
                        },
                        0)
                .take(60, 0);
        Peer gives = new Peer(shares, ONE, 1);
        gives.share.take(40, 1);
        assertThat(shares.join(OTHER, now -> {}, 2).take(1, 2)).isTrue();
        assertThat(gives.ended).isTrue();
        assertThat(watch.said.get(0))
                .contains("giving memory back failed for 10.0.0.1")
                .contains("no memory to give");
    }

    @Test
    @DisplayName("takes back from another holder even if the report of the failure throws the same error")
    void failingHolderAndNoMemoryToSaySo() {
        OutOfMemoryError noMemory = new OutOfMemoryError("no memory");
        watch.noMemory = noMemory;
        Shares shares = shares(100, 1);
        shares.join(
                        ONE,
                        now -> {
                            throw noMemory;
                        },
                        0)
                .take(60, 0);
        Peer gives = new Peer(shares, ONE, 1);
        gives.share.take(40, 1);
        assertThat(shares.join(OTHER, now -> {}, 2).take(1, 2)).isTrue();
        assertThat(gives.ended).isTrue();
    }

    @Test
    @DisplayName("logs at most one sentence a minute")
    void says() {
        Shares shares = new Shares(
                ShareLimits.of("memory", "jwarp.memory", 100, 1, IDLE).perSource(90), 42, watch);
        Share hog = new Peer(shares, ONE, 0).share;
        hog.take(90, 0);
        long now = TimeUnit.SECONDS.toNanos(2);
        Peer asker = new Peer(shares, OTHER, now);
        assertThat(asker.share.take(60, now)).isTrue();
        assertThat(watch.said)
                .containsExactly("memory (jwarp.memory, 100) is used up: 90 were taken back from 10.0.0.1,"
                        + " which had not moved for 2000 ms, for 10.0.0.2");
        assertThat(asker.share.take(60, now)).isFalse();
        assertThat(asker.share.take(60, now)).isFalse();
        assertThat(watch.said).hasSize(1);
        assertThat(asker.share.take(60, now + TimeUnit.MINUTES.toNanos(1))).isFalse();
        assertThat(watch.said.get(1))
                .isEqualTo("memory (jwarp.memory, 100) is used up: 10.0.0.2 does not get 60,"
                        + " as it has reached its own limit; 2 times more since this was last said");
    }

    @Test
    @DisplayName("rejects returns and requests that cannot be right")
    void misuse() {
        Shares shares = shares(100, 1);
        Share share = shares.join(ONE, now -> {}, 0);
        assertThatThrownBy(() -> share.give(1)).isInstanceOf(IllegalArgumentException.class);
        share.leave();
        assertThatThrownBy(() -> share.take(1, 0)).hasMessageContaining("left");
    }

    @Test
    @DisplayName("knows a source by its IPv4 address, or the first half of its IPv6 address")
    void keys() {
        byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 0, 0, 1};
        assertThat(SourceKey.of(mapped)).isEqualTo(ONE).isEqualTo(SourceKey.of(new byte[] {10, 0, 0, 1}));
        assertThat(SourceKey.text(ONE)).isEqualTo("10.0.0.1");
        byte[] six = {0x20, 1, 0xd, (byte) 0xb8, 0, 1, 0, 2, 9, 9, 9, 9, 9, 9, 9, 9};
        assertThat(SourceKey.of(six)).isEqualTo(SourceKey.ofIpv6(0x2001_0db8_0001_0002L));
        assertThat(SourceKey.text(SourceKey.of(six))).isEqualTo("2001:db8:1:2::/64");
        assertThat(SourceKey.text(SourceKey.STRANGERS)).isEqualTo("strangers");
        assertThatThrownBy(() -> SourceKey.of(new byte[5])).isInstanceOf(IllegalArgumentException.class);
    }
}
