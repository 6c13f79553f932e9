package dev.jwarp.conformance.catalogue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** All requirements, in the order of the documents. */
public final class Catalogue {
    private static final String HEADER =
            "id\trfc\tsection\tstrength\trequirement\trole\thow to provoke on the wire\texpected observation";

    private final Map<String, Requirement> byId;
    private final Map<String, Unprovoked> unprovoked;

    private record Unprovoked(String reason, String proof) {}

    private Catalogue(Map<String, Requirement> byId, Map<String, Unprovoked> unprovoked) {
        this.byId = Collections.unmodifiableMap(byId);
        this.unprovoked = Map.copyOf(unprovoked);
    }

    /** Reads the tables that come with this module. */
    public static Catalogue load() {
        Map<String, Requirement> rows = new LinkedHashMap<>();
        for (String table : new String[] {"requirements.tsv", "datagram.tsv"}) {
            each(table, HEADER, (place, cells) -> {
                Requirement row = row(cells);
                if (rows.put(row.id(), row) != null) {
                    throw new IllegalStateException(place + ": " + row.id() + " is here twice");
                }
            });
        }
        Map<String, Unprovoked> unprovoked = new HashMap<>();
        each("unprovoked.tsv", "id\treason\tproof", (place, cells) -> {
            if (cells[1].isBlank() || cells[2].isBlank() || !rows.containsKey(cells[0])) {
                throw new IllegalStateException(place + ": not a requirement, a reason and a proof");
            }
            unprovoked.put(cells[0], new Unprovoked(cells[1], cells[2]));
        });
        return new Catalogue(rows, unprovoked);
    }

    /** Why no case shows this requirement; empty if a case does. */
    public String unprovoked(String id) {
        return unprovoked.containsKey(id) ? unprovoked.get(id).reason() : "";
    }

    /**
     * The test of jwarp that shows a requirement without a case, or a sentence why none can; empty if a case shows it.
     */
    public String proof(String id) {
        return unprovoked.containsKey(id) ? unprovoked.get(id).proof() : "";
    }

    /** All requirements, in order. */
    public Collection<Requirement> all() {
        return byId.values();
    }

    /**
     * The requirement with this id.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Requirement get(String id) {
        Requirement row = byId.get(id);
        if (row == null) {
            throw new IllegalArgumentException("the catalogue has no requirement " + id);
        }
        return row;
    }

    /** Takes each row of a table, with its place for messages. */
    private static void each(String table, String header, BiConsumer<String, String[]> take) {
        String[] lines = resource(table).split("\n", -1);
        if (!lines[0].equals(header)) {
            throw new IllegalStateException(table + ": the first line is not the header " + header);
        }
        for (int i = 1; i < lines.length; i++) {
            if (lines[i].isEmpty()) {
                continue;
            }
            String[] cells = lines[i].split("\t", -1);
            String place = table + ":" + (i + 1);
            if (cells.length != header.split("\t").length) {
                throw new IllegalStateException(place + ": " + cells.length + " cells");
            }
            take.accept(place, cells);
        }
    }

    private static Requirement row(String[] cells) {
        String document = cells[1].chars().allMatch(Character::isDigit) ? "rfc" + cells[1] : cells[1];
        return new Requirement(
                cells[0],
                document,
                cells[2],
                Requirement.Strength.of(cells[3]),
                cells[4],
                cells[5],
                cells[6],
                cells[7]);
    }

    private static String resource(String name) {
        try (InputStream in = Catalogue.class.getResourceAsStream("/dev/jwarp/conformance/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the table " + name + " is missing from this jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
