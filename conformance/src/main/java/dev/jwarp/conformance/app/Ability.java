package dev.jwarp.conformance.app;

/**
 * A need of a case: something that the program above the device under test, or the device itself, must be able to do.
 */
public enum Ability {
    /** The program answers a good Send: this shows that the device still delivers. */
    PROBE(0, "a program that answers a Send"),
    /** The program ends its connection when its peer has ended its direction; a target that answers Sends does so. */
    FOLLOWS(0, "a program that closes when its peer does"),
    /** The program sends Sends of any length and kind on command. */
    SENDS(1, "a program that sends on command"),
    WRITES(2, "a program that issues RDMA Writes on command"),
    READS(3, "a program that issues RDMA Reads on command"),
    /** The program lets the tester write to some of its memory, and shows the content. */
    TARGET(4, "memory of the device that the tester may write, and a program that shows what is in it"),
    /** The program lets the tester write to some of its memory; a target that shows the content does so. */
    WRITABLE(4, "memory of the device that the tester may write"),
    SOURCE(5, "memory of the device that the tester may read"),
    /** The program has memory with only some rights, and memory of another protection domain. */
    RIGHTS(6, "memory of the device with each set of rights"),
    REGISTERS(7, "a program that registers and deregisters memory on command"),
    INVALIDATE(8, "an STag of the device that the tester may invalidate"),
    ATOMICS(9, "atomic operations (RFC 7306)"),
    IMMEDIATE(10, "Immediate Data (RFC 7306)"),
    RECEIVES(11, "a program that stops posting receives on command"),
    /** The program has receives of a known size; a target that stops posting them on command reports their size. */
    RECEIVE_SIZE(11, "a program whose receives have a size that is known"),
    COMPLETIONS(12, "a program that reports how its work requests ended"),
    REFUSES(13, "a program that refuses a connection when asked"),
    CLOSES(14, "a program that ends the connection on command"),
    /**
     * The program offers the device in other configurations: Markers, CRCs off, revision 1, peer-to-peer, small depths.
     */
    CONFIGURE(15, "a program that configures its device on command"),
    /** The device takes or sends enhanced Requests: depths and Ready-to-Receive messages are negotiated (RFC 6581). */
    ENHANCED("enhanced start-up (RFC 6581)"),
    /** CRCs are in use: the device or the tester asks for them. */
    CRC("CRCs");

    private static final int NO_BIT = -1;

    private final int bit;
    private final String words;

    Ability(int bit, String words) {
        this.bit = bit;
        this.words = words;
    }

    Ability(String words) {
        this(NO_BIT, words);
    }

    /** Whether this is an ability of the program above; otherwise of the device itself. */
    public boolean ofProgram() {
        return bit != NO_BIT;
    }

    /**
     * The bit of this ability in the features of a conformance target (docs/conformance/target.md); two abilities may
     * share one.
     */
    int bit() {
        return bit;
    }

    /** The need in words, for a report: "skipped: needs …". */
    public String words() {
        return words;
    }
}
