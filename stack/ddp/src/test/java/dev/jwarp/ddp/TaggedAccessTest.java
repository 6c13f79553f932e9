package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.TerminateCode;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** RFC 5041 §7.1 and §8.2, RFC 5040 §7.2, RFC 7306 §8.2. */
class TaggedAccessTest {
    private static final long DOMAIN = 3;
    private static final long STREAM = 30;
    private static final int LENGTH = 0x1000;
    private static final long BASE = 0x4000;
    private static final int EVERYTHING =
            Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC | Access.MW_BIND;

    private final STagTable table = new STagTable(new SplittableRandom(5), 100);
    private final TaggedAccess access = new TaggedAccess(table, DOMAIN, STREAM);
    private final ByteBuffer memory = ByteBuffer.allocateDirect(LENGTH);
    private final TaggedBuffer region = table.register(DOMAIN, memory, BASE, EVERYTHING);
    private final int stag = region.stag();

    @Test
    void placesExactlyTheOctetsOfASegment() {
        ByteBuffer ulpdu = ByteBuffer.wrap(new byte[] {9, 9, 1, 2, 3, 9});
        assertThat(access.checkWrite(stag, BASE + 5, 3)).isNull();
        assertThat(access.buffer()).isSameAs(region);
        assertThat(access.position()).isEqualTo(5);
        access.place(ulpdu, 2, 3);
        byte[] expected = new byte[LENGTH];
        expected[5] = 1;
        expected[6] = 2;
        expected[7] = 3;
        assertThat(contents(memory)).isEqualTo(expected);
        assertThat(ulpdu.position()).isZero();
    }

    @Tag("DDP-7.1-8")
    @Tag("SEC-6.2.1-1")
    @Test
    void placesUpToTheLastOctetAndNotOneFurther() {
        assertThat(access.checkWrite(stag, BASE + LENGTH - 16, 16)).isNull();
        assertThat(access.checkWrite(stag, BASE + LENGTH - 15, 16)).isEqualTo(TerminateCode.DDP_BASE_BOUNDS);
        assertThat(access.checkWrite(stag, BASE - 1, 16)).isEqualTo(TerminateCode.DDP_BASE_BOUNDS);
        assertThat(access.checkWrite(stag, BASE + LENGTH, 1)).isEqualTo(TerminateCode.DDP_BASE_BOUNDS);
        assertThat(access.checkWrite(stag, 0, 1)).isEqualTo(TerminateCode.DDP_BASE_BOUNDS);
        assertThat(access.buffer()).isNull();
    }

    @Tag("DDP-7.1-6")
    @Test
    void refusesAWriteThroughAnUnknownStag() {
        assertThat(access.checkWrite(stag + 1, BASE, 1)).isEqualTo(TerminateCode.DDP_INVALID_STAG);
    }

    @Tag("DDP-7.1-6")
    @Tag("DDP-8.3-1")
    @Tag("RDMAP-7.2-4")
    @Tag("SEC-6.2.2-1")
    @Test
    void refusesAWriteThroughAnStagThatBecameInvalid() {
        table.invalidate(region);
        assertThat(access.checkWrite(stag, BASE, 1)).isEqualTo(TerminateCode.DDP_INVALID_STAG);
        assertThat(access.checkRemoteRead(stag, BASE, 1)).isEqualTo(TerminateCode.RDMAP_INVALID_STAG);
        assertThat(access.checkAtomic(stag, BASE)).isEqualTo(TerminateCode.RDMAP_INVALID_STAG);
        table.deregister(region);
        assertThat(access.checkWrite(stag, BASE, 1)).isEqualTo(TerminateCode.DDP_INVALID_STAG);
    }

    @Tag("DDP-7.1-7")
    @Tag("DDP-8.2-1")
    @Tag("RDMAP-7.2-5")
    @Tag("SEC-6.1.1-1")
    @Test
    void refusesAnotherDomainsStag() {
        int foreign = table.register(DOMAIN + 1, memory, BASE, EVERYTHING).stag();
        assertThat(access.checkWrite(foreign, BASE, 1)).isEqualTo(TerminateCode.DDP_STAG_NOT_ASSOCIATED);
        assertThat(access.checkSink(foreign, BASE, 1)).isEqualTo(TerminateCode.DDP_STAG_NOT_ASSOCIATED);
        assertThat(access.checkRemoteRead(foreign, BASE, 1)).isEqualTo(TerminateCode.RDMAP_STAG_NOT_ASSOCIATED);
        assertThat(access.checkAtomic(foreign, BASE)).isEqualTo(TerminateCode.RDMAP_STAG_NOT_ASSOCIATED);
    }

    @Tag("DDP-7.1-7")
    @Tag("DDP-8.2-1")
    @Tag("SEC-6.1.1-3")
    @Test
    void refusesAnotherStreamsWindowAndTakesItsOwn() {
        int others = table.registerWindow(region, STREAM + 1, 0, 16, 0, Access.REMOTE_WRITE)
                .stag();
        int own = table.registerWindow(region, STREAM, 0, 16, 0, Access.REMOTE_WRITE)
                .stag();
        int everyones =
                table.registerWindow(region, 0, 0, 16, 0, Access.REMOTE_WRITE).stag();
        assertThat(access.checkWrite(others, 0, 1)).isEqualTo(TerminateCode.DDP_STAG_NOT_ASSOCIATED);
        assertThat(access.checkWrite(own, 0, 1)).isNull();
        assertThat(access.checkWrite(everyones, 0, 1)).isNull();
    }

