package dev.jwarp.rnic;

import dev.jwarp.rnic.ScriptLine.Names;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Encodes and decodes the start frames and FPDUs of packet scripts, independently of the code under test. The layouts
 * are those of RFC 5044 §7.1.1 and §4.1, RFC 5041 §4, RFC 5040 §4, RFC 7306 §5 and §6.
 */
final class ScriptFrames {
    private static final List<String> OPCODES = List.of(
            "write",
            "read-request",
            "read-response",
            "send",
            "send-inv",
            "send-se",
            "send-se-inv",
            "terminate",
            "immediate",
            "immediate-se",
            "atomic-request",
            "atomic-response");

    private static final int START_FRAME_LENGTH = 20;
    private static final int TAGGED_LENGTH = 14;
    private static final int UNTAGGED_LENGTH = 18;

    private final int[] nextMsn = {1, 1, 1, 1};

    // ---- start frames

    static byte[] startFrame(ScriptLine line, boolean request, Names names) {
        byte[] data = ScriptLine.octets(line.value("pd", "\"\""));
        boolean enhanced = line.value("ird") != null;
        ByteBuffer frame = ByteBuffer.allocate(START_FRAME_LENGTH + (enhanced ? 4 : 0) + data.length);
        frame.put(("MPA ID Re" + (request ? "q" : "p") + " Frame").getBytes(StandardCharsets.US_ASCII));
        int flags = (line.has("M") ? 0x80 : 0)
                | (line.has("C") ? 0x40 : 0)
                | (line.has("R") ? 0x20 : 0)
                | (enhanced ? 0x10 : 0);
        frame.put((byte) flags).put((byte) line.number("rev", 2, names));
        frame.putShort((short) line.number("pdlen", data.length + (enhanced ? 4 : 0), names));
        if (enhanced) {
            String rtr = line.value("rtr", "");
            int peerToPeer = rtr.isEmpty() ? 0 : 0x8000;
            frame.putShort(
                    (short) (peerToPeer | (rtr.contains("send") ? 0x4000 : 0) | (int) line.number("ird", names)));
            frame.putShort((short) ((rtr.contains("write") ? 0x8000 : 0)
                    | (rtr.contains("read") ? 0x4000 : 0)
                    | (int) line.number("ord", names)));
        }
        return frame.put(data).array();
    }

    /** {@return the length of the start frame at the beginning of {@code octets}; 0 if it is not all there} */
    static int startFrameLength(byte[] octets) {
        if (octets.length < START_FRAME_LENGTH) {
            return 0;
        }
        int length = START_FRAME_LENGTH + (ByteBuffer.wrap(octets).getShort(18) & 0xffff);
        return octets.length < length ? 0 : length;
    }

    static Map<String, String> startFields(byte[] octets) {
        ByteBuffer frame = ByteBuffer.wrap(octets);
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("frame", octets[9] == 'q' ? "request" : "reply");
        int flags = octets[16];
        fields.put("M", yes(flags & 0x80));
        fields.put("C", yes(flags & 0x40));
        fields.put("R", yes(flags & 0x20));
        fields.put("rev", String.valueOf(octets[17]));
        int at = START_FRAME_LENGTH;
        if ((flags & 0x10) != 0) {
            int ird = frame.getShort(at) & 0xffff;
            int ord = frame.getShort(at + 2) & 0xffff;
            at += 4;
            fields.put("ird", String.valueOf(ird & 0x3fff));
            fields.put("ord", String.valueOf(ord & 0x3fff));
            fields.put(
                    "rtr",
                    ((ird & 0x8000) == 0 ? "none" : "")
                            + ((ird & 0x4000) == 0 ? "" : "send,")
                            + ((ord & 0x8000) == 0 ? "" : "write,")
                            + ((ord & 0x4000) == 0 ? "" : "read,"));
        }
        byte[] data = new byte[octets.length - at];
        frame.get(at, data);
        fields.put("pd", ScriptLine.text(data));
        return fields;
    }

    // ---- FPDUs

