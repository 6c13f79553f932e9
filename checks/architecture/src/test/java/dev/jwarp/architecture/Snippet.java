package dev.jwarp.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A code block between lines of three backticks in a page for users: README.md and all of docs.
 *
 * @param page path from the top of the repository
 * @param language the word after the first backticks; empty for pictures and listings
 * @param text the content
 * @param before the last line of prose before the block
 */
record Snippet(String page, String language, String text, String before) {
    static final String TUTORIAL = "docs/tutorial.md";

    private static final Pattern CLASS = Pattern.compile("^(?:public )?class (\\w+)", Pattern.MULTILINE);

    /** {@return all code blocks, in the order of the pages} */
    static List<Snippet> all() {
        List<Snippet> all = new ArrayList<>();
        try (Stream<Path> docs = Files.walk(Source.TOP.resolve("docs"))) {
            Stream.concat(Stream.of(Source.TOP.resolve("README.md")), docs.sorted(Comparator.naturalOrder()))
                    .filter(page -> page.toString().endsWith(".md"))
                    .forEach(page -> read(page, all));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    private static void read(Path page, List<Snippet> into) {
        try {
            String name = Source.TOP.relativize(page).toString();
            String language = null;
            String before = "";
            StringBuilder text = new StringBuilder();
            for (String line : Files.readAllLines(page)) {
                if (line.startsWith("```")) {
                    if (language == null) {
                        language = line.substring(3).strip();
                        text.setLength(0);
                    } else {
                        into.add(new Snippet(name, language, text.toString(), before));
                        language = null;
                    }
                } else if (language != null) {
                    text.append(line).append('\n');
                } else if (!line.isBlank()) {
                    before = line;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean is(String kind) {
        return language.equals(kind);
    }

    boolean inTutorial() {
        return page.equals(TUTORIAL);
    }

    /** {@return the name of the class of a program} */
    String className() {
        Matcher found = CLASS.matcher(text);
        if (!found.find()) {
            throw new AssertionError(this + " is no program: it has no class");
        }
        return found.group(1);
    }

    /** {@return a short description of the block} */
    String title() {
        String first = text.lines().findFirst().orElse("").replaceAll("  +#.*", "");
        return is("java") ? className() : first.strip();
    }

    @Override
    public String toString() {
        return page + ": " + title();
    }
}
