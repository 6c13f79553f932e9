package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds breaches in an MPA Request or Reply. */
final class StartJudge {
    private StartJudge() {}

    static List<Finding> request(StartFrame request, int declared) {
        List<Finding> findings = both(request, declared);
        if (request.has(StartFrame.REJECT)) {
            findings.add(new Finding("MPA-7.1.1-8", "R is set in a Request"));
        }
        Depths depths = request.depths();
        if (depths != null && !depths.peerToPeer() && depths.rtr() != 0) {
            findings.add(new Finding("MPA2-9.2-8", "A is 0, but one of B, C and D is set"));
        }
        return findings;
    }

    static List<Finding> reply(StartFrame reply, int declared, @Nullable StartFrame request) {
        List<Finding> findings = both(reply, declared);
        if (request == null) {
            return findings;
        }
        if (request.has(StartFrame.ENHANCED) != reply.has(StartFrame.ENHANCED)) {
            boolean enhanced = request.has(StartFrame.ENHANCED);
            findings.add(new Finding(
                    enhanced ? "MPA2-10-1" : "MPA2-10-2",
                    enhanced
                            ? "the Request has S set, the Reply has not"
                            : "the Reply has S set, the Request has not"));
        }
        Depths asked = request.depths();
        Depths answered = reply.depths();
        if (asked != null && answered != null) {
            flags(asked, answered, findings);
            if (!reply.has(StartFrame.REJECT)) {
                depths(asked, answered, findings);
            }
        }
        return findings;
    }

    private static List<Finding> both(StartFrame frame, int declared) {
        List<Finding> findings = new ArrayList<>();
        boolean enhanced = frame.has(StartFrame.ENHANCED);
        if (frame.revision() == 0 || frame.revision() > 2) {
            findings.add(new Finding("MPA-7.1.1-11", "revision " + frame.revision() + ", not 1 or 2"));
        } else if (enhanced && frame.revision() < 2) {
            findings.add(new Finding("MPA2-6-1", "S is set in a frame of revision 1"));
        }
        if ((frame.flags() & 0xF) != 0) {
            findings.add(new Finding("MPA-7.1.1-9", "the reserved bits are 0x%X".formatted(frame.flags() & 0xF)));
        }
        int there = frame.privateData().length;
        if (declared > StartFrame.MOST_PRIVATE_DATA) {
            findings.add(new Finding("MPA-7.1.1-12", "PD_Length is " + declared + ", more than 512"));
        } else if (declared != there) {
            findings.add(new Finding(
                    "MPA-7.1.1-14", "PD_Length is " + declared + ", but " + there + " bytes of private data follow"));
        } else if (enhanced && declared < Depths.SIZE) {
            findings.add(
                    new Finding("MPA2-6-3", "S is set, but PD_Length is " + declared + ": no room for IRD and ORD"));
        }
        return findings;
    }

    private static void flags(Depths asked, Depths answered, List<Finding> findings) {
        if (!asked.peerToPeer()) {
            if (answered.peerToPeer() || answered.rtr() != 0) {
                findings.add(
                        new Finding("MPA2-9.2-1", "A of the Request is 0, but the Reply has one of A, B, C and D set"));
            }
        } else if (!answered.peerToPeer()) {
            findings.add(new Finding("MPA2-9.2-2", "A of the Request is 1, that of the Reply is 0"));
        } else if (answered.rtr() == 0) {
            findings.add(new Finding("MPA2-9.2-3", "the Reply names no kind of Ready-to-Receive message"));
        }
    }

    private static void depths(Depths asked, Depths answered, List<Finding> findings) {
        if (asked.ord() == Depths.UNSET && answered.ird() != Depths.UNSET) {
            findings.add(new Finding(
                    "MPA2-9.1-6", "ORD of the Request is 0x3FFF, but IRD of the Reply is " + answered.ird()));
        }
        if (asked.ird() == Depths.UNSET) {
            if (answered.ord() != Depths.UNSET) {
                findings.add(new Finding(
                        "MPA2-9.1-7", "IRD of the Request is 0x3FFF, but ORD of the Reply is " + answered.ord()));
            }
        } else if (answered.ord() > asked.ird()) {
            findings.add(new Finding(
                    "MPA2-9.1-1",
                    "ORD of the Reply is " + answered.ord() + ", more than IRD of the Request, " + asked.ird()));
        }
    }
}
