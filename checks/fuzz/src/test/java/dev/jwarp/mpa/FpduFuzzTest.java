package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Arbitrary bytes, read as FPDUs, whole and in pieces. The first byte selects CRCs, their field and Markers, the second
 * how the bytes are divided.
 */
public class FpduFuzzTest {
    private static final int WITH_CRC = 1;
    private static final int WITH_MARKERS = 2;
    /** The test computes right CRCs, which no fuzzer finds. */
    private static final int SEAL = 4;

    /** The peer leaves out the CRC field: no CRCs, no Markers. */
    private static final int WITHOUT_FIELD = 8;

    private static final int CRC_LENGTH = 4;

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length < 2) {
            return;
        }
        int wishes = input[0];
        byte[] stream = Arrays.copyOfRange(input, 2, input.length);
        if ((wishes & SEAL) != 0 && (wishes & WITH_MARKERS) == 0) {
            seal(stream);
        }
        String whole = received(stream, wishes, Math.max(1, stream.length));
        assertThat(received(stream, wishes, 1 + (input[1] & 0xff)))
                .as("in pieces")
                .isEqualTo(whole);
    }

    private static void seal(byte[] stream) {
        ByteBuffer in = ByteBuffer.wrap(stream);
        for (int at = 0; at + 2 <= stream.length; ) {
            int covered = (2 + (in.getShort(at) & 0xffff) + 3) & -4;
            if (at + covered + CRC_LENGTH > stream.length) {
                return;
            }
            CRC32C crc = new CRC32C();
            crc.update(stream, at, covered);
            in.putInt(at + covered, Integer.reverseBytes((int) crc.getValue()));
            at += covered + CRC_LENGTH;
        }
    }

    /** {@return the delivered ULPDUs, and how the reading ended} */
    private static String received(byte[] stream, int wishes, int step) {
        Lender lender = new Lender();
        FpduAssembler assembler = (wishes & WITHOUT_FIELD) != 0
                ? FpduAssembler.withoutCrcField(lender)
                : new FpduAssembler((wishes & WITH_CRC) != 0, (wishes & WITH_MARKERS) != 0, lender);
        StringBuilder all = new StringBuilder();
        for (int at = 0; at < stream.length; at += step) {
            // A copy, because Markers are removed in place.
            ByteBuffer in = ByteBuffer.wrap(Arrays.copyOfRange(stream, at, Math.min(stream.length, at + step)));
            assembler.receive(in, (buffer, offset, length) -> {
                byte[] ulpdu = new byte[length];
                buffer.get(offset, ulpdu);
                all.append(HexFormat.of().formatHex(ulpdu)).append('\n');
                return true;
            });
            assertThat(in.hasRemaining()).isFalse();
        }
        all.append(assembler.error()).append(' ').append(assembler.atBoundary());
        assembler.close();
        assertThat(lender.lent).as("buffers that were not returned").isEmpty();
        return all.toString();
    }

    private static final class Lender implements BufferPool {
        private final Set<ByteBuffer> lent = Collections.newSetFromMap(new IdentityHashMap<>());

        @Override
        public ByteBuffer acquire(int capacity) {
            assertThat(capacity).isBetween(1, Fpdu.MAX_LENGTH_WITH_MARKERS);
            ByteBuffer made = ByteBuffer.allocate(capacity);
            lent.add(made);
            return made;
        }

        @Override
        public void release(ByteBuffer buffer) {
            assertThat(lent.remove(buffer)).isTrue();
        }
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
