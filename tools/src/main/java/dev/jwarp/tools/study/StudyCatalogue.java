package dev.jwarp.tools.study;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.jwarp.tools.cli.Nearest;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All studies, as {@code claims.yaml} has them.
 *
 * @param studies in the order of the list
 */
record StudyCatalogue(List<Study> studies) {
    /**
     * One study.
     *
     * @param name on the command line
     * @param title for people
     * @param x name of what the points of a contender differ in: a value of its rows, such as {@code msg_size_bytes}
     * @param points values of {@code {x}} of contenders that have none of their own; none if rows have them
     * @param with words at the end of each command
     * @param figures names of the measured values of a row; a slash separates names of nested values
     * @param contenders who is measured, in turn
     * @param claims the claims that the study checks
     */
    record Study(
            String name,
            String title,
            String x,
            @Nullable List<Double> points,
            @Nullable String with,
            List<String> figures,
            List<Contender> contenders,
            List<Claim> claims) {
        Study {
            contenders = List.copyOf(contenders);
            claims = List.copyOf(claims);
        }

        /** {@return the points of a contender; null if its rows have them} */
        @Nullable
        List<Double> points(Contender contender) {
            return contender.x() == null ? points : contender.x();
        }
    }

    /**
     * Commands that measure.
     *
     * @param panel of the picture that has the points; the first part of the name of the points
     * @param name of the points, after {@code panel}; none with {@code series}
     * @param run a command of jwarp, without {@code jwarp} and {@code --json}. {@code {x}} stands for each value of
     *     {@code x} in turn, {@code {s}} for the seconds of a measurement
     * @param quick the command with {@code --quick}; none for {@code run}
     * @param x values of {@code {x}}; none for those of the study
     * @param series the value of a row that names its point; none with {@code name}
     * @param needs what the machine must have
     */
    record Contender(
            @Nullable String panel,
            @Nullable String name,
            String run,
            @Nullable String quick,
            @Nullable List<Double> x,
            @Nullable String series,
            @Nullable Need needs) {
        /** {@return the name of its points} */
        String point(@Nullable String inRow) {
            String last = Objects.requireNonNullElse(inRow, Objects.requireNonNullElse(name, ""));
            return panel == null ? last : (panel + " " + last).strip();
        }
    }

    /**
     * A result of the literature.
     *
     * @param says the result in one sentence
     * @param source who published it
     * @param published the published figure
     * @param when found if all of these are true
     * @param unless why the result may not be found on a machine like this one
     */
    record Claim(
            String says,
            String source,
            String published,
            List<Condition> when,
            @Nullable String unless) {
        Claim {
            when = List.copyOf(when);
        }
    }

    /**
     * A ratio of two figures, and its bounds. At several points it is the geometric mean.
     *
     * @param of name of the points whose figure is divided
     * @param figure its name
     * @param at the one point to compare; none for all points that both have
     * @param to name of the points whose figure divides; none for {@code of}
     * @param by name of the figure that divides; none for {@code figure}
     * @param toAt the point whose figure divides; none for {@code at}
     * @param value a number that divides, in place of a figure
     * @param above the ratio must be more; none for no bound
     * @param below the ratio must be less; none for no bound
     * @param each whether the bounds are for each point, not for their mean
     */
    record Condition(
            String of,
            String figure,
            @Nullable Double at,
            @Nullable String to,
            @Nullable String by,
            @Nullable Double toAt,
            @Nullable Double value,
            @Nullable Double above,
            @Nullable Double below,
            boolean each) {
        boolean holds(double ratio) {
            return (above == null || ratio > above) && (below == null || ratio < below);
        }
    }

    private static final ObjectMapper MAPPER =
            JsonMapper.builder(new YAMLFactory()).build();

    /** {@return the catalogue of this version} */
    static StudyCatalogue load() {
        try (InputStream in = Objects.requireNonNull(StudyCatalogue.class.getResourceAsStream("claims.yaml"))) {
            return read(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static StudyCatalogue read(InputStream in) throws IOException {
        return MAPPER.readValue(in, StudyCatalogue.class);
    }

    /** {@return the studies with these names, in the order of the catalogue; {@code all} stands for each} */
    List<Study> named(List<String> names) {
        List<String> known = studies.stream().map(Study::name).toList();
        for (String name : names) {
            if (!name.equals("all") && !known.contains(name)) {
                throw ToolFailure.usage(
                        "there is no study '" + name + "'" + Nearest.question(name, known),
                        "'jwarp study list' shows all");
            }
        }
        return studies.stream()
                .filter(study -> names.contains("all") || names.contains(study.name()))
                .toList();
    }
}
