package dev.jwarp.tools.loss;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The result of the command.
 *
 * @param where the description of the lab and the machine
 * @param command that repeats the run
 * @param rows in the order of the table
 */
record LossResult(String where, String command, List<Row> rows) {
    /** The layout of the JSON document. */
    static final String SCHEMA = "jwarp.loss/1";

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** {@return the result that an earlier run has written to a file} */
    static LossResult read(Path file) {
        try {
            JsonNode document = MAPPER.readTree(file.toFile());
            if (!document.path("schema").asText().equals(SCHEMA)
                    || document.path("result").isMissingNode()) {
                throw ToolFailure.usage("--from " + file + ": the file is not a document of jwarp loss --json-file");
            }
            return MAPPER.treeToValue(document.path("result"), LossResult.class);
        } catch (IOException e) {
            throw ToolFailure.usage(
                    "--from " + file + " cannot be read: " + e, "--from takes a document of jwarp loss --json-file");
        }
    }

    /** {@return the status of all rows together, for the document} */
    String status() {
        if (rows.stream().anyMatch(Row::troubled)) {
            return "failed";
        }
        return rows.stream().anyMatch(Row::cut) ? "cut" : "ok";
    }
}
