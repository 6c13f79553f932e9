package dev.jwarp.ddp;

/**
 * What keeps a peer, or the program itself, from a range of registered memory: the checks in their order, and the code of
 * each. The codes are DDP's where the STag is in a DDP header, and RDMAP's where it is in an RDMAP header (RFC 5041 §7.2,
 * RFC 5040 §7.2).
 */
public enum AccessFault {
    /** There is no such STag, it is not valid any more, or its time is over. */
    STAG_INVALID(TerminateCode.DDP_INVALID_STAG, TerminateCode.RDMAP_INVALID_STAG),
    /** It belongs to another protection domain, to another stream, or to other peers. */
    NOT_ASSOCIATED(TerminateCode.DDP_STAG_NOT_ASSOCIATED, TerminateCode.RDMAP_STAG_NOT_ASSOCIATED),
    /** It does not grant the right; RFC 5041 §7.2 has no code of its own for this. */
    RIGHTS(TerminateCode.DDP_INVALID_STAG, TerminateCode.RDMAP_ACCESS_RIGHTS),
    /** The range reaches 2^64. */
    WRAP(TerminateCode.DDP_TO_WRAP, TerminateCode.RDMAP_TO_WRAP),
    /** The range is not within the buffer. */
    BOUNDS(TerminateCode.DDP_BASE_BOUNDS, TerminateCode.RDMAP_BASE_BOUNDS);

    private final TerminateCode ddp;
    private final TerminateCode rdmap;

    AccessFault(TerminateCode ddp, TerminateCode rdmap) {
        this.ddp = ddp;
        this.rdmap = rdmap;
    }

    /** {@return the code where the STag is in the header of a tagged segment} */
    public TerminateCode ddp() {
        return ddp;
    }

    /** {@return the code where the STag is in the header of a request} */
    public TerminateCode rdmap() {
        return rdmap;
    }
}