    /** {@return an FPDU as the peer sends it} */
    byte[] fpdu(ScriptLine line, Names names) {
        boolean tagged = line.has("tagged");
        String name = OPCODES.stream().filter(line::has).findFirst().orElse("send");
        int opcode = (int) line.number("opcode", OPCODES.indexOf(name), names);
        ByteBuffer body = ByteBuffer.wrap(body(name, line, names));
        ByteBuffer ulpdu = ByteBuffer.allocate((tagged ? TAGGED_LENGTH : UNTAGGED_LENGTH) + body.remaining());
        int control = (tagged ? 0x80 : 0) | (line.has("L") ? 0x40 : 0) | (int) line.number("dv", 1, names);
        ulpdu.put((byte) control).put((byte) (line.number("rv", 1, names) << 6 | opcode));
        if (tagged) {
            ulpdu.putInt((int) line.number("stag", names)).putLong(line.number("to", names));
        } else {
            int queue = (int) line.number("qn", queueOf(name), names);
            ulpdu.putInt((int) line.number("inv", 0, names)).putInt(queue);
            ulpdu.putInt((int) line.number("msn", messageNumber(queue, line.has("L")), names));
            ulpdu.putInt((int) line.number("mo", 0, names));
        }
        return frame(ulpdu.put(body).array(), line);
    }

    private int messageNumber(int queue, boolean last) {
        if (queue >= nextMsn.length) {
            return 1;
        }
        int number = nextMsn[queue];
        nextMsn[queue] += last ? 1 : 0;
        return number;
    }

    private static int queueOf(String name) {
        return switch (name) {
            case "read-request", "atomic-request" -> 1;
            case "terminate" -> 2;
            case "atomic-response" -> 3;
            default -> 0;
        };
    }

    private static byte[] body(String name, ScriptLine line, Names names) {
        if (line.value("raw") != null) {
            return ScriptLine.octets(line.value("raw", ""));
        }
        return switch (name) {
            case "read-request" ->
                ByteBuffer.allocate(28)
                        .putInt((int) line.number("sink", 0, names))
                        .putLong(line.number("sinkto", 0, names))
                        .putInt((int) line.number("size", names))
                        .putInt((int) line.number("source", names))
                        .putLong(line.number("sourceto", names))
                        .array();
            case "atomic-request" ->
                ByteBuffer.allocate(52)
                        .putInt(line.value("op", "").equals("cmp-swap") ? 2 : 0)
                        .putInt((int) line.number("id", 0, names))
                        .putInt((int) line.number("stag", names))
                        .putLong(line.number("to", names))
                        .putLong(line.number("add", 0, names))
                        .putLong(line.number("addmask", 0, names))
                        .putLong(line.number("compare", 0, names))
                        .putLong(line.number("comparemask", -1, names))
                        .array();
            case "atomic-response" ->
                ByteBuffer.allocate(12)
                        .putInt((int) line.number("id", 0, names))
                        .putLong(line.number("value", names))
                        .array();
            case "immediate", "immediate-se" ->
                ByteBuffer.allocate(8).putLong(line.number("value", names)).array();
            case "terminate" -> {
                String[] code = line.value("code", "0x0/0x0/0x00").split("/", -1);
                yield ByteBuffer.allocate(4)
                        .putInt(Integer.decode(code[0]) << 28
                                | Integer.decode(code[1]) << 24
                                | Integer.decode(code[2]) << 16)
                        .array();
            }
            default -> line.octets(names);
        };
    }

    /** {@return length, ULPDU, padding to a multiple of four, CRC32C (RFC 5044 §4.1), behind a Marker if the line says so} */
    private static byte[] frame(byte[] ulpdu, ScriptLine line) {
        // RFC 5044 §4.3: a Marker in front of the length has the offset 0, and is covered by the CRC.
        int begin = line.has("marker") ? 4 : 0;
        int padded = begin + (2 + ulpdu.length + 3) / 4 * 4;
        ByteBuffer fpdu = ByteBuffer.allocate(padded + 4)
                .position(begin)
                .putShort((short) ulpdu.length)
                .put(ulpdu);
        CRC32C crc = new CRC32C();
        crc.update(fpdu.array(), 0, padded);
        int checksum = line.has("badcrc") ? ~(int) crc.getValue() : (int) crc.getValue();
        if (line.has("nofield")) {
            return Arrays.copyOf(fpdu.array(), padded);
        }
        // RFC 3385, RFC 5044 §4.4: the checksum is in the frame in reversed byte order.
        return fpdu.putInt(padded, Integer.reverseBytes(checksum)).array();
    }

