package dev.jwarp.tools.cli;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Finds what a word that is none was meant to be: names that begin with it, else names a slip or two away. */
public final class Nearest {
    /** More would be a list to read, not a hint. */
    private static final int MOST = 3;
    /** Shorter words begin too many names. */
    private static final int LEAST_BEGINNING = 3;

    private Nearest() {}

    /** {@return the names that are near, in the order of {@code names}; none if that would be a guess} */
    static List<String> to(String word, Collection<String> names) {
        String wanted = word.toLowerCase(Locale.ROOT);
        List<String> longer = names.stream()
                .filter(name -> bare(wanted).length() >= LEAST_BEGINNING && name.startsWith(wanted))
                .limit(MOST)
                .toList();
        if (!longer.isEmpty()) {
            return longer;
        }
        // Any letter is a slip away from any other.
        List<String> words =
                names.stream().filter(name -> bare(name).length() > 1).toList();
        int fewest = Math.max(1, bare(wanted).length() / 3);
        for (String name : words) {
            fewest = Math.min(fewest, steps(wanted, name));
        }
        int steps = fewest;
        return words.stream()
                .filter(name -> steps(wanted, name) == steps)
                .limit(MOST)
                .toList();
    }

    /** {@return the end of a sentence that names them; empty if there are none} */
    public static String question(String word, Collection<String> names) {
        List<String> near = to(word, names);
        return near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
    }

    private static String bare(String name) {
        return name.replaceFirst("^-+", "");
    }

    /** {@return how many letters are put in, left out, replaced or exchanged with the next one} */
    private static int steps(String from, String to) {
        int[][] least = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    least[i][j] = i + j;
                    continue;
                }
                boolean same = from.charAt(i - 1) == to.charAt(j - 1);
                int steps =
                        Math.min(least[i - 1][j - 1] + (same ? 0 : 1), Math.min(least[i - 1][j], least[i][j - 1]) + 1);
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1)) {
                    steps = Math.min(steps, least[i - 2][j - 2] + 1);
                }
                least[i][j] = steps;
            }
        }
        return least[from.length()][to.length()];
    }
}
