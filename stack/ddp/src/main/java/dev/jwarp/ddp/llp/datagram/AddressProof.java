package dev.jwarp.ddp.llp.datagram;

/** How sure it is that a datagram came from the address that it names (datagram-iWARP §9.1). */
public enum AddressProof {
    /** Any host may have sent it. */
    NONE,
    /** This side knows the source, or it has proved itself lately; another host may still have sent this datagram. */
    SOURCE,
    /** The datagram itself shows what only the source can know; or that source cannot be forged. */
    DATAGRAM
}
