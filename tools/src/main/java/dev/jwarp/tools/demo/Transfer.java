package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Quantities;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How one way of moving the file went: what was moved, what arrived, and how long it took. One thread. */
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

    /** The ways in which the demo moves its file. */
    enum Operation {
        /** The end that has the file writes into the memory of the other. */
        RDMA_WRITE("RDMA Write"),
        /** The end that wants the file reads from the memory of the other. */
        RDMA_READ("RDMA Read"),
        /** The end that has the file sends it into receives that the other has posted. */
        SEND_RECEIVE("Send/Receive"),
        /** The end that has the file writes it in datagrams, and the other is told what of it came. */
        WRITE_RECORD("Write-Record"),
        /** The end that wants the file reads it in datagrams. */
        UD_READ("UD Read");

        static final List<Operation> CONNECTED = List.of(RDMA_WRITE, RDMA_READ, SEND_RECEIVE);
        static final List<Operation> IN_DATAGRAMS = List.of(WRITE_RECORD, UD_READ);

        private final String title;

        Operation(String title) {
            this.title = title;
        }

        /** {@return the name for people} */
        String title() {
            return title;
        }
    }

    /**
     * A byte that is not as it should be.
     *
     * @param offset in the file, from 0
     * @param expected as it is in the original, 0 to 255
     * @param actual as it arrived, 0 to 255
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

    /** That part was moved in {@code took} nanoseconds: compares it with the original. */
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

    /** {@return the messages that carried the file; those that repaired it are not counted} */
    long messages() {
        return messages;
    }

    /** {@return bytes of the file} */
    long bytes() {
        return bytes;
    }

    /** {@return how long bytes were moving; making, hashing and comparing them is not counted} */
    long nanos() {
        return nanos;
    }

    /** {@return MiB per second; null if nothing was moved} */
    @Nullable
    Double rate() {
        return Quantities.mebibytesPerSecond(bytes, nanos);
    }

    /** {@return the hash of what was moved, at its origin} No more can be moved then. */
    String sha256() {
        movedHash = movedHash == null ? moved.digest() : movedHash;
        return HexFormat.of().formatHex(movedHash);
    }

    /** {@return the hash of what arrived} No more can be moved then. */
    String arrivedSha256() {
        arrivedHash = arrivedHash == null ? arrived.digest() : arrivedHash;
        return HexFormat.of().formatHex(arrivedHash);
    }

    boolean equal() {
        return first == null && sha256().equals(arrivedSha256());
    }

    /** {@return where the first byte is that is not as it should be; null if all are} */
    @Nullable
    Long firstDifference() {
        return first == null ? null : first.offset();
    }

    /** {@return a line for each way that brought something else} */
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
