package dev.jwarp.tools.figure;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.tools.cli.ToolFailure;
import java.awt.Dimension;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGGraphics2DIOException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Writes figures as SVG and as PNG. XChart draws, and Batik writes SVG. Needs no display. */
public final class Drawing {
    private static final String SVG = "http://www.w3.org/2000/svg";
    private static final double PIXELS = 1.5;

    static {
        System.setProperty("java.awt.headless", "true");
    }

    private Drawing() {}

    /**
     * Checks that this JVM can draw, before any work is done.
     *
     * @param otherwise another option for the user, which begins with a semicolon; may be empty
     */
    public static void check(String otherwise) {
        try {
            Graphics2D graphics = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
            graphics.getFontMetrics(Figure.TEXT).stringWidth("x");
            graphics.dispose();
        } catch (RuntimeException | LinkageError | InternalError e) {
            throw ToolFailure.setup(
                    "this JVM cannot draw text, which --plot needs: " + e,
                    "install fontconfig and a font, such as fonts-dejavu-core" + otherwise);
        }
    }

    /**
     * Writes the figure into {@code folder} as NAME.svg and NAME.png. A comment in the SVG names the command {@code
     * by}.
     */
    public static void write(Figure figure, Path folder, String by) throws IOException {
        svg(figure, folder.resolve(figure.name() + ".svg"), by);
        png(figure.width(), figure.height(), figure::paint, folder.resolve(figure.name() + ".png"));
    }

    /** Writes the painted image as PNG. Width and height are pixels of an SVG. */
    public static void png(int width, int height, Consumer<Graphics2D> painter, Path file) throws IOException {
        BufferedImage image = new BufferedImage(
                (int) Math.ceil(width * PIXELS), (int) Math.ceil(height * PIXELS), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        graphics.scale(PIXELS, PIXELS);
        painter.accept(graphics);
        graphics.dispose();
        ImageIO.write(image, "png", file.toFile());
    }

    /** Writes the figure as SVG, with a comment that names the command {@code by}. */
    public static void svg(Figure figure, Path file, String by) throws IOException {
        SVGGeneratorContext context = SVGGeneratorContext.createDefault(document());
        context.setComment("drawn by " + by);
        SVGGraphics2D graphics = new SVGGraphics2D(context, false);
        graphics.setSVGCanvasSize(new Dimension(figure.width(), figure.height()));
        figure.paint(graphics);
        Element root = graphics.getRoot();
        root.setAttributeNS(null, "viewBox", "0 0 " + figure.width() + " " + figure.height());
        try (Writer writer = Files.newBufferedWriter(file, UTF_8)) {
            graphics.stream(root, writer, false, false);
        } catch (SVGGraphics2DIOException e) {
            throw new IOException("no SVG: " + e.getMessage(), e);
        }
    }

    private static Document document() {
        try {
            return DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument(SVG, "svg", null);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("the JDK makes no XML documents", e);
        }
    }
}
