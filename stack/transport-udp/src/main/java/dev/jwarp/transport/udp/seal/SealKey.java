package dev.jwarp.transport.udp.seal;

import dev.jwarp.base.Networks;
import dev.jwarp.llp.datagram.DatagramAddress;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** One key: its number on the wire, its secret, and for which peers it is. Tells its secret to no one. Immutable; any thread. */
final class SealKey {
    private static final String HMAC = "HmacSHA256";

    private final int id;
    private final boolean sends;
    private final Networks peers;
    private final SecretKeySpec secret;

    SealKey(int id, boolean sends, byte[] secret, Networks peers) {
        this.id = id;
        this.sends = sends;
        this.peers = peers;
        this.secret = new SecretKeySpec(secret, HMAC);
    }

    int id() {
        return id;
    }

    /** {@return whether datagrams may be sent with it, not only received} */
    boolean sends() {
        return sends;
    }

    /** {@return whether it is for that peer} */
    boolean isFor(DatagramAddress peer) {
        return peers.contain(peer.high(), peer.low());
    }

    /** {@return a new HMAC-SHA-256 with this key} */
    Mac mac() {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(secret);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no HMAC-SHA-256, which every JDK has to have", e);
        }
    }

    @Override
    public String toString() {
        return "key " + Integer.toUnsignedString(id);
    }
}