    @Tag("RDMAP-7.2-8")
    @Tag("SEC-6.3.5-1")
    @Test
    void asksForTheRightThatTheOperationNeeds() {
        int writable = table.register(DOMAIN, memory, BASE, Access.REMOTE_WRITE).stag();
        int readable = table.register(DOMAIN, memory, BASE, Access.REMOTE_READ).stag();
        int local = table.register(DOMAIN, memory, BASE, Access.LOCAL_WRITE).stag();
        assertThat(access.checkWrite(writable, BASE, 1)).isNull();
        assertThat(access.checkWrite(readable, BASE, 1)).isEqualTo(TerminateCode.DDP_INVALID_STAG);
        assertThat(access.checkWrite(local, BASE, 1)).isEqualTo(TerminateCode.DDP_INVALID_STAG);
        assertThat(access.checkSink(local, BASE, 1)).isNull();
        assertThat(access.checkSink(readable, BASE, 1)).isEqualTo(TerminateCode.DDP_INVALID_STAG);
        assertThat(access.checkRemoteRead(readable, BASE, 1)).isNull();
        assertThat(access.checkRemoteRead(writable, BASE, 1)).isEqualTo(TerminateCode.RDMAP_ACCESS_RIGHTS);
        assertThat(access.checkAtomic(writable, BASE)).isEqualTo(TerminateCode.RDMAP_ACCESS_RIGHTS);
        assertThat(access.checkAtomic(stag, BASE)).isNull();
    }

    @Tag("DDP-7.1-9")
    @Tag("RDMAP-7.2-6")
    @Tag("RDMAP-7.2-7")
    @Tag("SEC-6.3.1-1")
    @Test
    void namesTheWrapBeforeTheBounds() {
        assertThat(access.checkWrite(stag, -8, 16)).isEqualTo(TerminateCode.DDP_TO_WRAP);
        assertThat(access.checkWrite(stag, -16, 16))
                .as("the sum is 2^64, that is 0")
                .isEqualTo(TerminateCode.DDP_TO_WRAP);
        assertThat(access.checkWrite(stag, -17, 16)).isEqualTo(TerminateCode.DDP_BASE_BOUNDS);
        assertThat(access.checkRemoteRead(stag, -16, 0xffff_ffffL)).isEqualTo(TerminateCode.RDMAP_TO_WRAP);
        assertThat(access.checkRemoteRead(stag, BASE, 0xffff_ffffL)).isEqualTo(TerminateCode.RDMAP_BASE_BOUNDS);
        assertThat(access.checkAtomic(stag, -8)).isEqualTo(TerminateCode.RDMAP_TO_WRAP);
    }

    @Tag("DDP-5.2-4")
    @Tag("RDMAP-5.2.1-4")
    @Test
    void checksNothingOfALengthOfZero() {
        assertThat(access.checkWrite(0xbad, -1, 0)).isNull();
        assertThat(access.buffer()).isNull();
        access.place(ByteBuffer.allocate(0), 0, 0);
        assertThat(access.checkSink(0xbad, -1, 0)).isNull();
        assertThat(access.checkRemoteRead(0xbad, -1, 0)).isNull();
        assertThat(access.buffer()).isNull();
    }

    @Tag("EXT-5.1.1-3")
    @Tag("EXT-5.1.2-2")
    @Tag("EXT-5.2.1-6")
    @Test
    void wantsAtomicsOnAddressesThatAreMultiplesOfEight() {
        // The region begins at TO 0x4003 here: the address has to be aligned, not the offset.
        ByteBuffer aligned = memory.alignedSlice(8);
        int odd = table.register(DOMAIN, aligned, BASE + 3, EVERYTHING).stag();
        assertThat(access.checkAtomic(odd, BASE + 3)).isNull();
        assertThat(access.checkAtomic(odd, BASE + 11)).isNull();
        assertThat(access.checkAtomic(odd, BASE + 8)).isEqualTo(TerminateCode.RDMAP_CATASTROPHIC_STREAM);
        assertThat(access.buffer()).isNull();
        assertThat(access.checkAtomic(odd, BASE + 3 + LENGTH)).isEqualTo(TerminateCode.RDMAP_BASE_BOUNDS);
        int shifted =
                table.register(DOMAIN, aligned.slice(4, 64), BASE, EVERYTHING).stag();
        assertThat(access.checkAtomic(shifted, BASE)).isEqualTo(TerminateCode.RDMAP_CATASTROPHIC_STREAM);
        assertThat(access.checkAtomic(shifted, BASE + 4)).isNull();
        int onHeap =
                table.register(DOMAIN, ByteBuffer.allocate(16), 0, EVERYTHING).stag();
        assertThat(access.checkAtomic(onHeap, 8)).isNull();
        assertThat(access.checkAtomic(onHeap, 4)).isEqualTo(TerminateCode.RDMAP_CATASTROPHIC_STREAM);
    }

