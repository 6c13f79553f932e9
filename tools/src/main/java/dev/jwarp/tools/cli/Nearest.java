package dev.jwarp.tools.cli;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * Finds names that the user may have meant by an unknown word: names that begin with the word, else names with the
 * fewest typing errors between them and the word.
 */
public final class Nearest {
    /** Most names in a hint. */
    private static final int MOST = 3;
    /** Least length of a prefix: too many names begin with a shorter one. */
    private static final int LEAST_BEGINNING = 3;

    private Nearest() {}

    /** {@return the names near the word, in the order of {@code names}; empty if no name is near enough} */
    static List<String> to(String word, Collection<String> names) {
        String wanted = word.toLowerCase(Locale.ROOT);
        List<String> longer = names.stream()
                .filter(name -> bare(wanted).length() >= LEAST_BEGINNING && name.startsWith(wanted))
                .limit(MOST)
                .toList();
        if (!longer.isEmpty()) {
            return longer;
        }
        // One-letter names are left out: each is one typing error away from any other letter.
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

    /** {@return the question "; did you mean ...?" with the names near the word; empty if there are none} */
    public static String question(String word, Collection<String> names) {
        List<String> near = to(word, names);
        return near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
    }

    private static String bare(String name) {
        return name.replaceFirst("^-+", "");
    }

    /** {@return the number of letters that are inserted, deleted, replaced or swapped with their neighbour} */
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
