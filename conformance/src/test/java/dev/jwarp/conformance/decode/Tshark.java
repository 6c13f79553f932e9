package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Assumptions;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** tshark's output for a capture: its own dissectors for MPA, DDP and RDMAP. */
final class Tshark {
    private Tshark() {}

    /**
     * A startup frame or an FPDU.
     *
     * @param fields its fields, by tshark's names; numbers as on the wire, in hexadecimal
     * @param crc tshark's verdict on the CRC: Good, Bad, or empty
     */
    record Unit(long frame, int stream, Map<String, String> fields, String crc) {}

    /** Skips the test, with a message, if tshark is missing. */
    static void assume() {
        boolean there = Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "tshark")));
        if (!there) {
            System.err.println("NOT RUN: jwarp decode is not compared with tshark, as there is no tshark in the PATH");
            Assumptions.abort("NOT RUN: there is no tshark in the PATH");
        }
    }

    static List<Unit> read(Path capture, Path folder) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "tshark", ".pdml");
        // The heuristic that looks for the MPA key comes before whatever the port says.
        String options = "tshark -n -o tcp.try_heuristic_first:TRUE -o tcp.reassemble_out_of_order:TRUE"
                + " --disable-protocol smb_direct --disable-protocol rpcordma -T pdml";
        List<String> command = new ArrayList<>(List.of(options.split(" ", -1)));
        command.addAll(List.of("-r", capture.toString(), "-J", "frame tcp iwarp_mpa iwarp_ddp_rdmap"));
        Process tshark = new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(tshark.waitFor()).isZero();
        try {
            Element all = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(output.toFile())
                    .getDocumentElement();
            List<Unit> units = new ArrayList<>();
            for (Element packet : children(all, "packet")) {
                packet(packet, units);
            }
            return units;
        } catch (ParserConfigurationException | SAXException e) {
            throw new IllegalStateException(output + " is not XML", e);
        }
    }

    private static void packet(Element packet, List<Unit> units) {
        long frame = 0;
        int stream = 0;
        Map<String, String> fields = null;
        for (Element proto : children(packet, "proto")) {
            String name = proto.getAttribute("name");
            if (name.equals("frame")) {
                frame = Long.parseLong(find(proto, "frame.number"));
            } else if (name.equals("tcp")) {
                stream = Integer.parseInt(find(proto, "tcp.stream"));
            } else if (name.equals("iwarp_mpa")) {
                fields = new LinkedHashMap<>();
                units.add(new Unit(frame, stream, fields, collect(proto, fields)));
            } else if (name.equals("iwarp_ddp_rdmap") && fields != null) {
                collect(proto, fields);
            }
        }
    }

    private static String find(Element proto, String name) {
        return fields(proto)
                .filter(field -> field.getAttribute("name").equals(name))
                .findFirst()
                .orElseThrow()
                .getAttribute("show");
    }

    /** The fields of a protocol, also those within other fields. */
    private static Stream<Element> fields(Element proto) {
        NodeList all = proto.getElementsByTagName("field");
        return IntStream.range(0, all.getLength()).mapToObj(i -> (Element) all.item(i));
    }

    /** Puts all fields of a protocol into the map; several of one name are joined. */
    private static String collect(Element proto, Map<String, String> into) {
        String crc = "";
        for (Element field : fields(proto).toList()) {
            String name = field.getAttribute("name");
            if (field.getAttribute("value").isEmpty() || name.isEmpty()) {
                continue;
            }
            into.merge(name, field.getAttribute("value"), (a, b) -> a + " " + b);
            if (name.equals("iwarp_mpa.crc_check")) {
                crc = field.getAttribute("showname").contains("(Good") ? "ok" : "bad";
            }
        }
        return crc;
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }
}
