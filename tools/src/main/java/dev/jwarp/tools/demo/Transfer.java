package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Quantities;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of moving the file by one operation: hashes of source and target, and the time. One thread. */
class Transfer {
    private final Operation operation;
    private final DemoSettings settings;
    private final MessageDigest moved = sha256Digest();
    private final MessageDigest arrived = sha256Digest();
    private ByteBuffer expected = ByteBuffer.allocate(0);
    private byte @Nullable [] movedHash;
    private byte @Nullable [] arrivedHash;
    private @Nullable Difference first;
    private long messages;
    private long bytes;
    private long nanos;

    /** The operations by which the demo moves its file. */
    enum Operation {
        /** The end that has the file writes into the memory of the other. */
        RDMA_WRITE("RDMA Write"),
        /** The end that wants the file reads from the memory of the other. */
        RDMA_READ("RDMA Read"),
        /** The end that has the file sends it into receives that the other has posted. */
        SEND_RECEIVE("Send/Receive"),
        /**
         * The end that has the file writes it in datagrams, and the validity maps of the other end show which bytes
         * arrived.
         */
        WRITE_RECORD("Write-Record"),
        /** The end that wants the file reads it in datagrams. */
        UD_READ("UD Read");

        static final List<Operation> CONNECTED = List.of(RDMA_WRITE, RDMA_READ, SEND_RECEIVE);
        static final List<Operation> IN_DATAGRAMS = List.of(WRITE_RECORD, UD_READ);

        private final String title;

        Operation(String title) {
            this.title = title;
        }

        /** {@return the name for the user} */
        String title() {
            return title;
        }
    }

    /**
     * A byte that differs.
     *
     * @param offset in the file, from 0
     * @param expected the byte of the original, 0 to 255
     * @param actual the byte that arrived, 0 to 255
     */
    record Difference(long offset, int expected, int actual) {
        @Override
        public String toString() {
            return String.format("offset %d: 0x%02x became 0x%02x", offset, expected, actual);
        }
    }

    Transfer(Operation operation, DemoSettings settings) {
        this.operation = operation;
        this.settings = settings;
    }

    static MessageDigest sha256Digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Fills the source with the next part of the file. */
    void begin(long place, int length, ByteBuffer source, Content content) {
        content.read(place, source.duplicate().limit(length));
        moved.update(source.duplicate().limit(length));
    }

    /** Compares the part with the original, and adds the {@code took} nanoseconds of its transfer. */
    void end(long place, int length, ByteBuffer target, Content original, long took) {
        messages += settings.messages(length);
        bytes += length;
        nanos += took;
        ByteBuffer got = target.duplicate().limit(length);
        long corrupt = settings.corruptAt() - place;
        if (corrupt >= 0 && corrupt < length) {
            got.put((int) corrupt, (byte) (got.get((int) corrupt) ^ 1));
        }
        arrived.update(got.duplicate());
        if (expected.capacity() < length) {
            expected = ByteBuffer.allocate(length);
        }
        original.read(place, expected.clear().limit(length));
        int wrong = expected.flip().mismatch(got);
        if (wrong >= 0 && first == null) {
            first = new Difference(place + wrong, expected.get(wrong) & 0xff, got.get(wrong) & 0xff);
        }
    }

    Operation operation() {
        return operation;
    }

    /** {@return the number of messages with the file, without Reads of missing bytes} */
    long messages() {
        return messages;
    }

    /** {@return bytes of the file} */
    long bytes() {
        return bytes;
    }

    /** {@return nanoseconds of the transfer, without generating, hashing and comparing bytes} */
    long nanos() {
        return nanos;
    }

    /** {@return MiB per second; null if nothing was moved} */
    @Nullable
    Double rate() {
        return Quantities.mebibytesPerSecond(bytes, nanos);
    }

    /** {@return the SHA-256 at the source} Nothing can be moved after the first call. */
    String sha256() {
        movedHash = movedHash == null ? moved.digest() : movedHash;
        return HexFormat.of().formatHex(movedHash);
    }

    /** {@return the SHA-256 at the target} Nothing can be moved after the first call. */
    String arrivedSha256() {
        arrivedHash = arrivedHash == null ? arrived.digest() : arrivedHash;
        return HexFormat.of().formatHex(arrivedHash);
    }

    boolean equal() {
        return first == null && sha256().equals(arrivedSha256());
    }

    /** {@return the offset of the first byte that differs; null if no byte differs} */
    @Nullable
    Long firstDifference() {
        return first == null ? null : first.offset();
    }

    /** {@return a line for each transfer whose data differs} */
    static List<String> differences(List<? extends Transfer> all) {
        return all.stream()
                .filter(one -> !one.equal())
                .map(Transfer::difference)
                .toList();
    }

    private String difference() {
        return operation.title() + ": " + (first == null ? "the file changed while it was moved" : "first at " + first);
    }
}
