package dev.jwarp.tools.cli;

/** Makes text from untrusted sources, such as file names and messages of a peer, safe to print on a terminal. */
public final class PeerText {
    private PeerText() {}

    /**
     * {@return the text with a question mark in place of each control or format character, such as line ends, escape
     * sequences and changes of the writing direction}
     */
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
