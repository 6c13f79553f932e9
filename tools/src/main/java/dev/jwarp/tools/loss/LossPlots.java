package dev.jwarp.tools.loss;

import dev.jwarp.tools.figure.Drawing;
import dev.jwarp.tools.figure.Figure;
import java.io.IOException;
import java.nio.file.Path;

/** Writes the figures of a result, each as SVG and as PNG. */
final class LossPlots {
    private LossPlots() {}

    static void write(Path folder, LossResult result) throws IOException {
        for (Figure figure : LossFigures.of(result)) {
            Drawing.write(figure, folder, "jwarp loss");
        }
    }
}