    @Tag("RDMAP-5.3-5")
    @Tag("RDMAP-7.2-3")
    @Tag("SEC-6.4.5-1")
    @Test
    void letsAPeerInvalidateOnlyWhatIsItsAlone() {
        int foreign = table.register(DOMAIN + 1, memory, BASE, EVERYTHING).stag();
        int window = table.registerWindow(region, STREAM, 4, 16, 0, Access.REMOTE_WRITE)
                .stag();
        int others = table.registerWindow(region, STREAM + 1, 0, 16, 0, Access.REMOTE_WRITE)
                .stag();
        assertThat(access.checkInvalidate(0xbad, false)).isEqualTo(TerminateCode.RDMAP_CANNOT_INVALIDATE);
        assertThat(access.checkInvalidate(foreign, false)).isEqualTo(TerminateCode.RDMAP_CANNOT_INVALIDATE);
        assertThat(access.checkInvalidate(others, false)).isEqualTo(TerminateCode.RDMAP_CANNOT_INVALIDATE);
        assertThat(access.checkInvalidate(stag, true)).isEqualTo(TerminateCode.RDMAP_CANNOT_INVALIDATE);
        assertThat(access.buffer()).isNull();
        assertThat(access.checkInvalidate(stag, false)).isNull();
        assertThat(access.buffer()).isSameAs(region);
        assertThat(access.checkInvalidate(window, true))
                .as("a window of this stream")
                .isNull();
        table.invalidate(region);
        assertThat(access.checkInvalidate(stag, false)).isEqualTo(TerminateCode.RDMAP_CANNOT_INVALIDATE);
    }

    @Test
    void placesNothingWithoutACheckThatPassed() {
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThatThrownBy(() -> access.place(one, 0, 1)).isInstanceOf(IllegalStateException.class);
        assertThat(access.checkWrite(stag, BASE, 1)).isNull();
        assertThat(access.checkWrite(stag + 1, BASE, 1)).isNotNull();
        assertThatThrownBy(() -> access.place(one, 0, 1)).isInstanceOf(IllegalStateException.class);
    }

    /** Offsets near all boundaries. */
    @Provide
    Arbitrary<Long> offsets() {
        return Arbitraries.oneOf(
                Arbitraries.longs(),
                Arbitraries.longs().between(-40, 40),
                Arbitraries.longs().between(Long.MAX_VALUE - 40, Long.MAX_VALUE),
                Arbitraries.longs().between(Long.MIN_VALUE, Long.MIN_VALUE + 40));
    }

    @net.jqwik.api.Tag("DDP-7.1-8")
    @net.jqwik.api.Tag("DDP-7.1-9")
    @net.jqwik.api.Tag("SEC-6.2.1-1")
    @Property(tries = 5_000)
    void agreesWithArithmeticWithoutLimits(
            @ForAll("offsets") long base,
            @ForAll("offsets") long distance,
            @ForAll @IntRange(min = 1, max = 48) int length) {
        int size = 32;
        BigInteger whole = BigInteger.ONE.shiftLeft(64);
        BigInteger first = unsigned(base);
        if (first.add(BigInteger.valueOf(size)).compareTo(whole) >= 0) {
            assertThatThrownBy(() -> table.register(DOMAIN, ByteBuffer.allocate(size), base, EVERYTHING))
                    .isInstanceOf(IllegalArgumentException.class);
            return;
        }
        // Canaries on both sides of the region.
        ByteBuffer surroundings = ByteBuffer.allocate(size + 128);
        TaggedBuffer small = table.register(DOMAIN, surroundings.slice(64, size), base, EVERYTHING);
        long to = base + distance;
        BigInteger end = unsigned(to).add(BigInteger.valueOf(length));
        TerminateCode expected = null;
        if (end.compareTo(whole) >= 0) {
            expected = TerminateCode.DDP_TO_WRAP;
        } else if (unsigned(to).compareTo(first) < 0 || end.compareTo(first.add(BigInteger.valueOf(size))) > 0) {
            expected = TerminateCode.DDP_BASE_BOUNDS;
        }
        assertThat(access.checkWrite(small.stag(), to, length)).isEqualTo(expected);
        if (expected == null) {
            byte[] payload = new byte[length];
            Arrays.fill(payload, (byte) 0x77);
            access.place(ByteBuffer.wrap(payload), 0, length);
            byte[] wanted = new byte[size + 128];
            int at = 64 + unsigned(to).subtract(first).intValue();
            Arrays.fill(wanted, at, at + length, (byte) 0x77);
            assertThat(surroundings.array()).isEqualTo(wanted);
        }
        table.deregister(small);
    }

    private static BigInteger unsigned(long number) {
        return new BigInteger(Long.toUnsignedString(number));
    }

    private static byte[] contents(ByteBuffer buffer) {
        byte[] octets = new byte[buffer.capacity()];
        buffer.get(0, octets);
        return octets;
    }
}
