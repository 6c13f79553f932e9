package dev.jwarp.base;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The name, default value and allowed values of a setting. Immutable. */
public final class SettingKey {
    private final String key;
    private final String defaultValue;
    private final String allowed;
    private final String sentence;

    /** Null if any text is allowed, unchanged. */
    private final @Nullable Predicate<String> fits;

    private SettingKey(
            String key, String defaultValue, String allowed, String sentence, @Nullable Predicate<String> fits) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.allowed = allowed;
        this.sentence = sentence;
        this.fits = fits;
    }

    /** {@return a switch} */
    public static SettingKey onOff(String key, String defaultValue, String sentence) {
        return oneOf(key, defaultValue, List.of("on", "off"), sentence);
    }

    /** {@return a number from {@code least} to {@code most}} */
    public static SettingKey number(
            String key, String defaultValue, long least, long most, String unit, String sentence) {
        String range = least + " to " + most + (unit.isEmpty() ? "" : " " + unit);
        return text(key, defaultValue, range, value -> isNumber(value, least, most), sentence);
    }

    /** {@return one of some words} */
    public static SettingKey oneOf(String key, String defaultValue, List<String> words, String sentence) {
        int last = words.size() - 1;
        String allowed = String.join(", ", words.subList(0, last)) + " or " + words.get(last);
        return text(key, defaultValue, allowed, words::contains, sentence);
    }

    /**
     * {@return a text that a predicate checks}
     *
     * @param fits whether a value is allowed; its argument is stripped and in lower case
     */
    public static SettingKey text(
            String key, String defaultValue, String allowed, Predicate<String> fits, String sentence) {
        return new SettingKey(key, defaultValue, allowed, sentence, fits);
    }

    /** {@return a setting of any text, kept unchanged} */
    public static SettingKey anyText(String key, String defaultValue, String allowed, String sentence) {
        return new SettingKey(key, defaultValue, allowed, sentence, null);
    }

    private static boolean isNumber(String value, long least, long most) {
        try {
            long number = Long.parseLong(value);
            return number >= least && number <= most;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** {@return the name of the setting} */
    public String key() {
        return key;
    }

    /** {@return the default value} */
    public String defaultValue() {
        return defaultValue;
    }

    /** {@return the allowed values, in words} */
    public String allowed() {
        return allowed;
    }

    /** {@return the description of the setting} */
    public String sentence() {
        return sentence;
    }

    /** {@return the value, stripped and in lower case except for any text; null if the value is not allowed} */
    public @Nullable String tidy(String value) {
        if (fits == null) {
            return value;
        }
        String tidy = value.strip().toLowerCase(Locale.ROOT);
        return fits.test(tidy) ? tidy : null;
    }

    /**
     * {@return the value as returned by {@link #tidy}}
     *
     * @throws IllegalArgumentException if the value is not allowed; the message has the key, the value and the allowed
     *     values
     */
    public String check(String value) {
        String tidy = tidy(value);
        if (tidy == null) {
            throw new IllegalArgumentException(key + "=" + value + " cannot be used: it must be " + allowed);
        }
        return tidy;
    }
}
