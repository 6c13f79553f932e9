package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.ArrayList;
import java.util.List;

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
        return new Talked(StartFrame.request(), StartFrame.reply());
    }

    static Talked withoutCrc() {
        return new Talked(
                StartFrame.request().without(StartFrame.CRC), StartFrame.reply().without(StartFrame.CRC));
    }

    static Talked withMarkers() {
        return new Talked(
                StartFrame.request().with(StartFrame.MARKERS),
                StartFrame.reply().with(StartFrame.MARKERS));
    }

    /** The initiator sends these bytes. */
    Talked i(Segment segment) {
        initiator.add(fromInitiator.frame(segment.bytes()));
        return this;
    }

    Talked i(Segment segment, Framer.Flaw flaw) {
        initiator.add(fromInitiator.frame(segment.bytes(), flaw));
        return this;
    }

    /** The responder sends these bytes. */
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

    /** Each startup frame and FPDU in a segment of its own, all of one side before the other speaks. */
    Packets packets() {
        Packets packets = Packets.open();
        packets.send(true, initiator.get(0)).send(false, responder.get(0));
        initiator.subList(1, initiator.size()).forEach(octets -> packets.send(true, octets));
        responder.subList(1, responder.size()).forEach(octets -> packets.send(false, octets));
        return packets;
    }

    List<Item> decode() {
        return packets().decode();
    }
}
