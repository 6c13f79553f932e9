package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** A conversation of two sides as their streams: startup frames and FPDUs, with the Markers and CRCs that they ask for. */
final class Talked {
    final StartFrame request;
    final StartFrame reply;
    final Framer fromInitiator;
    final Framer fromResponder;
    final List<byte[]> initiator = new ArrayList<>();
    final List<byte[]> responder = new ArrayList<>();

    Talked(StartFrame request, StartFrame reply) {
        this.request = request;
        this.reply = reply;
        boolean crc = request.has(StartFrame.CRC) || reply.has(StartFrame.CRC);
        fromInitiator = new Framer(reply.has(StartFrame.MARKERS), crc);
        fromResponder = new Framer(request.has(StartFrame.MARKERS), crc);
        initiator.add(request.bytes());
        responder.add(reply.bytes());
    }

    static Talked plain() {
        return of(false, true);
    }

    static Talked withoutCrc() {
        return of(false, false);
    }

    /** A conversation whose initiator sends Markers or not; both sides want CRCs or not. */
    static Talked of(boolean markers, boolean crc, byte... privateDataOfRequest) {
        int unwanted = crc ? 0 : StartFrame.CRC;
        return new Talked(
                StartFrame.request().without(unwanted).privateData(privateDataOfRequest),
                StartFrame.reply().without(unwanted).with(markers ? StartFrame.MARKERS : 0));
    }

    /** One of the three kinds below and above, by its name. */
    static Talked ofKind(String kind) {
        return switch (kind) {
            case "plain" -> plain();
            case "withoutCrc" -> withoutCrc();
            default -> withMarkers();
        };
    }

    static Talked withMarkers() {
        return new Talked(
                StartFrame.request().with(StartFrame.MARKERS),
                StartFrame.reply().with(StartFrame.MARKERS));
    }

    Talked i(Segment segment) {
        return i(segment, Framer.Flaw.NONE);
    }

    Talked i(Segment segment, Framer.Flaw flaw) {
        initiator.add(fromInitiator.frame(segment.bytes(), flaw));
        return this;
    }

    Talked r(Segment segment) {
        responder.add(fromResponder.frame(segment.bytes()));
        return this;
    }

    /** A conversation with a bit of everything: a Read, Writes of several segments, Sends. */
    Talked chatter() {
        i(Segment.send(1, Octets.pattern(16, 1)));
        i(Segment.readRequest(1, 0xAA00, 0x1000, 2000, 0xBB00, 0x2000));
        for (int at = 0; at < 2000; at += 1000) {
            r(Segment.readResponse(0xAA00, 0x1000 + at, Octets.pattern(1000, at))
                    .last(at == 1000));
        }
        for (int at = 0; at < 5000; at += 1250) {
            i(Segment.write(0xCC00, 0x3000 + at, Octets.pattern(1250, at)).last(at == 3750));
        }
        i(Segment.send(2, Octets.pattern(700, 2)).last(false));
        i(Segment.send(2, Octets.pattern(33, 3)).mo(700));
        r(Segment.send(1, Octets.pattern(5, 4)));
        i(Segment.write(0, 0));
        i(Segment.send(3));
        r(Segment.write(0xDD00, 0x7FFF_FFFF_FFFF_0000L, Octets.pattern(301, 5)));
        return this;
    }

    /** The initiator sends so many Sends, with these numbers of bytes. */
    Talked sends(int count, IntUnaryOperator length) {
        for (int msn = 1; msn <= count; msn++) {
            i(Segment.send(msn, Octets.pattern(length.applyAsInt(msn), msn)));
        }
        return this;
    }

    /** What a side sends after its startup frame. */
    List<byte[]> fpdus(boolean ofInitiator) {
        List<byte[]> parts = ofInitiator ? initiator : responder;
        return parts.subList(1, parts.size());
    }

    /** The connection with both startup frames. */
    Packets opened() {
        return Packets.open().send(true, initiator.get(0)).send(false, responder.get(0));
    }

    /** Each startup frame and FPDU in a segment of its own, all of one side before the other speaks. */
    Packets packets() {
        return opened().sendEach(true, fpdus(true)).sendEach(false, fpdus(false));
    }

    List<Item> decode() {
        return packets().decode();
    }
}
