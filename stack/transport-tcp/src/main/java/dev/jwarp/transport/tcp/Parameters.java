package dev.jwarp.transport.tcp;

import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.mpa.Agreement;
import dev.jwarp.mpa.EnhancedData;
import dev.jwarp.mpa.RtrType;
import dev.jwarp.mpa.StartFrame;
import java.util.Set;

/** Translates MPA's terms to those of the lower-layer interface. */
final class Parameters {
    private Parameters() {}

    /**
     * {@return the values of the peer, IRD and ORD as received (RFC 6581 §9.1, MPA2-9.1-9: both go to the layer above)}
     */
    static StartParameters of(StartFrame frame) {
        EnhancedData enhanced = frame.enhanced();
        byte[] privateData = frame.privateData().toByteArray();
        return enhanced == null
                ? new StartParameters(StartParameters.UNKNOWN, StartParameters.UNKNOWN, privateData)
                : new StartParameters(enhanced.ird(), enhanced.ord(), privateData);
    }

    /** {@return the agreement} */
    static LlpAgreement of(Agreement agreement) {
        return new LlpAgreement(
                agreement.initiator(),
                agreement.ird(),
                agreement.ord(),
                readyToReceive(agreement),
                agreement.writeAwaited());
    }

    /**
     * {@return the ready-to-receive message} A responder that offered several knows only that one of them comes. Then
     * the result is a Read if that is one of them, because only a Read needs a resource of the responder (an inbound
     * read).
     */
    private static ReadyToReceive readyToReceive(Agreement agreement) {
        Set<RtrType> types = agreement.rtrTypes();
        if (types.isEmpty()) {
            return ReadyToReceive.NONE;
        }
        RtrType type = !agreement.initiator() && types.contains(RtrType.READ)
                ? RtrType.READ
                : types.iterator().next();
        return switch (type) {
            case SEND -> ReadyToReceive.SEND;
            case WRITE -> ReadyToReceive.WRITE;
            case READ -> ReadyToReceive.READ;
        };
    }
}
