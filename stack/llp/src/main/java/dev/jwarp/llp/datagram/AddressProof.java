package dev.jwarp.llp.datagram;

/** How far the source address of a datagram is validated (datagram-iWARP §9.1). */
public enum AddressProof {
    /** Not at all: any host may have sent the datagram. */
    NONE,
    /** The source address is known or was validated recently, but another host may have sent this datagram. */
    SOURCE,
    /** The datagram contains a proof that only the source can know, or the source cannot be forged. */
    DATAGRAM
}
