package dev.jwarp.architecture;

import java.io.IOException;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Citations of requirements in the code of the stack: the ids in its comments, each with the class, method or field of
 * the comment.
 */
final class Citations {
    private static final Pattern ID =
            Pattern.compile("\\b(MPA2?|DDP|RDMAP|EXT|SEC|DG)-(?:[KGR]\\.)?[0-9][0-9.]*(-[0-9]+)+\\b");

    private Citations() {}

    /** {@return the places at which each requirement is cited, in order} */
    static Map<String, SortedSet<Place>> find() throws IOException {
        Map<String, SortedSet<Place>> places = new TreeMap<>();
        for (Source source : Source.all("/src/main/", "stack", "verbs-api")) {
            Matcher id = ID.matcher(source.text());
            while (id.find()) {
                places.computeIfAbsent(id.group(), k -> new TreeSet<>())
                        .add(source.place(source.memberAt(id.start()), id.start()));
            }
        }
        return places;
    }
}
