package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.Envelopes;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.WireFields;
import dev.jwarp.conformance.wire.WireFields.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The fields of an item by name, for {@code -v}. Offsets count the bytes of the item without Markers. */
final class Fields {
    private final List<Field> fields = new ArrayList<>();

    private Fields() {}

    static List<Field> of(Item item) {
        Fields all = new Fields();
        if (item instanceof Item.Start start) {
            return start.octets().length < 20 + start.frame().privateData().length
                    ? List.of()
                    : WireFields.startFrame(start.octets());
        } else if (item instanceof Item.Framed framed) {
            all.fpdu(framed);
        } else if (item instanceof Item.Datagram datagram) {
            all.datagram(datagram);
        }
        return all.fields;
    }

    private void fpdu(Item.Framed item) {
        Fpdu fpdu = item.fpdu();
        int length = fpdu.ulpdu().length;
        add(0, 2, "ULPDU_Length", length);
        if (item.crc() == Crc.CUT) {
            cut(item, length);
            return;
        }
        all(WireFields.ulpdu(fpdu.ulpdu()), 2);
        if (fpdu.pad().length > 0) {
            add(2 + length, fpdu.pad().length, "PAD", Octets.hex(fpdu.pad()));
        }
        int at = fpdu.octets().length - 4;
        String crc = Octets.hex(Arrays.copyOfRange(fpdu.octets(), at, at + 4));
        add(2 + length + fpdu.pad().length, 4, "CRC", crc + " " + item.crc().word());
        for (Fpdu.Marker marker : fpdu.markers()) {
            String words = "at %d of the stream: reserved 0x%04X, FPDUPTR %d"
                    .formatted(marker.position(), marker.reserved(), marker.pointer());
            add((int) (marker.position() - fpdu.position()), 4, "Marker", words);
        }
    }

    /** An FPDU with missing bytes: only its DDP header is certain. */
    private void cut(Item.Framed item, int length) {
        byte[] ulpdu = item.fpdu().ulpdu();
        int header = !Segment.whole(ulpdu) ? length : ulpdu[0] < 0 ? Segment.TAGGED : Segment.UNTAGGED;
        all(WireFields.ulpdu(Arrays.copyOf(ulpdu, header)), 2);
        add(2 + header, length - header, "payload", (length - header) + " bytes, not all captured");
    }

    private void add(int at, int length, String name, Object value) {
        fields.add(new Field(at, length, name, value.toString()));
    }

    private void all(List<Field> inner, int shift) {
        inner.forEach(f -> add(f.at() + shift, f.length(), f.name(), f.value()));
    }

    private void octets(byte[] octets, int at, int length, String name) {
        if (length > 0 && at + length <= octets.length) {
            add(at, length, name, Octets.hex(Arrays.copyOfRange(octets, at, at + length)));
        }
    }

    private void layout(byte[] octets, int from, String layout) {
        fields.addAll(WireFields.layout(octets, from, octets.length - Datagram.CRC, layout));
    }

    private void datagram(Item.Datagram item) {
        Datagram d = item.fields();
        byte[] octets = item.octets();
        String name = d.known() ? " " + d.kind().words() : "";
        add(0, 1, "Version Kind", d.version() + " " + (d.get(0, 1) & 0xF) + name);
        layout(octets, 1, "x3 Destination QPN");
        add(4, 1, "Flags", "0x%02X %s".formatted(d.flags(), d.flagLetters()));
        boolean list = d.is(Kind.VERSION_LIST);
        layout(octets, 5, "x3 Source QPN, x4 Key, x4 Message Id");
        layout(octets, 16, list ? "x4 versions spoken" : "4 Message Length, 2 Segment Index, 2 Segment Size");
        if (!d.is(Kind.SEALED) && d.has(Datagram.C)) {
            octets(octets, 24, 16, "cookie");
        } else if (d.extension() == 12) {
            layout(octets, 24, "4 PSN, 4 Ack, 2 Window");
        }
        if (item.crc() == Crc.CUT) {
            return;
        }
        if (d.known()) {
            body(d, octets);
        }
        int end = octets.length - Datagram.CRC;
        octets(octets, end - d.pad(), d.pad(), "pad");
        String crc = Octets.hex(Arrays.copyOfRange(octets, end, octets.length));
        add(end, 4, "CRC", crc + " " + item.crc().word());
    }

    private void body(Datagram d, byte[] octets) {
        int b = d.body();
        int end = octets.length - Datagram.CRC;
        switch (d.kind()) {
            case DATA -> {
                Segment segment = d.ddp();
                if (segment != null) {
                    all(WireFields.ulpdu(segment.bytes()), b);
                }
            }
            case NOTIFY -> layout(octets, 24, "x2 Terminate Control");
            case CHALLENGE -> octets(octets, 24, 16, "cookie");
            case RESOLVE -> {
                layout(octets, b, "x8 service id, 1 types wanted, 1 -, x2 versions");
                octets(octets, b + 16, (int) d.number(b + 12, 2), "private data");
            }
            case RESOLVED -> {
                layout(octets, 24, "1 status, 1 type, x2 versions, x4 QPN, x4 Q_Key, 2 port, 2 largest payload");
                layout(octets, 40, "4 longest message, 4 longest Read");
                octets(octets, 52, (int) d.number(48, 2), "private data");
            }
            case RD_OPEN -> layout(octets, b, "x4 tag, 4 first PSN, x4 previous tag, 2 Window, 2 -, x4 features");
            case RD_ACCEPT -> layout(octets, 24, "x4 tag, 4 first PSN, 4 Ack, 2 Window, 2 -, x4 features");
            case RD_RESET -> layout(octets, 24, "1 reflected, 1 reason, 2 -, x2 Terminate Control");
            case RD_ACK -> {
                layout(octets, 24, "4 Ack, 2 Window, x1 flags, 1 -, 2 first word, 2 delay, 4 echo");
                layout(octets, 40, "4 CE, 4 ECT, 4 duplicates, 4 last duplicate");
                octets(octets, 56, 8 * (int) Math.min(128, d.number(31, 1)), "SACK");
            }
            case PATH_PROBE -> layout(octets, b, "x4 features, x8 token, 2 largest payload");
            case PATH_REPLY -> {
                layout(octets, 24, "x4 features, x8 token, 2 length received, 2 largest payload");
                layout(octets, 40, "4 DATA received, 4 CE, 4 ECT, 2 delay");
            }
            case SEALED -> {
                layout(octets, 24, "4 Key Id, x1 byte 0 within, 1 Algorithm, 2 Length, x8 Origin, 8 Sequence, 4 Time");
                layout(octets, Envelopes.RECEIVER, "x8 Receiver");
                octets(octets, Envelopes.REST, end - Envelopes.TAG - Envelopes.REST, "rest");
                octets(octets, end - Envelopes.TAG, Envelopes.TAG, "tag");
            }
            case VERSION_LIST, UNKNOWN -> {}
        }
    }
}
