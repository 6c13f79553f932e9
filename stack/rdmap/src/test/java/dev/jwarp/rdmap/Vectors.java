package dev.jwarp.rdmap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.StreamSupport;

/** The project's byte-exact vectors; their format is described in test-vectors/README.md. */
final class Vectors {
    private static final List<Vector> ALL = load();

    private Vectors() {}

    /** One vector; its text is its name in a test report. */
    record Vector(JsonNode json) {
        String id() {
            return text("id");
        }

        String text(String field) {
            return json.path(field).asText();
        }

        boolean flag(String field) {
            return json.path(field).asBoolean();
        }

        long number(String field) {
            return json.path(field).asLong();
        }

        byte[] octets() {
            return hex(text("hex"));
        }

        JsonNode expect() {
            return json.path("expect");
        }

        @Override
        public String toString() {
            return id() + ": " + text("description");
        }
    }

    static List<Vector> ofKind(String kind) {
        return ALL.stream().filter(v -> v.text("kind").equals(kind)).toList();
    }

    static Vector byId(String id) {
        return ALL.stream().filter(v -> v.id().equals(id)).findFirst().orElseThrow();
    }

    static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    private static List<Vector> load() {
        try (InputStream in = Vectors.class.getClassLoader().getResourceAsStream("dev/jwarp/vectors/vectors.json")) {
            JsonNode vectors = new ObjectMapper().readTree(in).path("vectors");
            return StreamSupport.stream(vectors.spliterator(), false)
                    .map(Vector::new)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
