package dev.jwarp.tools.decode;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes pcapng. */
final class Pcapng {
    private Pcapng() {}

    /** The frames of a pcap of this machine's order of bytes and microseconds. */
    static byte[] of(byte[] pcap) {
        ByteBuffer in = ByteBuffer.wrap(pcap).order(ByteOrder.LITTLE_ENDIAN);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer section = body(16);
        section.putInt(0x1A2B3C4D).putShort((short) 1).putShort((short) 0).putLong(-1);
        block(out, 0x0A0D0D0A, section);
        ByteBuffer link = body(8);
        link.putShort((short) in.getInt(20)).putShort((short) 0).putInt(0);
        block(out, 1, link);
        int at = 24;
        while (at < pcap.length) {
            long ticks = in.getInt(at) * 1_000_000L + in.getInt(at + 4);
            int length = in.getInt(at + 8);
            ByteBuffer packet = body(20 + (length + 3 & ~3));
            packet.putInt(0).putInt((int) (ticks >>> 32)).putInt((int) ticks);
            packet.putInt(length)
                    .putInt(in.getInt(at + 12))
                    .put(pcap, at + 16, length)
                    .position(packet.capacity());
            block(out, 6, packet);
            at += 16 + length;
        }
        return out.toByteArray();
    }

    private static ByteBuffer body(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void block(ByteArrayOutputStream out, int type, ByteBuffer body) {
        int length = body.capacity() + 12;
        ByteBuffer block = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        out.writeBytes(block.putInt(type)
                .putInt(length)
                .put(body.flip())
                .putInt(length)
                .array());
    }
}
