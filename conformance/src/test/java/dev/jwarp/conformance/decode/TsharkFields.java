package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** An item in tshark's terms: its names of fields, values in hexadecimal. */
final class TsharkFields {
    /** What it shows beyond fields: remarks, and what it makes of the bytes above. */
    static final Set<String> BESIDES = Set.of(
            // Revision 2 and flag S are newer than the dissector: it warns, and shows the bytes right all the same.
            "iwarp_mpa.res.not_set0",
            "iwarp_mpa.rev.not_set1",
            "iwarp_mpa.reject_bit_responder",
            "_ws.expert",
            "_ws.expert.message",
            "_ws.expert.severity",
            "_ws.expert.group",
            // Sends of several segments are put together: no field of the wire.
            "iwarp_rdma.send.fragment",
            "iwarp_rdma.send.fragment.count",
            "iwarp_rdma.send.reassembled_in",
            "iwarp_rdma.send.reassembled.length",
            "iwarp_rdma.send.reassembled.data");

    private static final Set<String> OCTETS = Set.of(
            "iwarp_mpa.pad",
            "iwarp_mpa.privatedata",
            "iwarp_mpa.key.req",
            "iwarp_mpa.key.rep",
            "iwarp_ddp.rsvdulp",
            "iwarp_rdma.reserved",
            "iwarp_rdma.term_ddp_h",
            "iwarp_rdma.term_rdma_h");

    private TsharkFields() {}

    /** Numbers without leading zeros. */
    static String normal(String name, String value) {
        if (OCTETS.contains(name)) {
            return value;
        }
        return value.replaceAll("\\b0+(?=\\w)", "").toLowerCase(Locale.ROOT);
    }

    static String crc(Item item) {
        return item instanceof Item.Framed framed && framed.crc() != Crc.OFF
                ? framed.crc().word()
                : "";
    }

