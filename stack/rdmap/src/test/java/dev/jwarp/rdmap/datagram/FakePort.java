package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A port in memory that records its calls. Like the real port, this one reads stable payload only on transmission, so
 * memory released too early shows up as wrong bytes.
 */
final class FakePort implements DatagramLowerLayer, SegmentWriter {
    private record Piece(ByteBuffer source, int offset, int length) {}

    private record Polled(
            Shim shim, DatagramPeer to, boolean cookie, List<Piece> pieces, int pad, OutboundMessage message) {}

    /** Datagrams sent and not yet received. */
    final List<Datagram> wire = new ArrayList<>();

    final List<String> refusals = new ArrayList<>();
    final List<DatagramPeer> abandoned = new ArrayList<>();
    Predicate<DatagramPeer> admits = peer -> true;
    Runnable onAbandon = () -> {};
    Runnable onStop = () -> {};
    int resumed;
    int doorbells;
    int readies;
    int timeoutChanges;
    int admissions;

    private final List<Polled> polled = new ArrayList<>();
    private final ByteBuffer header = ByteBuffer.allocate(64);
    private Polled current;
    private int announced;
    private int given;

    /** {@return the number of segments} Polls segments until there are no more. */
    int poll(DatagramEndpoint endpoint, long now) {
        int count = 0;
        while (endpoint.pollSegment(this, now)) {
            if (++count > 1_000_000) {
                throw new AssertionError("the endpoint never stops sending");
            }
        }
        return count;
    }

    /** Puts all polled segments on the wire and notifies the endpoint. */
    void transmit(DatagramEndpoint endpoint, long now) {
        boolean any = !polled.isEmpty();
        for (Polled one : polled) {
            ByteArrayOutputStream octets = new ByteArrayOutputStream();
            for (Piece piece : one.pieces) {
                byte[] part = new byte[piece.length];
                piece.source.get(piece.offset, part);
                octets.writeBytes(part);
            }
            octets.writeBytes(new byte[one.pad]);
            wire.add(new Datagram(one.shim, one.to, one.cookie, octets.toByteArray(), one.message));
        }
        polled.clear();
        if (any) {
            endpoint.onTransmitted(now);
        }
    }

    /** {@return the datagrams on the wire after all are polled and transmitted; they are removed} */
    List<Datagram> sent(DatagramEndpoint endpoint, long now) {
        poll(endpoint, now);
        transmit(endpoint, now);
        List<Datagram> all = new ArrayList<>(wire);
        wire.clear();
        return all;
    }

    private static ByteBuffer copy(ByteBuffer source, int offset, int length) {
        return ByteBuffer.allocate(length).put(0, source, offset, length);
    }

    // ---- the writer

    @Override
    public boolean admits(DatagramPeer peer, long nowNanos) {
        admissions++;
        return admits.test(peer);
    }

    @Override
    public int segmentSize(DatagramPeer peer, int headerLength, boolean cookie) {
        // datagram-iWARP §4.1: shim 24, cookie 16, CRC 4.
        return (peer.maximumDatagram() - 24 - (cookie ? 16 : 0) - headerLength - 4) / 4 * 4;
    }

    @Override
    public int begin(DatagramPeer peer, Shim shim, boolean cookie, int headerLength, int payloadLength) {
        int room = peer.maximumDatagram() - 24 - (cookie ? 16 : 0) - headerLength - 4;
        if (current != null || payloadLength < 0 || payloadLength > room) {
            throw new AssertionError("begin with " + payloadLength + " bytes and room for " + room);
        }
        Shim own = new Shim().set(shim);
        List<Piece> pieces = new ArrayList<>();
        pieces.add(new Piece(header, 0, headerLength));
        int pad = shim.padded() ? shim.segmentSize() - payloadLength : 0;
        current = new Polled(own, peer, cookie, pieces, pad, null);
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
        current.pieces.add(
                stable ? new Piece(source, offset, length) : new Piece(copy(source, offset, length), 0, length));
    }

    @Override
    public void end(OutboundMessage message) {
        if (given != announced) {
            throw new AssertionError(announced + " bytes were announced, " + given + " came");
        }
        Piece head = current.pieces.get(0);
        current.pieces.set(0, new Piece(copy(head.source, 0, head.length), 0, head.length));
        for (int i = 0; i < header.capacity(); i++) {
            header.put(i, (byte) 0xEE); // makes bytes visible that the next header does not write
        }
        polled.add(new Polled(current.shim, current.to, current.cookie, current.pieces, current.pad, message));
        current = null;
    }

    // ---- the lower layer

    @Override
    public void afterCall(AfterCalls.Task task) {
        throw new UnsupportedOperationException("no handler is tested here");
    }

    @Override
    public void doorbell() {
        doorbells++;
    }

    @Override
    public void ready() {
        readies++;
    }

    @Override
    public void timeoutChanged() {
        timeoutChanges++;
    }

    @Override
    public void execute(Runnable task) {
        task.run();
    }

    @Override
    public void refuse(DatagramPeer peer, Shim question, TerminateCode code, long nowNanos) {
        refusals.add(question.messageId() + " of " + question.sourceQpn() + " " + code.name());
    }

    @Override
    public void abandon(DatagramPeer peer, long nowNanos) {
        abandoned.add(peer);
        onAbandon.run();
    }

    @Override
    public void resetPeer(DatagramPeer peer) {}

    @Override
    public void stop(long nowNanos) {
        onStop.run();
    }

    @Override
    public void resume() {
        resumed++;
    }

    @Override
    public void detach() {}

    static DatagramAddress address(int host) {
        return new DatagramAddress().setIpv4(0x0a00_0000 + host, 4791);
    }
}
