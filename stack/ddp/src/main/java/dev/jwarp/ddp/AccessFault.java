package dev.jwarp.ddp;

import dev.jwarp.llp.TerminateCode;

/**
 * Reasons to refuse access to registered memory, in the order of the checks, with their codes. The codes are DDP's
 * where the STag is in a DDP header, and RDMAP's where it is in an RDMAP header (RFC 5041 §7.2, RFC 5040 §7.2).
 */
public enum AccessFault {
    /** The STag is unknown, invalid or expired. */
    STAG_INVALID(TerminateCode.DDP_INVALID_STAG, TerminateCode.RDMAP_INVALID_STAG),
    /** The STag belongs to another protection domain, another stream or other peers. */
    NOT_ASSOCIATED(TerminateCode.DDP_STAG_NOT_ASSOCIATED, TerminateCode.RDMAP_STAG_NOT_ASSOCIATED),
    /** The STag does not grant the right; RFC 5041 §7.2 has no separate code for this. */
    RIGHTS(TerminateCode.DDP_INVALID_STAG, TerminateCode.RDMAP_ACCESS_RIGHTS),
    /** The range wraps around 2^64. */
    WRAP(TerminateCode.DDP_TO_WRAP, TerminateCode.RDMAP_TO_WRAP),
    /** The range is outside the buffer. */
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
