package dev.jwarp.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An Internet-Draft in the form of kramdown-rfc: its headings with their numbers, and its sentences. A row of a table
 * counts as a sentence; figures are left out.
 */
final class Draft {
    private static final Pattern HEADING = Pattern.compile("(#+) (.*)");
    private static final Pattern REQUIREMENT = Pattern.compile("\\bDG-(?:[KGR]\\.)?[0-9][0-9.]*-[0-9]+\\b");
    private static final Pattern ITEM = Pattern.compile("(- |\\d+\\. ).*");
    private static final Pattern END = Pattern.compile("(?<=[.?])\\s+");

    /** A heading: its number, such as {@code 11.3} or {@code A}, its title, and the name that links use. */
    record Heading(String number, String title, String anchor) {}

    /**
     * A sentence or row, with the number and the title of its section.
     *
     * @param block the number of the paragraph, list or table
     */
    record Sentence(String section, String title, int block, String text) {
        List<String> requirements() {
            return REQUIREMENT.matcher(text).results().map(m -> m.group()).toList();
        }
    }

    private final String text;
    private final List<Heading> headings = new ArrayList<>();
    private final List<Sentence> sentences = new ArrayList<>();
    private final int[] numbers = new int[6];
    private boolean back;
    private int block;

    private final String file;
    private final String prefix;

    private Draft(String text, String file, String prefix) {
        this.text = text;
        this.file = file;
        this.prefix = prefix;
    }

    /**
     * Reads a draft.
     *
     * @param prefix of the numbers of its sections
     */
    static Draft read(Path file, String prefix) {
        try {
            Draft draft = new Draft(Files.readString(file), file.getFileName().toString(), prefix);
            draft.parse();
            return draft;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The name of the file. */
    String file() {
        return file;
    }

    /** The whole text. */
    String text() {
        return text;
    }

    List<Heading> headings() {
        return headings;
    }

    List<Sentence> sentences() {
        return sentences;
    }

    private void parse() {
        StringBuilder paragraph = new StringBuilder();
        boolean figure = false;
        headings.add(new Heading("", "", ""));
        for (String line : text.substring(text.indexOf("--- middle\n")).split("\n", -1)) {
            figure ^= line.startsWith("~~~");
            Matcher heading = HEADING.matcher(line);
            boolean row = line.startsWith("|");
            if (figure
                    || line.isBlank()
                    || row
                    || heading.matches()
                    || ITEM.matcher(line).matches()) {
                end(paragraph);
            }
            if (line.isBlank()) {
                block++;
            }
            if (line.equals("--- back")) {
                back = true;
                java.util.Arrays.fill(numbers, 0);
            } else if (!figure && heading.matches()) {
                begin(heading.group(1).length(), heading.group(2));
            } else if (row && !figure) {
                add(line);
            } else if (!figure && !line.startsWith("~~~") && !line.startsWith("{:")) {
                paragraph.append(line).append('\n');
            }
        }
        end(paragraph);
        headings.remove(0);
    }

    private void begin(int depth, String title) {
        numbers[depth - 1]++;
        StringBuilder number = new StringBuilder(prefix);
        for (int i = 0; i < depth; i++) {
            number.append(i == 0 ? "" : ".")
                    .append(back && i == 0 ? "" + (char) ('A' + numbers[0] - 1) : "" + numbers[i]);
        }
        java.util.Arrays.fill(numbers, depth, numbers.length, 0);
        String anchor =
                title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "").replace(' ', '-');
        headings.add(new Heading(number.toString(), title, anchor));
    }

    private void end(StringBuilder paragraph) {
        for (String sentence : END.split(paragraph, -1)) {
            if (!sentence.isBlank()) {
                add(sentence.replace('\n', ' ').strip());
            }
        }
        paragraph.setLength(0);
    }

    private void add(String sentence) {
        Heading heading = headings.get(headings.size() - 1);
        sentences.add(new Sentence(heading.number(), heading.title(), block, sentence));
    }
}