    static Map<String, String> of(Item item) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (item instanceof Item.Start start) {
            start(start, fields);
        } else if (item instanceof Item.Framed framed) {
            fpdu(framed, fields);
        }
        return fields;
    }

    private static void start(Item.Start item, Map<String, String> fields) {
        byte[] octets = item.octets();
        fields.put(item.request() ? "iwarp_mpa.key.req" : "iwarp_mpa.key.rep", hex(octets, 0, 16));
        int flags = octets[16] & 0xFF;
        fields.put("iwarp_mpa.marker_flag", bit(flags, 0x80));
        fields.put("iwarp_mpa.crc_flag", bit(flags, 0x40));
        fields.put("iwarp_mpa.rej_flag", bit(flags, 0x20));
        fields.put("iwarp_mpa.res", number(flags & 0x1F));
        fields.put("iwarp_mpa.rev", hex(octets, 17, 1));
        fields.put("iwarp_mpa.pdlength", hex(octets, 18, 2));
        if (octets.length > 20) {
            fields.put("iwarp_mpa.privatedata", hex(octets, 20, octets.length - 20));
        }
    }

    private static void fpdu(Item.Framed item, Map<String, String> fields) {
        Fpdu fpdu = item.fpdu();
        for (Fpdu.Marker marker : fpdu.markers()) {
            fields.merge("iwarp_mpa.marker_res", number(marker.reserved()), TsharkFields::joined);
            fields.merge("iwarp_mpa.marker_fpduptr", number(marker.pointer()), TsharkFields::joined);
        }
        fields.put("iwarp_mpa.ulpdulength", number(fpdu.ulpdu().length));
        if (fpdu.pad().length > 0) {
            fields.put("iwarp_mpa.pad", Octets.hex(fpdu.pad()));
        }
        byte[] all = fpdu.octets();
        fields.put(item.crc() == Crc.OFF ? "iwarp_mpa.crc" : "iwarp_mpa.crc_check", hex(all, all.length - 4, 4));
        if (item.segment() != null) {
            segment(fpdu.ulpdu(), item.segment(), fields);
        }
    }

    private static void segment(byte[] ulpdu, Segment segment, Map<String, String> fields) {
        fields.put("iwarp_ddp.tagged_flag", bit(segment.tagged()));
        fields.put("iwarp_ddp.last_flag", bit(segment.last()));
        fields.put("iwarp_ddp.rsvd", number(segment.ddpReserved()));
        fields.put("iwarp_ddp.dv", number(segment.ddpVersion()));
        if (segment.tagged()) {
            fields.put("iwarp_ddp.stag", number(segment.stag()));
            fields.put("iwarp_ddp.tagged_offset", number(segment.to()));
        } else {
            fields.put("iwarp_ddp.rsvdulp", hex(ulpdu, 1, 5));
            fields.put("iwarp_ddp.qn", number(segment.queue()));
            fields.put("iwarp_ddp.msn", number(segment.msn()));
            fields.put("iwarp_ddp.mo", number(segment.mo()));
        }
        fields.put("iwarp_rdma.version", number(segment.rdmapVersion()));
        fields.put("iwarp_rdma.rsv", number(segment.rdmapReserved()));
        fields.put("iwarp_rdma.opcode", number(segment.opcodeNumber()));
        if (!segment.tagged()) {
            rdmap(ulpdu, segment, fields);
        }
    }

    private static void rdmap(byte[] ulpdu, Segment segment, Map<String, String> fields) {
        Opcode opcode = segment.opcode();
        if (opcode == null) {
            return;
        }
        if (opcode.invalidates()) {
            fields.put("iwarp_rdma.inval_stag", number(segment.invalidate()));
        } else if (opcode.number() <= Opcode.TERMINATE.number()) {
            fields.put("iwarp_rdma.reserved", hex(ulpdu, 2, 4));
        }
        switch (opcode) {
            case READ_REQUEST -> layout(ulpdu, 18, "sinkstag 4, sinkto 8, rdmardsz 4, srcstag 4, srcto 8", fields);
            case TERMINATE -> terminate(ulpdu, fields);
            case ATOMIC_REQUEST -> atomic(ulpdu, fields);
            case ATOMIC_RESPONSE ->
                layout(ulpdu, 18, "atomic.original_request_identifier 4, atomic.original_remote_data_value 8", fields);
            default -> {}
        }
    }

    private static void atomic(byte[] ulpdu, Map<String, String> fields) {
        String operation = (ulpdu[21] & 0xF) == 0 ? "add" : "swap";
        fields.put("iwarp_rdma.atomic.reserved", number(Octets.number(ulpdu, 18, 4) >>> 4));
        fields.put("iwarp_rdma.atomic.opcode", number(ulpdu[21] & 0xF));
        layout(ulpdu, 22, "atomic.request_identifier 4, atomic.remote_stag 4, atomic.remote_tagged_offset 8", fields);
        layout(ulpdu, 38, "atomic.%1$s_data 8, atomic.%1$s_mask 8".formatted(operation), fields);
        layout(ulpdu, 54, "atomic.compare_data 8, atomic.compare_mask 8", fields);
    }

    /** Fields of RDMAP, one after the other: name and size of each. */
    private static void layout(byte[] ulpdu, int from, String layout, Map<String, String> fields) {
        int at = from;
        for (String field : layout.split(", ", -1)) {
            String[] parts = field.split(" ", -1);
            int length = Integer.parseInt(parts[1]);
            fields.put("iwarp_rdma." + parts[0], hex(ulpdu, at, length));
            at += length;
        }
    }

    /**
     * Two things are as tshark sees them, not as they are; {@link SiwTest} and {@link VectorsTest} look at the decoder's own reading. It reads the order
     * of the RFC whatever it is, siw's too. And it takes the Error Type for the kind of the copied header, so that an untagged one of a
     * Read Request (0/1) is cut at 14 bytes.
     */
    private static void terminate(byte[] ulpdu, Map<String, String> fields) {
        int first = ulpdu[18] & 0xFF;
        int flags = ulpdu[20] & 0xFF;
        fields.put("iwarp_rdma.term_layer", number(first >> 4));
        String layer =
                switch (first >> 4) {
                    case 0 -> "_rdma";
                    case 1 -> "_ddp";
                    case 2 -> "_llp";
                    default -> "";
                };
        fields.put("iwarp_rdma.term_etype" + layer, number(first & 0xF));
        String code =
                switch (first) {
                    case 0x11 -> "_ddp_tagged";
                    case 0x12 -> "_ddp_untagged";
                    case 0x20 -> "_llp";
                    default -> layer.equals("_rdma") ? layer : "";
                };
        fields.put("iwarp_rdma.term_errcode" + code, hex(ulpdu, 19, 1));
        fields.put("iwarp_rdma.term_hdrct_m", bit(flags, 0x80));
        fields.put("iwarp_rdma.hdrct_d", bit(flags, 0x40));
        fields.put("iwarp_rdma.hdrct_r", bit(flags, 0x20));
        fields.put("iwarp_rdma.term_rsvd", number(Octets.number(ulpdu, 20, 2) & 0x1FFF));
        if ((flags & 0x80) == 0) {
            return;
        }
        fields.put("iwarp_rdma.term_ddp_seg_len", hex(ulpdu, 22, 2));
        if ((flags & 0x40) != 0) {
            int size = (first & 0xF) == 1 ? Segment.TAGGED : Segment.UNTAGGED;
            fields.put("iwarp_rdma.term_ddp_h", hex(ulpdu, 24, size));
            if ((flags & 0x20) != 0) {
                fields.put("iwarp_rdma.term_rdma_h", hex(ulpdu, 24 + size, 28));
            }
        }
    }

    private static String joined(String one, String two) {
        return one + " " + two;
    }

    private static String hex(byte[] octets, int at, int length) {
        return Octets.hex(Arrays.copyOfRange(octets, at, at + length));
    }

    private static String number(long value) {
        return Long.toHexString(value);
    }

    private static String bit(int flags, int mask) {
        return bit((flags & mask) != 0);
    }

    private static String bit(boolean set) {
        return set ? "1" : "0";
    }
}
