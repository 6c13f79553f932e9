package dev.jwarp.llp.capture;

import java.nio.ByteBuffer;

/** A TCP connection of a {@link PcapWriter} with its sequence numbers. Any thread, as the writer. */
public final class PcapFlow {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final int FIRST_SEQUENCE = 1_000;

    private final PcapWriter writer;
    private final PcapPacket.Addresses toResponder;
    private final PcapPacket.Addresses toInitiator;
    private int initiatorSequence = FIRST_SEQUENCE;
    private int responderSequence = 2 * FIRST_SEQUENCE;
    private boolean open;
    private boolean initiatorFinished;
    private boolean responderFinished;
    private boolean initiatorTapped;
    private boolean responderTapped;

    PcapFlow(PcapWriter writer, int initiator, int initiatorPort, int responder, int responderPort) {
        this.writer = writer;
        this.toResponder = new PcapPacket.Addresses(initiator, initiatorPort, responder, responderPort);
        this.toInitiator = toResponder.back();
    }

    /** One side is captured: its traffic is written there, so the other side does not write it. */
    void tap(boolean initiator) {
        synchronized (writer) {
            initiatorTapped |= initiator;
            responderTapped |= !initiator;
        }
    }

    boolean isTapped(boolean initiator) {
        synchronized (writer) {
            return initiator ? initiatorTapped : responderTapped;
        }
    }

    /** The connection is established: writes SYN, SYN/ACK, ACK, once, whichever side calls first. */
    public void open(long nanos) {
        synchronized (writer) {
            if (!open) {
                open = true;
                write(true, PcapPacket.SYN, NOTHING, nanos);
                write(false, PcapPacket.SYN | PcapPacket.ACK, NOTHING, nanos);
                write(true, PcapPacket.ACK, NOTHING, nanos);
            }
        }
    }

    /**
     * Writes bytes as one segment, or as several if they exceed {@link PcapWriter#LARGEST_PAYLOAD}.
     *
     * @param fromInitiator which side sent them
     * @param octets the bytes between position and limit; left as they are
     */
    public void data(boolean fromInitiator, ByteBuffer octets, long nanos) {
        synchronized (writer) {
            open(nanos);
            ByteBuffer rest = octets.duplicate();
            while (rest.hasRemaining()) {
                int length = Math.min(rest.remaining(), PcapWriter.LARGEST_PAYLOAD);
                ByteBuffer segment = rest.slice(rest.position(), length);
                rest.position(rest.position() + length);
                write(fromInitiator, PcapPacket.ACK | PcapPacket.PSH, segment, nanos);
            }
        }
    }

    /** One side closed its direction: writes FIN and the ACK of the other side, once per side. */
    public void finish(boolean fromInitiator, long nanos) {
        synchronized (writer) {
            if (open && !(fromInitiator ? initiatorFinished : responderFinished)) {
                write(fromInitiator, PcapPacket.FIN | PcapPacket.ACK, NOTHING, nanos);
                write(!fromInitiator, PcapPacket.ACK, NOTHING, nanos);
                initiatorFinished |= fromInitiator;
                responderFinished |= !fromInitiator;
            }
        }
    }

    /** One side reset the connection, which has ended then. */
    public void reset(boolean fromInitiator, long nanos) {
        synchronized (writer) {
            if (open && !over()) {
                write(fromInitiator, PcapPacket.RST | PcapPacket.ACK, NOTHING, nanos);
                initiatorFinished = true;
                responderFinished = true;
            }
        }
    }

    boolean over() {
        return initiatorFinished && responderFinished;
    }

    private void write(boolean fromInitiator, int flags, ByteBuffer payload, long nanos) {
        int sequence = fromInitiator ? initiatorSequence : responderSequence;
        int acknowledged = fromInitiator ? responderSequence : initiatorSequence;
        int length = payload.remaining() + ((flags & (PcapPacket.SYN | PcapPacket.FIN)) != 0 ? 1 : 0);
        PcapPacket.Addresses addresses = fromInitiator ? toResponder : toInitiator;
        writer.segment(
                addresses,
                flags,
                sequence,
                (flags & PcapPacket.ACK) != 0 ? acknowledged : 0,
                payload.duplicate(),
                nanos);
        if (fromInitiator) {
            initiatorSequence += length;
        } else {
            responderSequence += length;
        }
    }
}
