package dev.jwarp.tools.stat;

import dev.jwarp.tools.cli.ToolFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The words after the name of a command, in the grammar of {@code rdma}: {@code [show] [OBJECT] [DEV[/PORT]] [PID] [KEY
 * VALUE]...}. Words may be abbreviated if they stay unambiguous.
 *
 * @param pid of the process; null to list processes
 * @param object the kind of objects to show; null for all
 * @param filters required values, by the name of the field
 */
record CommandWords(@Nullable Long pid, @Nullable String object, Map<String, String> filters) {
    private static final List<String> VERBS = List.of("show", "list");

    /**
     * {@return the parsed words}
     *
     * @param objects the kinds of objects that the command can show
     * @param isDevice whether a word is the name of a device
     */
    static CommandWords parse(List<String> words, List<String> objects, Predicate<String> isDevice) {
        Long pid = null;
        String object = null;
        Map<String, String> filters = new LinkedHashMap<>();
        int at = !words.isEmpty() && VERBS.stream().anyMatch(verb -> verb.startsWith(words.get(0))) ? 1 : 0;
        while (at < words.size()) {
            String word = words.get(at++);
            if (isNumber(word)) {
                if (pid != null) {
                    throw ToolFailure.usage("only one pid is possible: " + pid + " or " + word);
                }
                pid = number(word);
            } else if (isDevice.test(word.split("/", 2)[0])) {
                filters.put("link", word);
            } else if (object == null
                    && filters.isEmpty()
                    && !meant(word, objects).isEmpty()) {
                object = only(word, meant(word, objects));
            } else if (at < words.size()) {
                filters.put(word, words.get(at++));
            } else {
                throw unknown(word, objects);
            }
        }
        return new CommandWords(pid, object, filters);
    }

    private static boolean isNumber(String word) {
        return !word.isEmpty() && word.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static long number(String word) {
        try {
            return Long.parseLong(word);
        } catch (NumberFormatException e) {
            throw ToolFailure.usage(word + " is too large for a pid");
        }
    }

    private static List<String> meant(String word, List<String> objects) {
        return objects.contains(word)
                ? List.of(word)
                : objects.stream().filter(object -> object.startsWith(word)).toList();
    }

    private static String only(String word, List<String> meant) {
        if (meant.size() > 1) {
            throw ToolFailure.usage("'" + word + "' is ambiguous: " + String.join(" or ", meant));
        }
        return meant.get(0);
    }

    private static ToolFailure unknown(String word, List<String> objects) {
        List<String> known = new ArrayList<>(objects);
        known.add("a pid");
        known.add("a filter such as 'state RTS'");
        return ToolFailure.usage("'" + word + "' is not known here", "known are: " + String.join(", ", known));
    }

    /**
     * {@return whether a row passes all filters} A filter is a list of values separated by commas; for numbers it may
     * have ranges.
     */
    boolean welcome(Map<String, Object> fields) {
        return filters.entrySet().stream().allMatch(filter -> {
            Object value = fields.get(filter.getKey());
            if (value == null && filter.getKey().equals("link")) {
                value = fields.get("dev");
            }
            return value != null
                    && matches(value, filter.getValue(), filter.getKey().equals("link"));
        });
    }

    private static boolean matches(Object value, String wanted, boolean device) {
        for (String one : wanted.split(",", -1)) {
            String text = value.toString();
            if (one.equals(text)
                    || (device && one.split("/", 2)[0].equals(text.split("/", 2)[0]) && oneIsWhole(one, text))) {
                return true;
            }
            String[] ends = one.split("-", 2);
            if (value instanceof Long number
                    && ends.length == 2
                    && isNumber(ends[0])
                    && isNumber(ends[1])
                    && number >= number(ends[0])
                    && number <= number(ends[1])) {
                return true;
            }
        }
        return false;
    }

    /** A device matches all its ports, and a port matches objects of the whole device. */
    private static boolean oneIsWhole(String one, String text) {
        return one.indexOf('/') < 0 || text.indexOf('/') < 0;
    }
}
