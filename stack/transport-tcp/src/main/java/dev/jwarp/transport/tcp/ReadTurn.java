package dev.jwarp.transport.tcp;

/**
 * The turns of one connection to receive, counted in FPDUs (deficit round robin). All bytes of a read are handled in
 * one turn, so the size of a read is chosen by the number of FPDUs in earlier reads. An excess is subtracted from the
 * next turns. A stream of large FPDUs never reaches its limit, and is read in the largest pieces. Owner thread only.
 */
final class ReadTurn {
    /** Minimum to read in a turn, so that a connection without credit still makes progress. */
    private static final int LEAST = 1 << 10;

    private static final int LARGEST_FPDU = 1 << 17;
    private static final int SMALLEST_FPDU = 16;

    /** The size of a read before the size of the FPDUs is known. */
    private static final int USUAL_FPDU = 256;

    private final TurnLength turns;
    private int weight = 1;
    private int credit;
    private int fpduLength = USUAL_FPDU;
    private int limit;
    private int fpdus;
    private long seen;

    ReadTurn(TurnLength turns) {
        this.turns = turns;
    }

    /** Multiplies the length of a turn. */
    void weight(int times) {
        weight = times;
    }

    int weight() {
        return weight;
    }

    /** See {@link dev.jwarp.llp.StreamEngine#readQuota}. */
    int quota(int most, int reads) {
        int quantum = turns.quantum(weight);
        if (reads == 0) {
            credit = Math.min(credit + quantum, quantum);
        } else if (2 * credit < turns.quantum(1) || reads >= turns.reads(weight)) {
            return 0; // the remaining credit is not worth another system call
        }
        long octets = credit <= 0 ? LEAST : Math.max(LEAST, (long) credit * fpduLength);
        limit = (int) Math.min(most, octets);
        return limit;
    }

    /** An FPDU was delivered. */
    void fpdu() {
        fpdus++;
    }

    /** Bytes were read or written. */
    void work() {
        seen = turns.work(seen, weight);
    }

    /** Counts octets that were read and handled. */
    void done(int octets) {
        work();
        int count = fpdus;
        fpdus = 0;
        credit -= count;
        if (octets >= limit) { // raised at most to the size found, so that one read covers a turn for any size of FPDUs
            int found = Math.min(2 * fpduLength, octets / (count + 1));
            fpduLength = Math.min(LARGEST_FPDU, Math.max(fpduLength, found));
        }
        if (2L * count > turns.quantum(weight)) {
            fpduLength = Math.max(SMALLEST_FPDU, Math.min(fpduLength, octets / count));
        }
    }
}
