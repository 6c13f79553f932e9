package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The order of checks is the same for all accesses to registered memory: RFC 5041 §7.1, RFC 5040 §7.2, datagram-iWARP
 * §5 and §9.
 */
class AdmissionTest {
    private static final long DOMAIN = 3;
    private static final long STREAM = 30;
    private static final int LENGTH = 0x1000;
    private static final long BASE = 0x4000;
    private static final int EVERYTHING =
            Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC | Access.RECORD;
    private static final int EIGHT = 8;
    private static final long NOW = 1_000;

    private static final STagTable TABLE = new STagTable(new SplittableRandom(5), 1_000);
    private static final TaggedAccess OF_STREAM = new TaggedAccess(TABLE, DOMAIN, STREAM);
    private static final TaggedAccess OF_DOMAIN = new TaggedAccess(TABLE, DOMAIN, 0);

    private static final TaggedAccess.Asker SEVEN = new TaggedAccess.Asker() {
        @Override
        public boolean isOf(PeerBinding peers) {
            return peers.admits(new DatagramAddress(), 7);
        }

        @Override
        public long nowNanos() {
            return NOW;
        }
    };

    /** A kind of access to registered memory, and its result for a range of eight bytes. */
    private enum Way {
        STREAM_WRITE(Access.REMOTE_WRITE) {
            @Override
            @Nullable
            Object outcome(int stag, long to) {
                return OF_STREAM.checkWrite(stag, to, EIGHT);
            }

            @Override
            Object of(AccessFault fault) {
                return fault.ddp();
            }
        },
        STREAM_SINK(Access.LOCAL_WRITE) {
            @Override
            @Nullable
            Object outcome(int stag, long to) {
                return OF_STREAM.checkSink(stag, to, EIGHT);
            }

            @Override
            Object of(AccessFault fault) {
                return fault.ddp();
            }
        },
        STREAM_READ(Access.REMOTE_READ) {
            @Override
            @Nullable
            Object outcome(int stag, long to) {
                return OF_STREAM.checkRemoteRead(stag, to, EIGHT);
            }

            @Override
            Object of(AccessFault fault) {
                return fault.rdmap();
            }
        },
        STREAM_ATOMIC(Access.REMOTE_ATOMIC) {
            @Override
            @Nullable
            Object outcome(int stag, long to) {
                return OF_STREAM.checkAtomic(stag, to);
            }

            @Override
            Object of(AccessFault fault) {
                return fault.rdmap();
            }
        },
        DATAGRAM_WRITE(Access.REMOTE_WRITE) {
            @Override
            @Nullable
            Object outcome(int stag, long to) {
                return OF_DOMAIN.admit(stag, to, EIGHT, Access.REMOTE_WRITE, SEVEN);
            }
        },
        DATAGRAM_READ(Access.REMOTE_READ) {
            @Override
            @Nullable
            Object outcome(int stag, long to) {
                return OF_DOMAIN.admit(stag, to, EIGHT, Access.REMOTE_READ, SEVEN);
            }
        },
        LOCAL(Access.LOCAL_WRITE) {
            @Override
            @Nullable
            Object outcome(int stag, long to) {
                return OF_DOMAIN.judge(TABLE.find(stag), to, EIGHT, Access.LOCAL_WRITE, null);
            }
        };

        private final int right;

        Way(int right) {
            this.right = right;
        }

        abstract @Nullable Object outcome(int stag, long to);

        Object of(AccessFault fault) {
            return fault;
        }
    }

