package dev.jwarp.tools.figure;

import dev.jwarp.tools.cli.ToolFailure;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Assumptions;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What a test looks at in a figure that was written. */
public final class Svg {
    private Svg() {}

    /** Says so where people look if nothing can be drawn here: surefire keeps the reason to itself. */
    public static void assumeThatItCanBeDrawn() {
        try {
            Drawing.check("");
        } catch (ToolFailure e) {
            System.err.println("NOT RUN: " + e.getMessage());
            Assumptions.abort(e.getMessage());
        }
    }

    /** {@return its root, which must be {@code svg}} */
    public static Element parse(Path file) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        Element root = factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
        if (!root.getTagName().equals("svg")) {
            throw new AssertionError(file + " is no SVG: " + root.getTagName());
        }
        return root;
    }

    /** {@return all that can be read in it} */
    public static List<String> texts(Element svg) {
        NodeList nodes = svg.getElementsByTagName("text");
        return IntStream.range(0, nodes.getLength())
                .mapToObj(i -> nodes.item(i).getTextContent())
                .toList();
    }
}
