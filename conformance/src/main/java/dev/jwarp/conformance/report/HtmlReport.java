package dev.jwarp.conformance.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The run as one self-contained HTML page: the findings as JSON, and a script that draws and filters them. */
public final class HtmlReport {
    private static final String PLACE = "@FINDINGS@";
    private static final ObjectMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    private HtmlReport() {}

    /** Writes the file. */
    public static void write(Path file, Findings findings) throws IOException {
        try (InputStream in = HtmlReport.class.getResourceAsStream("/dev/jwarp/conformance/report.html")) {
            if (in == null) {
                throw new IOException("the page's template is missing from this jar");
            }
            String page = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            // Bytes from the peer must not end the script element or begin another element.
            String data = JSON.writeValueAsString(findings).replace("<", "\\u003c");
            Files.writeString(file, page.replace(PLACE, data));
        }
    }
}
