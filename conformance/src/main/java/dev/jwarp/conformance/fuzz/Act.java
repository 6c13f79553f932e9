package dev.jwarp.conformance.fuzz;

import java.util.Locale;

/**
 * One action of the tester in a mutated conversation. Values that depend on the device, such as its STags, are filled
 * in when the action is played, so that a recipe can be repeated.
 *
 * @param kind the kind of the action
 * @param a usually a length
 * @param b an offset into the device's memory
 * @param change the mutation
 * @param where the byte, bit or value that the mutation changes
 * @param cut where the bytes are divided into two writes; 0 for one write
 */
public record Act(Kind kind, int a, int b, Change change, int where, int cut) {
    /** Kinds of actions. */
    public enum Kind {
        /** The start-up frame; a recipe with a mutated start-up frame begins with it. */
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

    /** Mutations. */
    public enum Change {
        NONE,
        /** One bit of the ULPDU, or of the start-up frame, is flipped; the CRC matches. */
        BIT,
        /** One byte of it is all ones; the CRC matches. */
        ONES,
        /** One bit of the FPDU is flipped; the CRC is that of the original FPDU. */
        BIT_ON_THE_WIRE,
        /** The ULPDU ends early; the CRC matches. */
        SHORT,
        /** The ULPDU has more bytes than it should; the CRC matches. */
        LONG,
        /** ULPDU_Length, or PD_Length, is wrong. */
        LENGTH,
        /** The action is sent twice. */
        TWICE,
        /** Only the beginning is sent. */
        HALF,
        /** The opcode is wrong. */
        OPCODE,
        /** The T bit is inverted: the header is read as the other kind. */
        TAGGED,
        /** L is not set. */
        NOT_LAST,
        /** The STag is wrong. */
        STAG,
        /** The TO, or MO, is far away. */
        OFFSET,
        /** The MSN is wrong. */
        MSN,
        /** The queue is wrong. */
        QUEUE
    }

    /** The line in a file of recipes. */
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

    /** Parses {@link #text}; throws an exception if it is no action. */
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

    /** The same without its mutation and in one write. */
    Act plain() {
        return new Act(kind, a, b, Change.NONE, 0, 0);
    }
}
