package dev.jwarp.mpa;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Shared parts of tests: bytes of a batch, ULPDUs of an assembler, and a second, simple reference encoder. */
final class Streams {
    private Streams() {}

    /** Collects the delivered ULPDUs of an assembler. */
    static final class Delivered implements UlpduSink {
        final List<byte[]> ulpdus = new ArrayList<>();

        @Override
        public boolean onUlpdu(ByteBuffer buffer, int offset, int length) {
            byte[] ulpdu = new byte[length];
            buffer.get(offset, ulpdu);
            ulpdus.add(ulpdu);
            return true;
        }
    }

    /** A counting pool, with buffers of exactly the requested size. */
    static final class CountingPool implements BufferPool {
        int acquired;
        int lent;
        int largest;

        @Override
        public ByteBuffer acquire(int capacity) {
            acquired++;
            lent++;
            largest = Math.max(largest, capacity);
            return (acquired & 1) == 0 ? ByteBuffer.allocate(capacity) : ByteBuffer.allocateDirect(capacity);
        }

        @Override
        public void release(ByteBuffer buffer) {
            if (buffer.limit() != buffer.capacity()) {
                throw new AssertionError("a buffer came back with another limit");
            }
            lent--;
        }
    }

    /** Writes a batch like a socket that accepts at most {@code most} octets at a time. */
    static byte[] drain(FpduBatch batch, int most) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer[] slices = batch.slices();
        while (batch.remaining() > 0) {
            int left = most;
            int written = 0;
            for (int i = batch.firstSlice(); i < batch.sliceCount() && left > 0; i++) {
                byte[] piece = new byte[Math.min(left, slices[i].remaining())];
                slices[i].get(piece);
                out.writeBytes(piece);
                left -= piece.length;
                written += piece.length;
            }
            batch.written(written);
        }
        return out.toByteArray();
    }

    /** Adds one FPDU: the first {@code headerLength} octets of the ULPDU as header, the rest as payload. */
    static void add(FpduBatch batch, byte[] ulpdu, int headerLength, boolean stable) {
        int payloadLength = ulpdu.length - headerLength;
        int index = batch.begin(headerLength, payloadLength);
        batch.buffer().put(index, ulpdu, 0, headerLength);
        if (payloadLength > 0) {
            // Somewhere inside a larger region.
            ByteBuffer region = ByteBuffer.allocateDirect(payloadLength + 7);
            region.put(5, ulpdu, headerLength, payloadLength);
            batch.payload(region, 5, payloadLength, stable);
        }
        batch.end();
    }

    /** The reference encoder: the sender of RFC 5044 §4.3 and §4.4, octet by octet, without shared code. */
    static byte[] plainly(List<byte[]> ulpdus, boolean crc, boolean markers, long streamOffset) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (byte[] ulpdu : ulpdus) {
            ByteArrayOutputStream fpdu = new ByteArrayOutputStream();
            long position = streamOffset + stream.size();
            if (markers && position % 512 == 0) {
                fpdu.writeBytes(new byte[4]);
            }
            int lengthAt = fpdu.size();
            byte[] words = new byte[(2 + ulpdu.length + 3) / 4 * 4];
            words[0] = (byte) (ulpdu.length / 256);
            words[1] = (byte) (ulpdu.length % 256);
            System.arraycopy(ulpdu, 0, words, 2, ulpdu.length);
            for (int i = 0; i <= words.length; i += 4) {
                int back = fpdu.size() - lengthAt;
                if (markers && (position + fpdu.size()) % 512 == 0 && back > 0) {
                    fpdu.writeBytes(new byte[] {0, 0, (byte) (back / 256), (byte) (back % 256)});
                }
                if (i < words.length) {
                    fpdu.write(words, i, 4);
                }
            }
            long sum = crc ? crc32c(fpdu.toByteArray()) : 0;
            for (int i = 0; i < 4; i++) {
                fpdu.write((int) (sum >> (8 * i)));
            }
            stream.writeBytes(fpdu.toByteArray());
        }
        return stream.toByteArray();
    }

    static long crc32c(byte[] octets) {
        CRC32C sum = new CRC32C();
        sum.update(octets);
        return sum.getValue();
    }
}
