package dev.jwarp.base;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What can be set, and to what. Immutable. */
public final class SettingKey {
    private final String key;
    private final String defaultValue;
    private final String allowed;
    private final String sentence;

    /** Null where any text will do, just as it is. */
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
     * {@return a text that has to be understood}
     *
     * @param fits whether a value can be used, which has no spaces around it and no capitals
     */
    public static SettingKey text(
            String key, String defaultValue, String allowed, Predicate<String> fits, String sentence) {
        return new SettingKey(key, defaultValue, allowed, sentence, fits);
    }

    /** {@return any text, taken as it is} */
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

    /** {@return its name} */
    public String key() {
        return key;
    }

    /** {@return the value that holds when none is given} */
    public String defaultValue() {
        return defaultValue;
    }

    /** {@return the values it takes, in words} */
    public String allowed() {
        return allowed;
    }

    /** {@return what it is for} */
    public String sentence() {
        return sentence;
    }

    /** {@return the value, without spaces around it and without capitals; null if it cannot be used} */
    public @Nullable String tidy(String value) {
        if (fits == null) {
            return value;
        }
        String tidy = value.strip().toLowerCase(Locale.ROOT);
        return fits.test(tidy) ? tidy : null;
    }

    /**
     * {@return the value, as {@link #tidy} makes it}
     *
     * @throws IllegalArgumentException if it cannot be used, with key, value and what is allowed
     */
    public String check(String value) {
        String tidy = tidy(value);
        if (tidy == null) {
            throw new IllegalArgumentException(key + "=" + value + " cannot be used: it must be " + allowed);
        }
        return tidy;
    }
}
