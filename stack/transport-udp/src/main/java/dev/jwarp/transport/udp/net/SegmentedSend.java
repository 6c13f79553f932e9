package dev.jwarp.transport.udp.net;

import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import java.io.IOException;

/**
 * Sends the equal datagrams of a batch in one call where the kernel segments (UDP_SEGMENT), and one by one elsewhere.
 * The owner of the port only; allocates nothing.
 */
public final class SegmentedSend {
    private final UdpSocket socket;
    private final UdpContext context;
    /** Whether the system can forbid fragments; and whether fragments are forbidden now. */
    private final boolean keepsWhole;

    private boolean whole;
    private boolean possible;
    /** The value of UDP_SEGMENT; 0 for off. */
    private int size;

    /** For one socket. */
    public SegmentedSend(UdpSocket socket, UdpContext context) {
        this.socket = socket;
        this.context = context;
        possible = context.settings().sendsSegments() && socket.segment(0);
        keepsWhole = !context.settings().on(UdpSetting.FRAGMENTS) && socket.keepWhole(true);
        whole = keepsWhole;
        if (!keepsWhole && !context.settings().on(UdpSetting.FRAGMENTS)) {
            context.counters().count(UdpCounter.MAY_FRAGMENT);
        }
    }

    /** {@return whether the kernel segments} */
    public boolean possible() {
        return possible;
    }

    /** {@return whether IP never fragments datagrams, except where {@link DatagramBatch#mayBeCut}} */
    public boolean keepsWhole() {
        return keepsWhole;
    }

    /** {@return bytes of the batch's first datagrams that the system took; 0 if it has no room} */
    public int transmit(DatagramBatch batch) throws IOException {
        if (keepsWhole && whole == batch.mayBeCut()) {
            whole = !whole;
            socket.keepWhole(whole);
        }
        boolean several = possible && batch.count() > 1 && !batch.mayBeCut(); // the kernel cannot segment and fragment
        if (several) {
            use(batch.datagramSize());
        } else if (size != 0 && (batch.firstLength() > size || batch.mayBeCut())) {
            use(0);
        }
        try {
            return socket.send(batch, several ? batch.length() : batch.firstLength());
        } catch (IOException e) {
            if (size == 0 || !socket.mayBeOfSegments(e)) {
                throw e;
            }
        }
        // datagram-iWARP §6: a batch was refused as a whole: repeat it one by one.
        use(0);
        int taken = socket.send(batch, batch.firstLength());
        if (several && taken > 0) { // the batch was refused, but not its datagram: from now on one by one
            possible = false;
            context.counters().count(UdpCounter.TX_SPLIT);
        }
        return taken;
    }

    private void use(int wanted) {
        if (wanted != size) {
            socket.segment(wanted);
            size = wanted;
        }
    }
}
