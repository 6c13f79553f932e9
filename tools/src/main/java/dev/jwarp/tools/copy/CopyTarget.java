package dev.jwarp.tools.copy;

import dev.jwarp.tools.cli.ToolFailure;
import java.nio.file.Path;

/**
 * Where copies go.
 *
 * @param host the host
 * @param path there, with / between its parts; empty: the folder that is served
 * @param into whether copies get their own names in it
 */
record CopyTarget(String host, String path, boolean into) {
    /** {@return what {@code HOST:DST} or {@code [HOST]:DST} says} */
    static CopyTarget parse(String text, boolean several) {
        int end = text.startsWith("[") ? text.indexOf("]:") + 1 : text.indexOf(':');
        if (end <= 0) {
            throw ToolFailure.usage(text + " is no HOST:DST");
        }
        String host = text.startsWith("[") ? text.substring(1, end - 1) : text.substring(0, end);
        String path = text.substring(end + 1);
        if (host.isEmpty() || path.startsWith("/")) {
            throw ToolFailure.usage(
                    text + " is no HOST:DST",
                    "DST is a path within the folder that is served there, without / in front");
        }
        boolean into = several || path.isEmpty() || path.endsWith("/");
        return new CopyTarget(host, path.endsWith("/") ? path.substring(0, path.length() - 1) : path, into);
    }

    /** {@return the path there of a copy of this} */
    String nameOf(Path source) {
        Path own = source.toAbsolutePath().normalize().getFileName();
        if (!into) {
            return path;
        }
        if (own == null) {
            throw ToolFailure.usage(source + " has no name of its own: say one, HOST:NAME");
        }
        return path.isEmpty() ? own.toString() : path + "/" + own;
    }
}