    /** {@return the length of the FPDU at the beginning of {@code octets}; 0 if it is not all there} */
    static int fpduLength(byte[] octets, boolean crcField) {
        if (octets.length < 2) {
            return 0;
        }
        int length = (2 + (ByteBuffer.wrap(octets).getShort(0) & 0xffff) + 3) / 4 * 4 + (crcField ? 4 : 0);
        return octets.length < length ? 0 : length;
    }

    static Map<String, String> fpduFields(byte[] octets, boolean crc) {
        ByteBuffer fpdu = ByteBuffer.wrap(octets);
        Map<String, String> fields = new LinkedHashMap<>();
        int ulpdu = fpdu.getShort(0) & 0xffff;
        CRC32C computed = new CRC32C();
        computed.update(octets, 0, octets.length - 4);
        boolean good = Integer.reverseBytes(fpdu.getInt(octets.length - 4)) == (int) computed.getValue();
        fields.put("crc", good || !crc ? "good" : "bad");
        boolean tagged = (octets[2] & 0x80) != 0;
        int opcode = octets[3] & 0xf;
        String name = opcode < OPCODES.size() ? OPCODES.get(opcode) : "opcode " + opcode;
        fields.put("ddp", tagged ? "tagged" : "untagged");
        fields.put("message", name);
        fields.put("L", yes(octets[2] & 0x40));
        fields.put("dv", String.valueOf(octets[2] & 3));
        fields.put("rv", String.valueOf(octets[3] >> 6 & 3));
        int at;
        if (tagged) {
            fields.put("stag", hex(fpdu.getInt(4)));
            fields.put("to", "0x" + Long.toHexString(fpdu.getLong(8)));
            at = 2 + TAGGED_LENGTH;
        } else {
            fields.put("inv", hex(fpdu.getInt(4)));
            fields.put("qn", String.valueOf(fpdu.getInt(8)));
            fields.put("msn", String.valueOf(fpdu.getInt(12)));
            fields.put("mo", String.valueOf(fpdu.getInt(16)));
            at = 2 + UNTAGGED_LENGTH;
        }
        byte[] payload = new byte[ulpdu + 2 - at];
        fpdu.get(at, payload);
        fields.put("len", String.valueOf(payload.length));
        fields.put("data", ScriptLine.text(payload));
        payloadFields(name, ByteBuffer.wrap(payload), fields);
        return fields;
    }

    private static void payloadFields(String name, ByteBuffer payload, Map<String, String> fields) {
        switch (name) {
            case "read-request" -> {
                fields.put("sink", hex(payload.getInt()));
                fields.put("sinkto", "0x" + Long.toHexString(payload.getLong()));
                fields.put("size", String.valueOf(payload.getInt()));
                fields.put("source", hex(payload.getInt()));
                fields.put("sourceto", "0x" + Long.toHexString(payload.getLong()));
            }
            case "terminate" -> {
                int control = payload.getInt();
                fields.put(
                        "code",
                        String.format(
                                Locale.ROOT,
                                "0x%x/0x%x/0x%02x",
                                control >>> 28,
                                control >>> 24 & 0xf,
                                control >>> 16 & 0xff));
                fields.put(
                        "hdrct",
                        ((control & 0x8000) == 0 ? "" : "M")
                                + ((control & 0x4000) == 0 ? "" : "D")
                                + ((control & 0x2000) == 0 ? "" : "R"));
            }
            case "immediate", "immediate-se" -> fields.put("value", String.valueOf(payload.getLong()));
            case "atomic-request" -> {
                fields.put("op", payload.getInt() == 2 ? "cmp-swap" : "fetch-add");
                fields.put("id", String.valueOf(payload.getInt()));
                fields.put("stag", hex(payload.getInt()));
                fields.put("to", "0x" + Long.toHexString(payload.getLong()));
                fields.put("add", String.valueOf(payload.getLong()));
            }
            case "atomic-response" -> {
                fields.put("id", String.valueOf(payload.getInt()));
                fields.put("value", String.valueOf(payload.getLong()));
            }
            default -> {}
        }
    }

    private static String hex(int number) {
        return "0x" + Integer.toHexString(number);
    }

    private static String yes(int bit) {
        return bit == 0 ? "no" : "yes";
    }
}
