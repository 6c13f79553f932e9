package dev.jwarp.conformance.fuzz;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Makes the bytes of the actions of one conversation and sends them. */
final class Speaker {
    private static final long SINK = 0x5EED_0001L;

    private final Talk talk;
    private final @Nullable Application app;
    private final Region region;

    Speaker(Talk talk, @Nullable Application app, Region region) {
        this.talk = talk;
        this.app = app;
        this.region = region;
    }

    void say(Act act) {
        switch (act.kind()) {
            case FINISH -> talk.wire().finish();
            case NOISE -> send(talk, Octets.pattern(act.a(), act.where()), act.cut(), "noise");
            default -> {
                byte[] fpdu = fpdu(act, segment(act));
                if (act.change() == Act.Change.TWICE) {
                    send(talk, fpdu, act.cut(), act.text());
                }
                send(talk, fpdu, act.cut(), act.text());
            }
        }
    }

    static void send(Talk talk, byte[] octets, int cut, String note) {
        if (cut > 0 && cut < octets.length) {
            talk.sendOctets(Arrays.copyOf(octets, cut), note);
            talk.sendOctets(Arrays.copyOfRange(octets, cut, octets.length), "the rest");
        } else if (octets.length > 0) {
            talk.sendOctets(octets, note);
        }
    }

    private Segment segment(Act act) {
        byte[] payload = Octets.pattern(act.a(), act.where());
        long to = region.to() + act.b();
        Segment segment =
                switch (act.kind()) {
                    case PROBE -> app == null ? message(Opcode.SEND, payload) : app.probe();
                    case WRITE -> Segment.write(region.stag(), to, payload);
                    case READ_REQUEST ->
                        Segment.readRequest(talk.nextRead(), SINK, act.where(), act.a(), region.stag(), to);
                    case READ_RESPONSE -> Segment.readResponse(SINK, act.where(), payload);
                    case ATOMIC_REQUEST ->
                        Segment.of(Opcode.ATOMIC_REQUEST)
                                .msn(talk.nextRead())
                                .payload(new Octets()
                                        .u32(act.where() & 3)
                                        .u32(act.where())
                                        .u32(region.stag())
                                        .u64(to)
                                        .u64(act.a())
                                        .u64(-1)
                                        .u64(act.b())
                                        .u64(-1)
                                        .bytes());
                    case ATOMIC_RESPONSE ->
                        Segment.of(Opcode.ATOMIC_RESPONSE).msn(1).payload(new byte[12]);
                    case IMMEDIATE -> message(Opcode.IMMEDIATE, new byte[8]);
                    case TERMINATE -> Segment.terminate(act.a() & 3, act.b() & 15, act.where() & 255, 0);
                    case SEND_SE -> message(Opcode.SEND_SE, payload);
                    case SEND_INVALIDATE ->
                        message(Opcode.SEND_INVALIDATE, payload).invalidate(region.stag());
                    default -> message(Opcode.SEND, payload);
                };
        return changed(segment, act);
    }

    private Segment message(Opcode opcode, byte[] payload) {
        return Segment.of(opcode).msn(talk.nextSend()).payload(payload);
    }

    private static Segment changed(Segment segment, Act act) {
        int where = act.where();
        return switch (act.change()) {
            case OPCODE -> segment.opcode(where & 15);
            case TAGGED -> segment.tagged(!segment.tagged());
            case NOT_LAST -> segment.last(false);
            case STAG -> segment.stag(segment.stag() ^ (1L << (where & 31)));
            case OFFSET -> segment.tagged() ? segment.to(-1L - where) : segment.mo(0xFFFF_FFFFL - where);
            case MSN -> segment.msn((segment.msn() + where - 32_768) & 0xFFFF_FFFFL);
            case QUEUE -> segment.queue((where & 1) == 0 ? where & 7 : where * 65_537L & 0xFFFF_FFFFL);
            default -> segment;
        };
    }

    private byte[] fpdu(Act act, Segment segment) {
        byte[] ulpdu = segment.bytes();
        int where = act.where();
        Framer framer = talk.framer();
        switch (act.change()) {
            case BIT -> ulpdu[where / 8 % Math.min(ulpdu.length, 64)] ^= (byte) (1 << where % 8);
            case ONES -> ulpdu[where % Math.min(ulpdu.length, 64)] = -1;
            case SHORT -> ulpdu = Arrays.copyOf(ulpdu, where % ulpdu.length);
            case LONG -> ulpdu = Arrays.copyOf(ulpdu, ulpdu.length + where % 3_000);
            default -> {}
        }
        if (act.change() == Act.Change.LENGTH) {
            return framer.frame(ulpdu, where, Framer.Flaw.NONE);
        }
        byte[] fpdu = framer.frame(ulpdu);
        if (act.change() == Act.Change.BIT_ON_THE_WIRE) {
            fpdu[where / 8 % fpdu.length] ^= (byte) (1 << where % 8);
        }
        return act.change() == Act.Change.HALF ? Arrays.copyOf(fpdu, where % fpdu.length) : fpdu;
    }
}
