package dev.jwarp.conformance.app;

import dev.jwarp.conformance.wire.Octets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a Send, as a line of a program's file describes them: literal bytes, and fields whose values only a
 * conversation knows.
 *
 * @param text of the line
 * @param said the literal bytes, with zeros in place of the fields
 * @param open whether any bytes may follow
 */
record CustomBytes(String text, byte[] said, List<Place> places, boolean open) {
    /** No bytes are described. */
    static final CustomBytes NONE = new CustomBytes("", new byte[0], List.of(), false);

    /** Limit of the bytes of a line, so that they fit into one FPDU of any connection. */
    private static final int MOST = 1_024;

    private static final String ANY = "any";
    private static final Pattern REPEATED = Pattern.compile("(.+)\\*(\\d{1,4})");
    private static final Pattern FIELD = Pattern.compile("([a-z]+):(\\d{1,4})(le)?");

    /** Parts that are not literal bytes. */
    enum Field {
        /** An STag. */
        STAG(4, 8),
        /** A tagged offset. */
        TO(8, 8),
        /** Bytes of memory. */
        LENGTH(2, 8),
        /** The number of this Send of the tester, from 1. */
        COUNT(1, 8),
        /** Ignored bytes. */
        ANY(1, MOST);

        private final int least;
        private final int most;

        Field(int least, int most) {
            this.least = least;
            this.most = most;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    record Place(Field field, int at, int size, boolean little) {}

    /**
     * Parses the words of a line.
     *
     * @throws IllegalArgumentException with a sentence about the first wrong word
     */
    static CustomBytes of(List<String> words) {
        Octets said = new Octets();
        List<Place> places = new ArrayList<>();
        boolean open = false;
        for (String word : words) {
            if (open) {
                throw new IllegalArgumentException(
                        "nothing may follow 'any': leave out " + word + ", or give a length: any:4");
            }
            Matcher field = FIELD.matcher(word);
            if (word.equals(ANY)) {
                open = true;
            } else if (field.matches()) {
                Place place = place(field, said.size());
                places.add(place);
                said.zeros(place.size());
            } else {
                said.add(bytes(word));
            }
            if (said.size() > MOST) {
                throw new IllegalArgumentException("more than " + MOST + " bytes: use fewer");
            }
        }
        if (said.size() == 0 && !open) {
            throw new IllegalArgumentException("no bytes: write them as hex (00ff), as \"text\", or as fields");
        }
        return new CustomBytes(String.join(" ", words), said.bytes(), List.copyOf(places), open);
    }

    private static Place place(Matcher word, int at) {
        for (Field field : Field.values()) {
            if (field.word().equals(word.group(1))) {
                int size = Integer.parseInt(word.group(2));
                if (size < field.least || size > field.most) {
                    throw new IllegalArgumentException(word.group() + " has " + size + " bytes: use " + field.word()
                            + ":" + field.least
                            + (field.least == field.most ? "" : " to " + field.word() + ":" + field.most));
                }
                return new Place(field, at, size, word.group(3) != null);
            }
        }
        throw new IllegalArgumentException(word.group() + " is no field: use stag:4, to:8, length:4, count:4 or any:4");
    }

    private static byte[] bytes(String word) {
        Matcher repeated = REPEATED.matcher(word);
        if (repeated.matches()) {
            byte[] once = bytes(repeated.group(1));
            Octets all = new Octets();
            for (int i = Integer.parseInt(repeated.group(2)); i > 0 && all.size() <= MOST; i--) {
                all.add(once);
            }
            return all.bytes();
        }
        if (word.length() >= 2 && word.startsWith("\"") && word.endsWith("\"")) {
            return word.substring(1, word.length() - 1).getBytes(StandardCharsets.UTF_8);
        }
        if (word.length() % 2 != 0 || !word.matches("[0-9a-fA-F]+")) {
            throw new IllegalArgumentException(
                    word + " is no hex: write two digits for each byte (00ff), \"text\", or a field such as any:4");
        }
        return Octets.hex(word);
    }

    /** Number of bytes without those of a final {@code any}. */
    int length() {
        return said.length;
    }

    /** Whether any bytes may follow the described ones, or replace them. */
    boolean undecided() {
        return open || has(Field.ANY);
    }

    boolean has(Field field) {
        return places.stream().anyMatch(p -> p.field() == field);
    }

    /** These bytes, with these values in the fields. */
    byte[] with(Map<Field, Long> values) {
        byte[] bytes = said.clone();
        for (Place place : places) {
            long value = values.getOrDefault(place.field(), 0L);
            for (int i = 0; i < place.size(); i++) {
                bytes[at(place, i)] = (byte) (value >>> (8 * i));
            }
        }
        return bytes;
    }

    /** The place of a field's byte of this weight. */
    private static int at(Place place, int weight) {
        return place.at() + (place.little() ? weight : place.size() - 1 - weight);
    }

    /** The values of the fields in received bytes; null if the bytes do not match. */
    @Nullable
    Map<Field, Long> fields(byte[] came) {
        if (open ? came.length < said.length : came.length != said.length) {
            return null;
        }
        byte[] rest = Arrays.copyOf(came, said.length);
        Map<Field, Long> values = new EnumMap<>(Field.class);
        for (Place place : places) {
            long value = 0;
            for (int i = place.size() - 1; i >= 0; i--) {
                value = (value << 8) | (rest[at(place, i)] & 0xFF);
            }
            values.put(place.field(), value);
            Arrays.fill(rest, place.at(), place.at() + place.size(), (byte) 0);
        }
        return Arrays.equals(rest, said) ? values : null;
    }

    @Override
    public String toString() {
        return text;
    }
}
