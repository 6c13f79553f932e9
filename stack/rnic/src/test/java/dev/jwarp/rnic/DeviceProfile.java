package dev.jwarp.rnic;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The start-up behaviour of a device according to the sources of its driver: {@code devices.tsv}.
 *
 * @param name of the driver
 * @param facts by topic, in the order of the file
 */
record DeviceProfile(String name, Map<String, Fact> facts) {
    /** The value of an unknown fact. */
    static final String UNKNOWN = "?";

    private static final String FILE = "devices.tsv";
    private static final int COLUMNS = 5;

    /**
     * One line of the file.
     *
     * @param value for the tests
     * @param words for the page
     * @param place functions and files in the sources
     */
    record Fact(String value, String words, String place) {}

    static List<DeviceProfile> all() {
        Map<String, Map<String, Fact>> profiles = new LinkedHashMap<>();
        for (String line : content().lines().toList()) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] cells = line.split("\t", -1);
                if (cells.length != COLUMNS) {
                    throw new IllegalStateException(FILE + ": " + COLUMNS + " cells wanted in: " + line);
                }
                Fact before = profiles.computeIfAbsent(cells[0], name -> new LinkedHashMap<>())
                        .put(cells[1], new Fact(cells[2], cells[3], cells[4]));
                if (before != null) {
                    throw new IllegalStateException(FILE + ": " + cells[0] + " has two lines for " + cells[1]);
                }
            }
        }
        List<DeviceProfile> all = new ArrayList<>();
        profiles.forEach((name, facts) -> all.add(new DeviceProfile(name, facts)));
        return all;
    }

    private static String content() {
        try (InputStream in = DeviceProfile.class.getResourceAsStream(FILE)) {
            return new String(Objects.requireNonNull(in, FILE).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Fact fact(String about) {
        return Objects.requireNonNull(facts.get(about), () -> name + " has no line for " + about);
    }

    String value(String about) {
        return fact(about).value();
    }

    boolean is(String about, String value) {
        return value(about).equals(value);
    }

    int number(String about) {
        return Integer.parseInt(value(about));
    }

    /** {@return the words of a list with commas; none for {@code -}} */
    List<String> list(String about) {
        return words(value(about));
    }

    static List<String> words(String list) {
        List<String> words = new ArrayList<>();
        for (String word : list.split(",", -1)) {
            if (!word.isEmpty() && !word.equals("-") && !word.equals("none")) {
                words.add(word);
            }
        }
        return words;
    }

    @Override
    public String toString() {
        return name;
    }
}
