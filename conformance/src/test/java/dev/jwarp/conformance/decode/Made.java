package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.List;
import java.util.stream.Stream;

/** Artificial conversations for the comparison with tshark. */
record Made(String name, Packets packets) {

    List<Frame> frames() {
        return packets.frames();
    }

    @Override
    public String toString() {
        return name;
    }

    /** Conversations that tshark reads completely. */
    static Stream<Made> all() {
        return Stream.of(
                new Made("a frame each, with CRC", Talked.plain().chatter().packets()),
                new Made(
                        "a frame each, without CRC",
                        Talked.withoutCrc().chatter().packets()),
                new Made("every opcode", opcodes(Talked.plain()).packets()),
                new Made(
                        "every opcode, without CRC",
                        opcodes(Talked.withoutCrc()).packets()),
                new Made("several FPDUs in a segment", bundled(Talked.plain().chatter(), 3000)),
                new Made("FPDUs across segments", bundled(Talked.plain().chatter(), 200)),
                // tshark wants each FPDU at the start of a segment.
                new Made(
                        "Markers, a segment each",
                        Talked.withMarkers().chatter().packets()),
                new Made("a bad CRC", badCrc()),
                new Made("revision 2", enhanced()));
    }

    /**
     * Conversations that tshark does not read, each for its own reason:
     *
     * <ul>
     *   <li>Markers across segments: tshark takes the start of a segment for the start of an FPDU where there are Markers.
     *   <li>Markers in one direction: it looks for them in both as soon as one side asked.
     *   <li>A conversation whose start is missing: it looks for the key of the Request.
     * </ul>
     */
    static Stream<Made> unreadable() {
        return Stream.of(
                new Made(
                        "Markers, across segments", bundled(Talked.withMarkers().chatter(), 700)),
                new Made(
                        "Markers in one direction",
                        Talked.of(true, true).chatter().packets()),
                new Made(
                        "a start that was not captured",
                        Packets.midway().sendEach(true, Talked.plain().chatter().fpdus(true))));
    }

    static Talked opcodes(Talked talked) {
        talked.i(Segment.send(1, Octets.pattern(7, 1)));
        talked.i(Segment.of(Opcode.SEND_INVALIDATE)
                .msn(2)
                .invalidate(0x1234_5678)
                .payload(Octets.pattern(8, 1)));
        talked.i(Segment.of(Opcode.SEND_SE).msn(3).payload(Octets.pattern(9, 1)));
        talked.i(Segment.of(Opcode.SEND_SE_INVALIDATE)
                .msn(4)
                .invalidate(0xFFFF_FFFFL)
                .payload(Octets.pattern(10, 1)));
        talked.i(Segment.readRequest(1, 1, 2, 4, 5, 6)).r(Segment.readResponse(1, 2, Octets.pattern(4, 9)));
        talked.i(atomic(2, 0, 1, -1)).r(answer(1, 1));
        talked.i(atomic(3, 2, 2, -1)).r(answer(2, 2));
        talked.i(Segment.write(0xFFFF_FFFFL, -1L << 32, Octets.pattern(3, 1)));
        byte[] tagged = Segment.write(7, 8).bytes();
        talked.r(Segment.terminate(
                1, 1, 0, 0xC0, new Octets().u16(30).add(tagged).bytes()));
        byte[] request = Segment.readRequest(1, 1, 2, 3, 4, 5).bytes();
        talked.i(Segment.terminate(
                0, 1, 1, 0xE0, new Octets().u16(46).add(request).bytes()));
        return talked;
    }

    static Segment atomic(long msn, int operation, long identifier, long compareMask) {
        long compareData = (operation & 0xF) == 0 ? 0 : 7; // FETCH_ADD has none
        String header = "%08X %08X 00000077 %016X %016X %016X %016X %016X"
                .formatted(operation, identifier, 0x1000, 5, 6, compareData, compareMask);
        return Segment.of(Opcode.ATOMIC_REQUEST).msn(msn).payload(Octets.hex(header));
    }

    static Segment answer(long msn, long identifier) {
        return Segment.of(Opcode.ATOMIC_RESPONSE)
                .msn(msn)
                .payload(
                        new Octets().u32(identifier).u64(0x1122_3344_5566_7788L).bytes());
    }

    /** The streams after the startup frames, divided into segments of this size. */
    static Packets bundled(Talked talked, int size) {
        return talked.opened()
                .sendCut(true, Packets.join(talked.fpdus(true)), size)
                .sendCut(false, Packets.join(talked.fpdus(false)), size);
    }

    private static Packets badCrc() {
        return Talked.plain()
                .i(Segment.send(1))
                .i(Segment.send(2), Framer.Flaw.CRC)
                .i(Segment.send(3, Octets.pattern(2, 2)), Framer.Flaw.PAD_ONES)
                .packets();
    }

    private static Packets enhanced() {
        StartFrame request = StartFrame.request().privateData((byte) 9).enhanced(new Depths(true, 7, 8, 4));
        StartFrame reply = StartFrame.reply().enhanced(new Depths(true, Depths.WRITE, 4, 8));
        return new Talked(request, reply)
                .i(Segment.write(0, 0))
                .r(Segment.send(1, Octets.pattern(3, 3)))
                .packets();
    }
}
