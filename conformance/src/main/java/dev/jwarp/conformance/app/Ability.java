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
    /** The program writes to the tester's memory on command. */
    WRITES(2, "a program that issues RDMA Writes on command"),
    /** The program reads the tester's memory on command. */
    READS(3, "a program that issues RDMA Reads on command"),
    /** The program lets the tester write to some of its memory, and shows the content. */
    TARGET(4, "memory of the device that the tester may write, and a program that shows what is in it"),
    /** The program lets the tester write to some of its memory; a target that shows the content does so. */
    WRITABLE(4, "memory of the device that the tester may write"),
    /** The program lets the tester read some of its memory. */
    SOURCE(5, "memory of the device that the tester may read"),
    /** The program has memory with only some rights, and memory of another protection domain. */
    RIGHTS(6, "memory of the device with each set of rights"),
    /** The program registers and deregisters memory on command. */
    REGISTERS(7, "a program that registers and deregisters memory on command"),
    /** The program lets the tester invalidate an STag. */
    INVALIDATE(8, "an STag of the device that the tester may invalidate"),
    /** The device implements the atomic operations of RFC 7306. */
    ATOMICS(9, "atomic operations (RFC 7306)"),
    /** The device implements the Immediate Data of RFC 7306. */
    IMMEDIATE(10, "Immediate Data (RFC 7306)"),
    /** The program stops posting receives on command. */
    RECEIVES(11, "a program that stops posting receives on command"),
    /** The program has receives of a known size; a target that stops posting them on command reports their size. */
    RECEIVE_SIZE(11, "a program whose receives have a size that is known"),
    /** The program reports how the work requests of the last connection ended. */
    COMPLETIONS(12, "a program that reports how its work requests ended"),
    /** The program refuses a connection when the private data asks for a refusal. */
    REFUSES(13, "a program that refuses a connection when asked"),
    /** The program ends the connection on command. */
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
