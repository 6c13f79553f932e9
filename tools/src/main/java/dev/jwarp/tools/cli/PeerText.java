package dev.jwarp.tools.cli;

/** Text that others have chosen, such as names of files and sentences of a peer, on its way to a terminal. */
public final class PeerText {
    private PeerText() {}

    /** {@return the same, with a question mark for all that would not be seen but done: ends of lines, escape sequences, changes of direction} */
    public static String harmless(String text) {
        return text.codePoints()
                .map(point -> isSeen(point) ? point : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isSeen(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
