package dev.jwarp.vectors;

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
    private static final List<Vector> STREAMS = load("vectors.json");
    private static final List<Vector> DATAGRAMS = load("datagram.json");
    private static final List<Vector> ENVELOPES = load("envelope.json");
    private static final List<Vector> CREDITS = load("credits.json");

    private Vectors() {}

    /**
     * One vector; its text is its name in a test report.
     *
     * @param json all that the file says of it
     */
    public record Vector(JsonNode json) {
        /** {@return its name} */
        public String id() {
            return text("id");
        }

        /** {@return a field as text, empty if it is not there} */
        public String text(String field) {
            return json.path(field).asText();
        }

        /** {@return a field that is true or false; false if it is not there} */
        public boolean flag(String field) {
            return json.path(field).asBoolean();
        }

        /** {@return a field as a number, 0 if it is not there} */
        public long number(String field) {
            return json.path(field).asLong();
        }

        /** {@return a field of hexadecimal digits as bytes} */
        public byte[] bytes(String field) {
            return hex(text(field));
        }

        /** {@return what goes on the wire} */
        public byte[] octets() {
            return bytes("hex");
        }

        /** {@return what a receiver must do} */
        public JsonNode expect() {
            return json.path("expect");
        }

        /** {@return whether a receiver must not take it} */
        public boolean malformed() {
            return text("kind").startsWith("malformed");
        }

        @Override
        public String toString() {
            return id() + ": " + text("description");
        }
    }

    /** {@return all vectors for MPA, DDP and RDMAP} */
    public static List<Vector> all() {
        return STREAMS;
    }

    /** {@return those of one kind} */
    public static List<Vector> ofKind(String kind) {
        return STREAMS.stream().filter(v -> v.text("kind").equals(kind)).toList();
    }

    /** {@return the one of that name} */
    public static Vector byId(String id) {
        return STREAMS.stream().filter(v -> v.id().equals(id)).findFirst().orElseThrow();
    }

    /** {@return the vectors for datagram-iWARP: the malformed ones, or the others} */
    public static List<Vector> datagrams(boolean malformed) {
        return DATAGRAMS.stream().filter(v -> v.malformed() == malformed).toList();
    }

    /** {@return the vectors for envelopes of datagram-iWARP: those of one kind} */
    public static List<Vector> envelopes(String kind) {
        return ENVELOPES.stream().filter(v -> v.text("kind").equals(kind)).toList();
    }

    /** {@return the vectors for streams with credits: those of one kind} */
    public static List<Vector> credits(String kind) {
        return CREDITS.stream().filter(v -> v.text("kind").equals(kind)).toList();
    }

    /** {@return the bytes that hexadecimal digits say} */
    public static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    private static List<Vector> load(String file) {
        try (InputStream in = Vectors.class.getClassLoader().getResourceAsStream("dev/jwarp/vectors/" + file)) {
            JsonNode vectors = new ObjectMapper().readTree(in).path("vectors");
            return StreamSupport.stream(vectors.spliterator(), false)
                    .map(Vector::new)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
