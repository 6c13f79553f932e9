package dev.jwarp.ddp.llp.datagram;

/** How sure it is that a datagram came from the address that it names (datagram-iWARP §9.1). */
public enum AddressProof {
    /** Anybody may have sent it. */
    NONE,
    /** This side knows the source, or it has proved itself lately: somebody else may have sent this datagram all the same. */
    SOURCE,
    /** The datagram itself shows what only the source can know; or nobody can forge that source. */
    DATAGRAM
}
