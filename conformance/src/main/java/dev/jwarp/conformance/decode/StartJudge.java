package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds breaches in an MPA Request or Reply. */
final class StartJudge {
    private StartJudge() {}

    static List<Finding> request(StartFrame request, int declared) {
        Breaches breaches = both(request, declared);
        breaches.unless(!request.has(StartFrame.REJECT), "MPA-7.1.1-8", "R is set in a Request");
        Depths depths = request.depths();
        if (depths != null && !depths.peerToPeer() && depths.rtr() != 0) {
            breaches.add("MPA2-9.2-8", "A is 0, but one of B, C and D is set");
        }
        return breaches.list();
    }

    static List<Finding> reply(StartFrame reply, int declared, @Nullable StartFrame request) {
        Breaches breaches = both(reply, declared);
        if (request != null) {
            boolean asks = request.has(StartFrame.ENHANCED);
            boolean answers = reply.has(StartFrame.ENHANCED);
            breaches.unless(!asks || answers, "MPA2-10-1", "the Request has S set, the Reply has not");
            breaches.unless(asks || !answers, "MPA2-10-2", "the Reply has S set, the Request has not");
            Depths asked = request.depths();
            Depths answered = reply.depths();
            if (asked != null && answered != null) {
                flags(asked, answered, breaches);
                if (!reply.has(StartFrame.REJECT)) {
                    depths(asked, answered, breaches);
                }
            }
        }
        return breaches.list();
    }

    private static Breaches both(StartFrame frame, int declared) {
        Breaches breaches = new Breaches();
        boolean enhanced = frame.has(StartFrame.ENHANCED);
        if (frame.revision() == 0 || frame.revision() > 2) {
            breaches.add("MPA-7.1.1-11", "revision %s, not 1 or 2", frame.revision());
        } else if (enhanced && frame.revision() < 2) {
            breaches.add("MPA2-6-1", "S is set in a frame of revision 1");
        }
        int reserved = frame.flags() & 0xF;
        breaches.unless(reserved == 0, "MPA-7.1.1-9", "the reserved bits are 0x%X", reserved);
        int there = frame.privateData().length;
        if (declared > StartFrame.MOST_PRIVATE_DATA) {
            breaches.add("MPA-7.1.1-12", "PD_Length is %s, more than 512", declared);
        } else if (declared != there) {
            privateData(declared, there, breaches);
        } else if (enhanced && declared < Depths.SIZE) {
            breaches.add("MPA2-6-3", "S is set, but PD_Length is %s: no room for IRD and ORD", declared);
        }
        return breaches;
    }

    /** A frame is followed by another number of bytes of private data than it states. */
    static void privateData(int declared, int there, Breaches breaches) {
        breaches.add("MPA-7.1.1-14", "PD_Length is %s, but %s bytes of private data follow", declared, there);
    }

    private static void flags(Depths asked, Depths answered, Breaches breaches) {
        if (!asked.peerToPeer()) {
            boolean none = !answered.peerToPeer() && answered.rtr() == 0;
            breaches.unless(none, "MPA2-9.2-1", "A of the Request is 0, but the Reply has one of A, B, C and D set");
        } else if (!answered.peerToPeer()) {
            breaches.add("MPA2-9.2-2", "A of the Request is 1, that of the Reply is 0");
        } else if (answered.rtr() == 0) {
            breaches.add("MPA2-9.2-3", "the Reply names no kind of Ready-to-Receive message");
        }
    }

    private static void depths(Depths asked, Depths answered, Breaches breaches) {
        if (asked.ord() == Depths.UNSET && answered.ird() != Depths.UNSET) {
            breaches.add("MPA2-9.1-6", "ORD of the Request is 0x3FFF, but IRD of the Reply is %s", answered.ird());
        }
        if (asked.ird() == Depths.UNSET && answered.ord() != Depths.UNSET) {
            breaches.add("MPA2-9.1-7", "IRD of the Request is 0x3FFF, but ORD of the Reply is %s", answered.ord());
        } else if (answered.ord() > asked.ird()) {
            String what = "ORD of the Reply is %s, more than IRD of the Request, %s";
            breaches.add("MPA2-9.1-1", what, answered.ord(), asked.ird());
        }
    }
}
