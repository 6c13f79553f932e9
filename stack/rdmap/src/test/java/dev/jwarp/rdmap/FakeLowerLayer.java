package dev.jwarp.rdmap;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.LowerLayer;
import dev.jwarp.llp.UlpduWriter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A lower layer in memory. Polled ULPDUs wait here until {@link #transmit}. Like the real lower layer, this one reads
 * stable payload only then, so memory released too early shows up as wrong bytes.
 */
final class FakeLowerLayer implements LowerLayer, UlpduWriter {
    private record Piece(ByteBuffer source, int offset, int length) {}

    int mulpdu = 1454;
    boolean ordered = true;
    boolean closeRequested;
    boolean aborted;
    int doorbells;

    /** ULPDUs sent and not yet received. */
    final Deque<byte[]> wire = new ArrayDeque<>();

    private final List<List<Piece>> polled = new ArrayList<>();
    private final ByteBuffer header = ByteBuffer.allocate(128);
    private List<Piece> current;
    private int announced;
    private int given;

    /** Polls one ULPDU. */
    boolean poll(RdmapStream stream, long now) {
        boolean wanted = stream.wantsToSend();
        boolean given = stream.pollUlpdu(this, now);
        if (given && !wanted) {
            throw new AssertionError("the stream sends a ULPDU although wantsToSend() returned false");
        }
        return given;
    }

    /** Polls ULPDUs until there are no more. */
    int pollAll(RdmapStream stream, long now) {
        int count = 0;
        while (poll(stream, now)) {
            if (++count > 1_000_000) {
                throw new AssertionError("the stream never stops sending");
            }
        }
        return count;
    }

    /** {@return ULPDUs polled and not transmitted} */
    int waiting() {
        return polled.size();
    }

    /** Puts all polled ULPDUs on the wire and notifies the stream. */
    void transmit(RdmapStream stream, long now) {
        if (polled.isEmpty()) {
            return;
        }
        for (List<Piece> pieces : polled) {
            wire.add(octets(pieces));
        }
        polled.clear();
        stream.onTransmitted(now);
    }

    /** {@return the ULPDUs on the wire after all are polled and transmitted; they are removed} */
    List<byte[]> sent(RdmapStream stream) {
        pollAll(stream, 0);
        transmit(stream, 0);
        List<byte[]> all = new ArrayList<>(wire);
        wire.clear();
        return all;
    }

    private static byte[] octets(List<Piece> pieces) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        for (Piece piece : pieces) {
            byte[] part = new byte[piece.length];
            piece.source.get(piece.offset, part);
            octets.writeBytes(part);
        }
        return octets.toByteArray();
    }

    private static ByteBuffer copy(ByteBuffer source, int offset, int length) {
        ByteBuffer copy = ByteBuffer.allocate(length);
        copy.put(0, source, offset, length);
        return copy;
    }

    @Override
    public int mulpdu() {
        return mulpdu;
    }

    @Override
    public boolean ordered() {
        return ordered;
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        throw new UnsupportedOperationException("no handler is tested here");
    }

    @Override
    public void doorbell() {
        doorbells++;
    }

    @Override
    public void close() {
        closeRequested = true;
    }

    @Override
    public void abort() {
        aborted = true;
    }

    @Override
    public int begin(int headerLength, int payloadLength) {
        if (current != null || headerLength < 14 || payloadLength < 0 || headerLength + payloadLength > mulpdu) {
            throw new AssertionError("begin(" + headerLength + ", " + payloadLength + ") with MULPDU " + mulpdu);
        }
        current = new ArrayList<>();
        current.add(new Piece(header, 0, headerLength));
        announced = payloadLength;
        given = 0;
        return 0;
    }

    @Override
    public ByteBuffer buffer() {
        return header;
    }

    @Override
    public void payload(ByteBuffer source, int offset, int length, boolean stable) {
        if (length < 1) {
            throw new AssertionError("a piece of " + length + " bytes");
        }
        given += length;
        current.add(stable ? new Piece(source, offset, length) : new Piece(copy(source, offset, length), 0, length));
    }

    @Override
    public void end() {
        if (given != announced) {
            throw new AssertionError(announced + " bytes were announced, " + given + " came");
        }
        Piece head = current.get(0);
        current.set(0, new Piece(copy(head.source, 0, head.length), 0, head.length));
        for (int i = 0; i < header.capacity(); i++) {
            header.put(i, (byte) 0xEE); // makes bytes visible that the next header does not write
        }
        polled.add(current);
        current = null;
    }
}
