package dev.jwarp.transport.udp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.ddp.DatagramAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.StreamSupport;

/** The byte-exact vectors of datagram-iWARP; their format is described in test-vectors/README.md. */
final class Vectors {
    private static final List<Vector> ALL = load();

    private Vectors() {}

    /** One vector; its text is its name in a test report. */
    record Vector(JsonNode json) {
        String id() {
            return json.path("id").asText();
        }

        byte[] octets() {
            return hex("hex");
        }

        byte[] hex(String field) {
            return HexFormat.of().parseHex(json.path(field).asText());
        }

        boolean malformed() {
            return json.path("kind").asText().equals("malformed");
        }

        /** {@return where it comes from: what the vector says, or the source of all} */
        DatagramAddress source() {
            try {
                InetAddress host =
                        InetAddress.getByName(json.path("source_address").asText("192.0.2.2"));
                return DatagramAddress.of(
                        new InetSocketAddress(host, json.path("source_port").asInt(40_000)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String toString() {
            return id() + ": " + json.path("description").asText();
        }
    }

    static List<Vector> good() {
        return ALL.stream().filter(v -> !v.malformed()).toList();
    }

    static List<Vector> malformed() {
        return ALL.stream().filter(Vector::malformed).toList();
    }

    private static List<Vector> load() {
        try (InputStream in = Vectors.class.getClassLoader().getResourceAsStream("dev/jwarp/vectors/datagram.json")) {
            JsonNode vectors = new ObjectMapper().readTree(in).path("vectors");
            return StreamSupport.stream(vectors.spliterator(), false)
                    .map(Vector::new)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
