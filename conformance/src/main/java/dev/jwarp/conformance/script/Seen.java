package dev.jwarp.conformance.script;

import dev.jwarp.conformance.wire.Fpdu;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The FPDUs that came, for a case to look back at: all of them, or the last of so many that they would fill the tester's memory. */
final class Seen {
    /** Bytes that are kept. */
    private static final long KEPT = 16 << 20;

    /** What an FPDU costs besides its bytes. */
    private static final int OVERHEAD = 256;

    private final Deque<Fpdu> fpdus = new ArrayDeque<>();
    private long kept;

    void add(Fpdu fpdu) {
        fpdus.add(fpdu);
        kept += fpdu.octets().length + OVERHEAD;
        while (kept > KEPT) {
            kept -= fpdus.remove().octets().length + OVERHEAD;
        }
    }

    List<Fpdu> all() {
        return List.copyOf(fpdus);
    }
}
