package dev.jwarp.transport.udp.net;

import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import java.io.IOException;

/**
 * Sends the equal datagrams of a batch with one call where the kernel cuts them apart, and one by one where it does not. The owner of
 * the port only; allocates nothing.
 */
public final class SegmentedSend {
    /** The socket it sends through. */
    public interface Way {
        /** {@return how many of the batch's first bytes the socket took; 0 if it has no room} */
        int send(DatagramBatch batch, int length) throws IOException;

        /** {@return whether the kernel cuts what is sent into datagrams of {@code size} bytes from now on; 0 for not} */
        boolean segment(int size);

        /** {@return whether a send may have been refused because it was to be cut} */
        boolean mayBeOfSegments(IOException e);

        /** {@return whether the system has taken it that IP never cuts what is sent from now on into fragments, or may do so} */
        boolean keepWhole(boolean whole);
    }

    private final Way way;
    private final UdpContext context;
    /** The system can be told that datagrams are not to be cut; and whether it is told so now. */
    private final boolean keepsWhole;

    private boolean whole;
    private boolean possible;
    /** What UDP_SEGMENT is set to; 0 for off. */
    private int size;

    /** For one socket. */
    public SegmentedSend(Way way, UdpContext context) {
        this.way = way;
        this.context = context;
        possible = context.settings().sendsSegments() && way.segment(0);
        keepsWhole = !context.settings().on(UdpSetting.FRAGMENTS) && way.keepWhole(true);
        whole = keepsWhole;
        if (!keepsWhole && !context.settings().on(UdpSetting.FRAGMENTS)) {
            context.counters().count(UdpCounter.MAY_FRAGMENT);
        }
    }

    /** {@return whether the kernel cuts} */
    public boolean possible() {
        return possible;
    }

    /** {@return whether IP never cuts what is sent, but where {@link DatagramBatch#mayBeCut}} */
    public boolean keepsWhole() {
        return keepsWhole;
    }

    /** {@return bytes of the batch's first datagrams that the system took; 0 if it has no room} */
    public int transmit(DatagramBatch batch) throws IOException {
        if (keepsWhole && whole == batch.mayBeCut()) {
            whole = !whole;
            way.keepWhole(whole);
        }
        boolean several = possible && batch.count() > 1 && !batch.mayBeCut(); // the kernel does not do both
        if (several) {
            use(batch.datagramSize());
        } else if (size != 0 && (batch.firstLength() > size || batch.mayBeCut())) {
            use(0);
        }
        try {
            return way.send(batch, several ? batch.length() : batch.firstLength());
        } catch (IOException e) {
            if (size == 0 || !way.mayBeOfSegments(e)) {
                throw e;
            }
        }
        // datagram-iWARP §6: a batch was refused as a batch; the same again one by one.
        use(0);
        int taken = way.send(batch, batch.firstLength());
        if (several && taken > 0) { // it was not the datagram, but that there were several: from now on one by one
            possible = false;
            context.counters().count(UdpCounter.TX_SPLIT);
        }
        return taken;
    }

    private void use(int wanted) {
        if (wanted != size) {
            way.segment(wanted);
            size = wanted;
        }
    }
}
