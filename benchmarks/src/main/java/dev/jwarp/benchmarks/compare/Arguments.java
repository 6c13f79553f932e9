package dev.jwarp.benchmarks.compare;

import java.util.LinkedHashMap;
import java.util.Map;

/** The arguments of a contender: words {@code KEY=VALUE}. Keys that begin with {@code jwarp.} are settings of jwarp. */
record Arguments(Map<String, String> values) {
    static Arguments of(Iterable<String> words) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String word : words) {
            int at = word.indexOf('=');
            if (at < 1) {
                throw new IllegalArgumentException(word + " is not KEY=VALUE");
            }
            values.put(word.substring(0, at), word.substring(at + 1));
        }
        return new Arguments(values);
    }

    String text(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    int number(String key, int otherwise) {
        String value = values.get(key);
        return value == null ? otherwise : Integer.parseInt(value);
    }

    boolean is(String key, String value) {
        return value.equals(values.get(key));
    }

    /** {@return the settings of jwarp among the arguments} */
    Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            if (key.startsWith("jwarp.")) {
                settings.put(key, value);
            }
        });
        return settings;
    }
}
