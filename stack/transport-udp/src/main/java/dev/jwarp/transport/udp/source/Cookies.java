package dev.jwarp.transport.udp.source;

import dev.jwarp.llp.datagram.DatagramAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes and checks the cookies with which a source proves that it receives datagrams to its address (datagram-iWARP
 * §9). No state is kept per source: a cookie is an HMAC-SHA256, truncated to 16 octets, over address, port, scope, the
 * source's QPN and the number of a time slot of 60 s. Cookies of the present slot and of the one before are valid. One
 * thread at a time.
 */
public final class Cookies {
    /** The length of a slot. A cookie is valid for the rest of its slot and for all of the next. */
    public static final long SLOT_NANOS = TimeUnit.SECONDS.toNanos(60); // T_SLOT
    /** The length of the secret, bytes. */
    public static final int SECRET_LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";
    private static final int PORT_OFFSET = 16;
    private static final int SCOPE_OFFSET = 20;
    private static final int QPN_OFFSET = 24;
    private static final int SLOT_OFFSET = 28;
    private static final int INPUT_LENGTH = 36;

    private final Mac mac;
    private final Shown shown = new Shown();
    private final ByteBuffer input = ByteBuffer.allocate(INPUT_LENGTH);
    private final ByteBuffer output;

    /**
     * Creates the cookies of this process.
     *
     * @param secret {@link #SECRET_LENGTH} unpredictable bytes; copied
     */
    public Cookies(byte[] secret) {
        if (secret.length != SECRET_LENGTH) {
            throw new IllegalArgumentException(
                    "the secret has " + secret.length + " bytes, but needs " + SECRET_LENGTH);
        }
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK lacks " + ALGORITHM + ", which every JDK must have", e);
        }
        output = ByteBuffer.allocate(mac.getMacLength());
    }

    /** Makes the cookie for a source; {@link #high} and {@link #low} are its octets until the next call. */
    public void make(DatagramAddress source, int sourceQpn, long nowNanos) {
        compute(source, sourceQpn, slot(nowNanos));
    }

    /** {@return the first 8 octets of the cookie made last} */
    public long high() {
        return output.getLong(0);
    }

    /** {@return the last 8 octets of the cookie made last} */
    public long low() {
        return output.getLong(Long.BYTES);
    }

    /**
     * {@return whether this object made the cookie for that source, in this slot or the one before} DG-9.2-1, DG-9.2-3.
     */
    public boolean good(DatagramAddress source, int sourceQpn, long high, long low, long nowNanos) {
        long slot = slot(nowNanos);
        if (shown.knows(source, sourceQpn, high, low, slot)) {
            return true;
        }
        if (matches(source, sourceQpn, high, low, slot)) {
            shown.add(source, sourceQpn, high, low, slot);
            return true;
        }
        boolean right = matches(source, sourceQpn, high, low, slot - 1);
        if (right) {
            shown.add(source, sourceQpn, high, low, slot - 1);
        }
        return right;
    }

    private boolean matches(DatagramAddress source, int sourceQpn, long high, long low, long slot) {
        compute(source, sourceQpn, slot);
        return ((high ^ high()) | (low ^ low())) == 0; // constant time: all bits before the one branch
    }

    private static long slot(long nowNanos) {
        return Math.floorDiv(nowNanos, SLOT_NANOS);
    }

    private void compute(DatagramAddress source, int sourceQpn, long slot) {
        input.putLong(0, source.high()).putLong(Long.BYTES, source.low());
        input.putInt(PORT_OFFSET, source.port()).putInt(SCOPE_OFFSET, source.scope());
        input.putInt(QPN_OFFSET, sourceQpn).putLong(SLOT_OFFSET, slot);
        try {
            mac.update(input.array());
            mac.doFinal(output.array(), 0);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the output array is too short for " + ALGORITHM, e);
        }
    }

    /**
     * A cache of recently verified cookies, each with its source: a source shows the same cookie in every Read Request
     * for up to two minutes, and computing it takes longer than answering a short Read. Only valid cookies are added,
     * so a peer cannot fill the cache with others. Direct-mapped: a newer cookie replaces the older one. Owner thread
     * only; allocates nothing.
     */
    private static final class Shown {
        private static final int ENTRIES = 1024;

        private final long[] high = new long[ENTRIES];
        private final long[] low = new long[ENTRIES];
        private final long[] addressHigh = new long[ENTRIES];
        private final long[] addressLow = new long[ENTRIES];
        private final long[] portAndScope = new long[ENTRIES];
        private final int[] queuePair = new int[ENTRIES];
        /** The slot in which the cookie was made. An empty entry has QPN 0 and port 0, which match no source. */
        private final long[] madeIn = new long[ENTRIES];

        /** {@return whether the cache has this cookie for that source, valid in that slot} */
        boolean knows(DatagramAddress source, int sourceQpn, long cookieHigh, long cookieLow, long slot) {
            int at = place(cookieLow);
            long difference = (high[at] ^ cookieHigh)
                    | (low[at] ^ cookieLow)
                    | (addressHigh[at] ^ source.high())
                    | (addressLow[at] ^ source.low())
                    | (portAndScope[at] ^ portAndScope(source))
                    | (queuePair[at] ^ sourceQpn)
                    | ((slot - madeIn[at]) & ~1L); // of this slot or of the one before
            return difference == 0; // constant time: all bits before the one branch
        }

        /** Adds a valid cookie, made in the slot {@code made}. */
        void add(DatagramAddress source, int sourceQpn, long cookieHigh, long cookieLow, long made) {
            int at = place(cookieLow);
            high[at] = cookieHigh;
            low[at] = cookieLow;
            addressHigh[at] = source.high();
            addressLow[at] = source.low();
            portAndScope[at] = portAndScope(source);
            queuePair[at] = sourceQpn;
            madeIn[at] = made;
        }

        private static long portAndScope(DatagramAddress source) {
            return (long) source.scope() << 32 | source.port();
        }

        private static int place(long cookieLow) {
            return (int) cookieLow & (ENTRIES - 1);
        }
    }
}
