package dev.jwarp.conformance.app;

/** What a case needs of the program above the device under test, and of the device. */
public enum Ability {
    /** A good Send that the program answers: shows that the device still delivers. */
    PROBE(0, "a program that answers a Send"),
    /** It ends its connection when its peer has ended its own direction; a target that answers Sends does so. */
    FOLLOWS(0, "a program that closes when its peer does"),
    /** It sends Sends of any length and kind when told. */
    SENDS(1, "a program that sends on command"),
    /** It writes to the tester's memory when told. */
    WRITES(2, "a program that issues RDMA Writes on command"),
    /** It reads the tester's memory when told. */
    READS(3, "a program that issues RDMA Reads on command"),
    /** It lets the tester write to some memory of its own, and shows what is in it. */
    TARGET(4, "memory of the device that the tester may write, and a program that shows what is in it"),
    /** It lets the tester write to some memory of its own; a target that shows what is in it does so. */
    WRITABLE(4, "memory of the device that the tester may write"),
    /** It lets the tester read some memory of its own. */
    SOURCE(5, "memory of the device that the tester may read"),
    /** It has memory with only some rights, and some of another protection domain. */
    RIGHTS(6, "memory of the device with each set of rights"),
    /** It registers and deregisters memory when told. */
    REGISTERS(7, "a program that registers and deregisters memory on command"),
    /** It lets the tester invalidate an STag. */
    INVALIDATE(8, "an STag of the device that the tester may invalidate"),
    /** Its device knows RFC 7306's atomic operations. */
    ATOMICS(9, "atomic operations (RFC 7306)"),
    /** Its device knows RFC 7306's Immediate Data. */
    IMMEDIATE(10, "Immediate Data (RFC 7306)"),
    /** It stops posting receives when told. */
    RECEIVES(11, "a program that stops posting receives on command"),
    /** It has receives of a size that is known; a target that is told to stop posting them says their size. */
    RECEIVE_SIZE(11, "a program whose receives have a size that is known"),
    /** It tells how the work requests of the last connection ended. */
    COMPLETIONS(12, "a program that reports how its work requests ended"),
    /** It refuses a connection when the private data asks for it. */
    REFUSES(13, "a program that refuses a connection when asked"),
    /** It ends the connection when told. */
    CLOSES(14, "a program that ends the connection on command"),
    /** It offers the device in other configurations: Markers, CRCs off, revision 1, peer-to-peer, small depths. */
    CONFIGURE(15, "a program that configures its device on command"),
    /** It takes enhanced Requests, or sends them: depths and Ready-to-Receive messages are negotiated (RFC 6581). */
    ENHANCED("enhanced start-up (RFC 6581)"),
    /** CRCs are used with it: it asks for them, or the tester does. */
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

    /** Whether the program above can do it; otherwise the device itself. */
    public boolean ofProgram() {
        return bit != NO_BIT;
    }

    /** Its bit in the features of a conformance target (docs/conformance/target.md); one bit may announce two. */
    int bit() {
        return bit;
    }

    /** For a report: "skipped: needs …". */
    public String words() {
        return words;
    }
}
