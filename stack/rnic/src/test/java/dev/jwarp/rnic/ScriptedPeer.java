package dev.jwarp.rnic;

import dev.jwarp.llp.LlpFailure;
import dev.jwarp.sim.RawEnd;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;

/** The peer of a packet script: sends the bytes of the script, and stores received frames. */
final class ScriptedPeer extends RawEnd {
    /** A received item. */
    record Item(String what, long nanos, byte[] octets) {}

    final ArrayDeque<Item> items = new ArrayDeque<>();
    private final ByteArrayOutputStream input = new ByteArrayOutputStream();
    private boolean started;

    boolean connected;

    /** Whether FPDUs have a CRC field. */
    boolean crcField = true;

    @Override
    public void onConnected(long nowNanos) {
        connected = true;
    }

    @Override
    public void onConnectFailed(LlpFailure failure, String sentence, long nowNanos) {
        items.add(new Item("refused", nowNanos, new byte[0]));
    }

    @Override
    public void receive(ByteBuffer in, long nowNanos) {
        byte[] some = new byte[in.remaining()];
        in.get(some);
        input.writeBytes(some);
        byte[] all = input.toByteArray();
        int length = frameLength(all);
        while (length > 0) {
            items.add(new Item(started ? "fpdu" : "start", nowNanos, Arrays.copyOf(all, length)));
            started = true;
            all = Arrays.copyOfRange(all, length, all.length);
            length = frameLength(all);
        }
        input.reset();
        input.writeBytes(all);
    }

    private int frameLength(byte[] octets) {
        return started ? ScriptFrames.fpduLength(octets, crcField) : ScriptFrames.startFrameLength(octets);
    }

    @Override
    public void onInputClosed(long nowNanos) {
        items.add(new Item("fin", nowNanos, input.toByteArray()));
    }

    @Override
    public void onBroken(long nowNanos) {
        items.add(new Item("rst", nowNanos, input.toByteArray()));
    }
}
