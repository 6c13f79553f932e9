package dev.jwarp.tools.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The output of {@code --json}. A serializer writes it; no JSON is made by concatenating strings. */
public final class Json {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .addModule(new SimpleModule().addSerializer(Double.class, new FiniteOrNull()))
            .build();

    private Json() {}

    /**
     * The JSON document of a run.
     *
     * @param schema name and version of this layout, such as {@code jwarp.rping/1}
     * @param version of jwarp
     * @param status {@code ok}, {@code interrupted}, or the {@link ExitStatus} in lower case
     * @param exitStatus the exit status of the process
     * @param config every setting in force, with the source of its value
     * @param result the results of the command; null if there are none
     * @param error the failure; null after success
     */
    public record Document(
            String schema,
            String version,
            String status,
            int exitStatus,
            Map<String, EffectiveSetting> config,
            @Nullable Object result,
            @Nullable Failure error) {}

    /**
     * A setting in force.
     *
     * @param value in the syntax of the setting
     * @param source {@code flag}, {@code environment}, {@code property} or {@code default}
     */
    public record EffectiveSetting(String value, String source) {}

    /** A failure, with the same text as on standard error. */
    public record Failure(String message, List<String> details) {}

    /** {@return the document as text, over several lines} */
    public static String text(Object document) {
        try {
            return MAPPER.writeValueAsString(document);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a result cannot be written as JSON", e);
        }
    }

    /**
     * {@return rows as comma-separated values: a header, and a line for each row} The cell of a value that was not
     * measured is empty.
     *
     * @param digits number of decimal places of fractional numbers
     * @param columns separated by commas. A column is a name in the row's JSON, or {@code header=name/name} for a
     *     nested value. If the column ends with a quotation mark, its text is put in quotation marks
     */
    public static List<String> csv(int digits, String columns, List<?> rows) {
        String[] all = columns.split(",", -1);
        List<String> lines = new ArrayList<>();
        lines.add(Arrays.stream(all)
                .map(column -> column.replaceAll("=.*|\"", ""))
                .collect(Collectors.joining(",")));
        for (Object row : rows) {
            JsonNode document = MAPPER.valueToTree(row);
            lines.add(Arrays.stream(all)
                    .map(column ->
                            cell(digits, document.at("/" + column.replaceAll(".*=|\"", "")), column.endsWith("\"")))
                    .collect(Collectors.joining(",")));
        }
        return lines;
    }

    private static String cell(int digits, JsonNode value, boolean quoted) {
        if (value.isNull() || value.isMissingNode() || (value.isDouble() && !Double.isFinite(value.doubleValue()))) {
            return "";
        } else if (value.isDouble()) {
            return String.format(Locale.ROOT, "%." + digits + "f", value.doubleValue());
        }
        return quoted ? '"' + value.asText().replace("\"", "\"\"") + '"' : value.asText();
    }

    /** JSON has neither infinity nor NaN: a value that was not measured is null. */
    private static final class FiniteOrNull extends StdSerializer<Double> {
        private static final long serialVersionUID = 1L;

        FiniteOrNull() {
            super(Double.class);
        }

        @Override
        public void serialize(Double value, JsonGenerator json, SerializerProvider provider) throws IOException {
            if (Double.isFinite(value)) {
                json.writeNumber(value);
            } else {
                json.writeNull();
            }
        }
    }
}
