package dev.jwarp.tools.conform;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A stack with one fault: a line of its source is another one, and a requirement is broken. They stand in {@code mutants.txt}.
 *
 * @param title what the faulty stack does, as a sentence
 * @param breaks the requirement that it breaks; of a gross fault several, divided by commas, or {@code nothing}
 * @param caughtBy the case that must fail; of a gross fault only the role in which it is examined
 * @param type the class whose source is changed
 * @param changes what is changed in it
 */
record Mutant(String title, String breaks, String caughtBy, String type, List<Change> changes) {
    /**
     * One place.
     *
     * @param before what stands there; its lines, blanks and the comments in between do not count
     * @param after what stands there instead
     */
    record Change(String before, String after) {
        private static final String GAP = "\\s+(?://[^\\n]*\\s+)*";

        String in(String source, String where) {
            StringBuilder words = new StringBuilder();
            for (String word : before.strip().split("\\s+", -1)) {
                words.append(words.length() == 0 ? "" : GAP).append(Pattern.quote(word));
            }
            Matcher place = Pattern.compile(words.toString()).matcher(source);
            if (!place.find()) {
                throw new IllegalStateException(where + " no longer has " + before);
            }
            String changed = source.substring(0, place.start()) + after + source.substring(place.end());
            if (place.find()) {
                throw new IllegalStateException(where + " has more than once " + before);
            }
            return changed;
        }
    }

    /** Stands for a case that is still to be found. */
    static final String NOBODY = "?";

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    /** Those with one fine fault, in the order of the file. */
    static List<Mutant> all() throws IOException {
        return of("mutants.txt");
    }

    /** Those with one gross fault, in the order of the file. */
    static List<Mutant> coarse() throws IOException {
        return of("coarse-mutants.txt");
    }

    /** All of them. */
    static List<Mutant> both() throws IOException {
        List<Mutant> both = new ArrayList<>(coarse());
        both.addAll(all());
        return both;
    }

    private static List<Mutant> of(String file) throws IOException {
        try (InputStream in = Mutant.class.getResourceAsStream(file)) {
            List<Mutant> mutants = new ArrayList<>();
            for (String part : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n\n+", -1)) {
                if (part.lines().anyMatch(l -> l.startsWith("in "))) {
                    mutants.add(
                            parse(part.lines().filter(l -> !l.startsWith("#")).toList()));
                }
            }
            return mutants;
        }
    }

    private static Mutant parse(List<String> lines) {
        List<Change> changes = new ArrayList<>();
        for (int i = 4; i < lines.size(); ) {
            List<String> before = new ArrayList<>();
            for (; i < lines.size() && lines.get(i).startsWith("- "); i++) {
                before.add(lines.get(i).substring(2));
            }
            List<String> after = new ArrayList<>();
            for (; i < lines.size() && lines.get(i).startsWith("+"); i++) {
                after.add(lines.get(i).substring(1).strip());
            }
            if (before.isEmpty()) {
                throw new IllegalStateException(lines.get(0) + ": cannot be read from " + lines.get(i));
            }
            changes.add(new Change(String.join("\n", before), String.join("\n", after)));
        }
        return new Mutant(
                lines.get(0),
                word(lines.get(1), "breaks "),
                word(lines.get(2), "caught by "),
                word(lines.get(3), "in "),
                changes);
    }

    private static String word(String line, String start) {
        if (!line.startsWith(start)) {
            throw new IllegalStateException(line + " should begin with " + start);
        }
        return line.substring(start.length());
    }

    /** The requirements that it breaks. */
    Set<String> broken() {
        return breaks.equals("nothing") ? Set.of() : new TreeSet<>(List.of(breaks.split(", ", -1)));
    }

    /** The role in which the stack is examined. */
    String role() {
        return caughtBy.substring(caughtBy.indexOf('@') + 1);
    }

    /** The changed source. Complains unless what is to be changed stands there exactly once. */
    String source() throws IOException {
        String source = Files.readString(file());
        for (Change change : changes) {
            source = change.in(source, title + ": " + type);
        }
        return source;
    }

    /** Where the class stands in this repository. */
    Path file() throws IOException {
        Path inside = Path.of("src/main/java", type.replace('.', '/') + ".java");
        List<Path> modules = new ArrayList<>(List.of(ROOT.resolve("verbs-api")));
        try (DirectoryStream<Path> rooms = Files.newDirectoryStream(ROOT.resolve("stack"))) {
            rooms.forEach(modules::add);
        }
        return modules.stream()
                .map(m -> m.resolve(inside))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(title + ": there is no class " + type));
    }
}
