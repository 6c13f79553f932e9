package dev.jwarp.tools.study.work;

import java.util.Map;

/** An application of a study, with both ends in this process. */
@FunctionalInterface
public interface StudyApplication {
    /**
     * Runs the application for the time of its parameters.
     *
     * @return measured values, by name; names have units
     * @throws Exception which ends the contender
     */
    Map<String, Double> run() throws Exception;
}