    static Stream<Arguments> pairs() {
        List<Arguments> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            for (AccessFault first : AccessFault.values()) {
                for (AccessFault second : AccessFault.values()) {
                    if (first.compareTo(second) <= 0) {
                        rows.add(Arguments.of(way, first, second));
                    }
                }
            }
        }
        return rows.stream();
    }

    @DisplayName("of two faults, the one that is checked first is reported")
    @ParameterizedTest(name = "{0}: {1} before {2}")
    @MethodSource("pairs")
    void earlierFaultIsTold(Way way, AccessFault first, AccessFault second) {
        List<AccessFault> faults = List.of(first, second);
        TaggedBuffer region = TABLE.register(
                faults.contains(AccessFault.NOT_ASSOCIATED) ? DOMAIN + 1 : DOMAIN,
                ByteBuffer.allocateDirect(LENGTH),
                BASE,
                faults.contains(AccessFault.RIGHTS) ? EVERYTHING & ~way.right : EVERYTHING);
        assertThat(way.outcome(
                        TABLE.register(DOMAIN, region.memoryAt(0), BASE, EVERYTHING)
                                .stag(),
                        BASE))
                .as("without a fault")
                .isNull();
        if (faults.contains(AccessFault.STAG_INVALID)) {
            TABLE.invalidate(region);
        }
        long to =
                faults.contains(AccessFault.WRAP) ? -EIGHT : faults.contains(AccessFault.BOUNDS) ? BASE + LENGTH : BASE;

        assertThat(way.outcome(region.stag(), to)).isEqualTo(way.of(first));
    }

    @Test
    @DisplayName("datagrams check first the expiry, then the peers; a stream and the program check neither")
    void peersAndTimeOfDatagrams() {
        TaggedBuffer region = TABLE.register(DOMAIN, ByteBuffer.allocateDirect(LENGTH), BASE, EVERYTHING);
        region.bindTo((source, queuePairNumber) -> queuePairNumber == 7);
        assertThat(Way.DATAGRAM_WRITE.outcome(region.stag(), BASE)).isNull();
        region.bindTo((source, queuePairNumber) -> queuePairNumber == 8);
        assertThat(Way.DATAGRAM_WRITE.outcome(region.stag(), -1)).isEqualTo(AccessFault.NOT_ASSOCIATED);
        region.expireAt(NOW + 1);
        assertThat(Way.DATAGRAM_READ.outcome(region.stag(), -1)).isEqualTo(AccessFault.NOT_ASSOCIATED);
        region.expireAt(NOW);
        assertThat(Way.DATAGRAM_READ.outcome(region.stag(), -1)).isEqualTo(AccessFault.STAG_INVALID);
        assertThat(Way.STREAM_WRITE.outcome(region.stag(), BASE)).isNull();
        assertThat(Way.LOCAL.outcome(region.stag(), BASE)).isNull();
    }

    @Test
    @DisplayName("a window bound to a stream permits only that stream, not datagrams of its domain")
    void windowOfAStream() {
        TaggedBuffer region =
                TABLE.register(DOMAIN, ByteBuffer.allocateDirect(LENGTH), BASE, EVERYTHING | Access.MW_BIND);
        int window =
                TABLE.registerWindow(region, STREAM, 0, 16, BASE, EVERYTHING).stag();
        assertThat(Way.STREAM_WRITE.outcome(window, BASE)).isNull();
        assertThat(Way.DATAGRAM_WRITE.outcome(window, BASE)).isEqualTo(AccessFault.NOT_ASSOCIATED);
    }

    @Test
    @DisplayName("an empty range is checked here; callers that must not check it do not call")
    void rangeOfNothing() {
        TaggedBuffer region = TABLE.register(DOMAIN, ByteBuffer.allocateDirect(LENGTH), BASE, EVERYTHING);
        assertThat(OF_DOMAIN.admit(region.stag(), BASE + LENGTH, 0, Access.RECORD, SEVEN))
                .isNull();
        assertThat(OF_DOMAIN.position()).isEqualTo(LENGTH);
        assertThat(OF_DOMAIN.admit(region.stag(), BASE + LENGTH + 1, 0, Access.RECORD, SEVEN))
                .isEqualTo(AccessFault.BOUNDS);
        assertThat(OF_DOMAIN.buffer()).isNull();
        assertThat(OF_DOMAIN.admit(STagTable.NO_STAG, 0, 0, 0, SEVEN)).isEqualTo(AccessFault.STAG_INVALID);
    }
}
