package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.decode.DatagramFields.Kind;
import dev.jwarp.conformance.wire.Described;
import dev.jwarp.conformance.wire.Described.Field;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The fields of an item by name, for {@code -v}: offsets are those of the item's octets, without Markers. */
final class Fields {
    private final List<Field> fields = new ArrayList<>();

    private Fields() {}

    static List<Field> of(Item item) {
        Fields all = new Fields();
        if (item instanceof Item.Start start) {
            return start.octets().length < 20 + start.frame().privateData().length
                    ? List.of()
                    : Described.startFrame(start.octets());
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
        all(Described.ulpdu(fpdu.ulpdu()), 2);
        if (fpdu.pad().length > 0) {
            fields.add(new Field(2 + length, fpdu.pad().length, "PAD", Octets.hex(fpdu.pad())));
        }
        int at = fpdu.octets().length - 4;
        fields.add(new Field(
                2 + length + fpdu.pad().length,
                4,
                "CRC",
                Octets.hex(Arrays.copyOfRange(fpdu.octets(), at, at + 4)) + " "
                        + item.crc().word()));
        fpdu.markers()
                .forEach(marker -> fields.add(new Field(
                        (int) (marker.position() - fpdu.position()),
                        4,
                        "Marker",
                        "at %d of the stream: reserved 0x%04X, FPDUPTR %d"
                                .formatted(marker.position(), marker.reserved(), marker.pointer()))));
    }

    /** Of an FPDU that was not captured whole the DDP header is there, and nothing else is sure. */
    private void cut(Item.Framed item, int length) {
        byte[] ulpdu = item.fpdu().ulpdu();
        int header = !Segment.whole(ulpdu) ? length : ulpdu[0] < 0 ? Segment.TAGGED : Segment.UNTAGGED;
        all(Described.ulpdu(Arrays.copyOf(ulpdu, header)), 2);
        fields.add(new Field(2 + header, length - header, "payload", (length - header) + " bytes, not all captured"));
    }

    private void all(List<Field> inner, int shift) {
        inner.forEach(f -> fields.add(new Field(f.at() + shift, f.length(), f.name(), f.value())));
    }

    private void add(int at, int length, String name, long value) {
        fields.add(new Field(at, length, name, String.valueOf(value)));
    }

    private void hex(DatagramFields d, int at, int length, String name) {
        if (at + length <= d.octets().length) {
            fields.add(new Field(at, length, name, "0x%X".formatted(d.number(at, length))));
        }
    }

    private void number(DatagramFields d, int at, int length, String name) {
        if (at + length <= d.octets().length) {
            add(at, length, name, d.number(at, length));
        }
    }

    private void octets(DatagramFields d, int at, int length, String name) {
        if (length > 0 && at + length <= d.octets().length) {
            fields.add(new Field(at, length, name, Octets.hex(Arrays.copyOfRange(d.octets(), at, at + length))));
        }
    }

    private void datagram(Item.Datagram item) {
        DatagramFields d = item.fields();
        Kind kind = d.kind();
        String name = kind == null ? "" : " " + kind.words();
        fields.add(new Field(0, 1, "Version Kind", d.version() + " " + (d.octets()[0] & 0xF) + name));
        hex(d, 1, 3, "Destination QPN");
        fields.add(new Field(4, 1, "Flags", "0x%02X %s".formatted(d.flags(), d.flagLetters())));
        hex(d, 5, 3, "Source QPN");
        hex(d, 8, 4, "Key");
        hex(d, 12, 4, "Message Id");
        if (kind == Kind.VERSION_LIST) {
            hex(d, 16, 4, "versions spoken");
        } else {
            number(d, 16, 4, "Message Length");
            number(d, 20, 2, "Segment Index");
            number(d, 22, 2, "Segment Size");
        }
        if (kind != Kind.SEALED && d.has(DatagramFields.FLAG_C)) {
            octets(d, 24, 16, "cookie");
        } else if (d.extension() == 12) {
            number(d, 24, 4, "PSN");
            number(d, 28, 4, "Ack");
            number(d, 32, 2, "Window");
        }
        if (item.crc() == Crc.CUT) {
            return;
        }
        if (kind != null) {
            body(d, kind);
        }
        int end = d.octets().length - DatagramFields.CRC;
        octets(d, end - d.pad(), d.pad(), "pad");
        fields.add(new Field(
                end,
                4,
                "CRC",
                Octets.hex(Arrays.copyOfRange(d.octets(), end, end + 4)) + " "
                        + item.crc().word()));
    }

    private void body(DatagramFields d, Kind kind) {
        int b = d.body();
        switch (kind) {
            case DATA -> {
                Segment segment = d.segment();
                if (segment != null) {
                    all(Described.ulpdu(segment.bytes()), b);
                }
            }
            case NOTIFY -> hex(d, 24, 2, "Terminate Control");
            case CHALLENGE -> octets(d, 24, 16, "cookie");
            case RESOLVE -> {
                hex(d, b, 8, "service id");
                number(d, b + 8, 1, "types wanted");
                hex(d, b + 10, 2, "versions");
                octets(d, b + 16, (int) d.number(b + 12, 2), "private data");
            }
            case RESOLVED -> {
                number(d, 24, 1, "status");
                number(d, 25, 1, "type");
                hex(d, 26, 2, "versions");
                hex(d, 28, 4, "QPN");
                hex(d, 32, 4, "Q_Key");
                number(d, 36, 2, "port");
                number(d, 38, 2, "largest payload");
                number(d, 40, 4, "longest message");
                number(d, 44, 4, "longest Read");
                octets(d, 52, (int) d.number(48, 2), "private data");
            }
            case RD_OPEN -> {
                hex(d, b, 4, "tag");
                number(d, b + 4, 4, "first PSN");
                hex(d, b + 8, 4, "previous tag");
                number(d, b + 12, 2, "Window");
            }
            case RD_ACCEPT -> {
                hex(d, 24, 4, "tag");
                number(d, 28, 4, "first PSN");
                number(d, 32, 4, "Ack");
                number(d, 36, 2, "Window");
            }
            case RD_ACK -> {
                number(d, 24, 4, "Ack");
                number(d, 28, 2, "Window");
                hex(d, 30, 1, "flags");
                octets(d, 32, 8 * (int) Math.min(16, d.number(31, 1)), "SACK");
            }
            case RD_RESET -> {
                number(d, 24, 1, "reflected");
                number(d, 25, 1, "reason");
                hex(d, 28, 2, "Terminate Control");
            }
            case RD_SACK -> {
                number(d, 24, 4, "Ack");
                number(d, 28, 2, "Window");
                hex(d, 30, 1, "flags");
                number(d, 32, 2, "first word");
                number(d, 34, 2, "delay");
                number(d, 36, 4, "echo");
                number(d, 40, 4, "CE");
                number(d, 44, 4, "ECT");
                number(d, 48, 4, "duplicates");
                number(d, 52, 4, "last duplicate");
                octets(d, 56, 8 * (int) Math.min(128, d.number(31, 1)), "SACK");
            }
            case PATH_PROBE -> {
                hex(d, b, 4, "features");
                hex(d, b + 4, 8, "token");
                number(d, b + 12, 2, "largest payload");
                number(d, b + 16, 4, "receive rate");
                number(d, b + 20, 4, "pace");
                number(d, b + 24, 4, "DATA sent");
                number(d, b + 28, 4, "KiB sent");
            }
            case PATH_REPLY -> {
                hex(d, 24, 4, "features");
                hex(d, 28, 8, "token");
                number(d, 36, 2, "length received");
                number(d, 38, 2, "largest payload");
                number(d, 40, 4, "receive rate");
                number(d, 44, 4, "DATA received");
                number(d, 48, 4, "CE");
                number(d, 52, 4, "ECT");
                number(d, 56, 2, "delay");
            }
            case RD_PART -> {
                number(d, 24, 4, "PSN");
                number(d, 28, 4, "Ack");
                number(d, 32, 2, "Window");
                number(d, 34, 2, "part length");
                number(d, 36, 2, "total length");
                number(d, 38, 2, "part offset");
                octets(d, b, d.bodyLength(), "content");
            }
            case SEALED -> {
                number(d, 24, 4, "Key Id");
                hex(d, 28, 1, "byte 0 within");
                number(d, 29, 1, "Algorithm");
                number(d, 30, 2, "Length");
                hex(d, 32, 8, "Origin");
                number(d, 40, 8, "Sequence");
                number(d, 48, 4, "Time");
                int end = d.octets().length - DatagramFields.CRC - DatagramFields.TAG;
                octets(d, DatagramFields.REST, end - DatagramFields.REST, "rest");
                octets(d, end, DatagramFields.TAG, "tag");
            }
            case VERSION_LIST -> {}
        }
    }
}
