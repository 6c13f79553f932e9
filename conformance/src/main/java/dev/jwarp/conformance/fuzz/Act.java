package dev.jwarp.conformance.fuzz;

import java.util.Locale;

/**
 * One thing that the tester says in a mutated conversation. What depends on the device, such as its STags, is filled in when it is said, so
 * that a recipe can be repeated.
 *
 * @param kind what is said
 * @param a a length, mostly
 * @param b an offset into the device's memory
 * @param change what is wrong with it
 * @param where which byte, bit or value the change is about
 * @param cut where the bytes are cut into two writes; 0 for one write
 */
public record Act(Kind kind, int a, int b, Change change, int where, int cut) {
    /** What can be said. */
    public enum Kind {
        /** The start-up frame; a recipe begins with it if it is changed. */
        START,
        SEND,
        SEND_SE,
        SEND_INVALIDATE,
        /** A message the program above understands. */
        PROBE,
        WRITE,
        READ_REQUEST,
        READ_RESPONSE,
        ATOMIC_REQUEST,
        ATOMIC_RESPONSE,
        IMMEDIATE,
        TERMINATE,
        /** Bytes that are no frame at all. */
        NOISE,
        /** The tester's direction ends with FIN. */
        FINISH,
        /** The connection ends with RST. */
        RESET
    }

    /** What can be wrong. */
    public enum Change {
        NONE,
        /** One bit of the ULPDU, or of the start-up frame, is turned; the CRC fits. */
        BIT,
        /** One byte of it is all ones; the CRC fits. */
        ONES,
        /** One bit of the FPDU is turned; the CRC is that of the right one. */
        BIT_ON_THE_WIRE,
        /** The ULPDU ends early; the CRC fits. */
        SHORT,
        /** The ULPDU has more bytes than it should; the CRC fits. */
        LONG,
        /** ULPDU_Length, or PD_Length, says something else. */
        LENGTH,
        /** It is said twice. */
        TWICE,
        /** Only its beginning is sent. */
        HALF,
        /** The opcode is another one. */
        OPCODE,
        /** T is the other way round: the header is read as the other kind. */
        TAGGED,
        /** L is not set. */
        NOT_LAST,
        /** The STag is another one. */
        STAG,
        /** The TO, or MO, is far away. */
        OFFSET,
        /** The MSN is another one. */
        MSN,
        /** The queue is another one. */
        QUEUE
    }

    /** As it is written in a file of recipes. */
    public String text() {
        return "%s %d %d %s %d %d"
                .formatted(
                        kind.name().toLowerCase(Locale.ROOT),
                        a,
                        b,
                        change.name().toLowerCase(Locale.ROOT),
                        where,
                        cut);
    }

    /** Reads {@link #text} back; complains about anything else. */
    static Act parse(String line) {
        String[] words = line.strip().split("\\s+", -1);
        if (words.length != 6) {
            throw new IllegalArgumentException("an act has 6 words, not " + words.length + ": " + line);
        }
        return new Act(
                Kind.valueOf(words[0].toUpperCase(Locale.ROOT)),
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                Change.valueOf(words[3].toUpperCase(Locale.ROOT)),
                Integer.parseInt(words[4]),
                Integer.parseInt(words[5]));
    }

    /** The same without its fault and in one write. */
    Act plain() {
        return new Act(kind, a, b, Change.NONE, 0, 0);
    }
}
