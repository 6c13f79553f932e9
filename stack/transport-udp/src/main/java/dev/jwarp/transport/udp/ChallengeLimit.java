package dev.jwarp.transport.udp;

import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * How many CHALLENGEs go out in a second (datagram-iWARP §9.4). Each address has a number of them, and each of its ports a few
 * beyond that: who forges an address and does not know the port that is in use there takes nothing away from it. Counts are
 * kept in places found by a hash under a secret, so no source can push out what is counted of another. Owner thread only;
 * allocates nothing after construction.
 */
final class ChallengeLimit {
    /** What each port of an address gets, whatever the others have got (datagram-iWARP §9.4). */
    static final int PER_PORT = 10;

    private static final int PLACES = 8_192;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final long all;
    private final long perAddress;
    private final long secret;
    private final int[] ofAddress = new int[PLACES];
    private final int[] ofPort = new int[PLACES];
    private long sent;
    private long began;

    ChallengeLimit(long all, long perAddress, long secret) {
        this.all = all;
        this.perAddress = perAddress;
        this.secret = secret | 1;
    }

    /** {@return whether that source may get one now} It is counted then. */
    boolean admits(DatagramAddress source, long nowNanos) {
        if (sent > 0 && nowNanos - began >= SECOND) {
            Arrays.fill(ofAddress, 0);
            Arrays.fill(ofPort, 0);
            sent = 0;
        }
        int address = place(Divided.source(source), 0, 0);
        int port = place(source.high(), source.low(), SourceTable.portAndScope(source));
        if (sent >= all || (ofAddress[address] >= perAddress && ofPort[port] >= PER_PORT)) {
            return false;
        }
        if (sent == 0) {
            began = nowNanos;
        }
        sent++;
        ofAddress[address]++;
        ofPort[port]++;
        return true;
    }

    private int place(long first, long second, long third) {
        return SourceTable.hash(secret, first, second, third) & (PLACES - 1);
    }
}
