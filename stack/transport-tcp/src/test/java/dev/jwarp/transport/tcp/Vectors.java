package dev.jwarp.transport.tcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.StreamSupport;

/** The project's byte-exact vectors; their format is described in test-vectors/README.md. */
public final class Vectors {
    private static final List<Vector> ALL = load();

    private Vectors() {}

    /** One vector; its text is its name in a test report. */
    public record Vector(JsonNode json) {
        /** {@return its name} */
        public String id() {
            return text("id");
        }

        /** {@return a field as text, empty if it is not there} */
        public String text(String field) {
            return json.path(field).asText();
        }

        /** {@return what goes on the wire} */
        public byte[] octets() {
            return HexFormat.of().parseHex(text("hex"));
        }

        @Override
        public String toString() {
            return id() + ": " + text("description");
        }
    }

    /** {@return all vectors of one kind} */
    public static List<Vector> ofKind(String kind) {
        return ALL.stream().filter(v -> v.text("kind").equals(kind)).toList();
    }

    /** {@return the vector of this name} */
    public static Vector byId(String id) {
        return ALL.stream().filter(v -> v.id().equals(id)).findFirst().orElseThrow();
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
