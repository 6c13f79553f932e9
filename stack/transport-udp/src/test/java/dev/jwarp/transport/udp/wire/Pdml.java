package dev.jwarp.transport.udp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Assumptions;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The output of tshark for a capture with our dissector, in PDML. */
final class Pdml {
    private static final String PREFIX = "dgiwarp.";
    private static final Path SCRIPT = Path.of("../../interop/wireshark/jwarp-datagram.lua");

    private Pdml() {}

    /**
     * One field of our dissector.
     *
     * @param name the name without that of the protocol
     * @param value hexadecimal: a number without leading zeros, or bytes
     */
    record Field(String name, String value, int position, int size) {}

    /**
     * One packet.
     *
     * @param complaints malformed fields and expert infos
     */
    record Packet(List<String> protocols, List<Field> fields, List<String> complaints) {}

    /** Skips the test with a message if there is no tshark. */
    static void assumeTshark() {
        boolean there = Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "tshark")));
        if (!there) {
            System.err.println("NOT RUN: the dissector for Wireshark is not tested, as there is no tshark in the PATH");
            Assumptions.abort("NOT RUN: there is no tshark in the PATH");
        }
    }

    /** Runs tshark over a capture. */
    static List<Packet> read(Path capture) throws IOException, InterruptedException {
        Path output = Path.of(capture + ".pdml");
        Path errors = Path.of(capture + ".err");
        Process tshark = new ProcessBuilder(
                        "tshark", "-n", "-X", "lua_script:" + SCRIPT, "-r", capture.toString(), "-T", "pdml")
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        String said = tshark.waitFor() + " " + Files.readString(errors);
        // tshark continues without a script that fails to load.
        assertThat(said).startsWith("0 ").doesNotContain("Lua:");
        return parse(output);
    }

    private static List<Packet> parse(Path pdml) {
        try {
            Element all = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(pdml.toFile())
                    .getDocumentElement();
            return elements(all, "packet").stream().map(Pdml::packet).toList();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IllegalStateException(pdml + " is not XML", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Packet packet(Element packet) {
        List<String> protocols = elements(packet, "proto").stream()
                .map(proto -> proto.getAttribute("name"))
                .toList();
        List<Field> fields = new ArrayList<>();
        List<String> complaints = new ArrayList<>(
                protocols.stream().filter(name -> name.contains("malformed")).toList());
        for (Element field : elements(packet, "field")) {
            String name = field.getAttribute("name");
            if (name.startsWith(PREFIX + "bad_") || name.equals("_ws.expert")) {
                complaints.add(name);
            } else if (name.startsWith(PREFIX)) {
                fields.add(field(name.substring(PREFIX.length()), field));
            }
        }
        return new Packet(protocols, fields, complaints);
    }

    private static Field field(String name, Element field) {
        String value = field.getAttribute("value");
        boolean octets =
                switch (name) {
                    case "payload", "content", "pad", "private", "cookie", "zero", "rest" -> true;
                    default -> false;
                };
        return new Field(
                name,
                octets || value.isEmpty() ? value : Long.toHexString(Long.parseUnsignedLong(value, 16)),
                Integer.parseInt(field.getAttribute("pos")),
                Integer.parseInt(field.getAttribute("size")));
    }

    private static List<Element> elements(Element in, String name) {
        NodeList found = in.getElementsByTagName(name);
        return IntStream.range(0, found.getLength())
                .mapToObj(i -> (Element) found.item(i))
                .toList();
    }
}
