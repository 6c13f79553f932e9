package dev.jwarp.verbs;

/**
 * A receive: memory for one Send or Immediate Data of the peer; {@code ibv_recv_wr}. A Send longer than its receive
 * ends the connection (RFC 5041 §7.1). A Send without a posted receive ends the connection too, because iWARP has no
 * retry for it. Immediate Data needs a receive of at least 8 bytes.
 */
public final class ReceiveWorkRequest extends WorkRequest<ReceiveWorkRequest> {
    /** Creates an empty request. */
    public ReceiveWorkRequest() {
        super();
    }

    @Override
    ReceiveWorkRequest self() {
        return this;
    }

    /**
     * Resets the request to its initial values.
     *
     * @return this request
     */
    public ReceiveWorkRequest clear() {
        clearCommon();
        return this;
    }
}
