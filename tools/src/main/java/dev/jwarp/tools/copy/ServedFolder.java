package dev.jwarp.tools.copy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Where names that a peer sends lead to: into one folder, and nowhere else. Any thread. */
final class ServedFolder {
    private static final String PART = ".jwcp-part";
    /** Bytes of a name in the file systems of Linux and others. */
    private static final int LONGEST_NAME = 255;

    private final Path root;
    /** Places of files that come now. */
    private final Set<Path> claimed = ConcurrentHashMap.newKeySet();

    /** @param root a folder that is there */
    ServedFolder(Path root) throws IOException {
        this.root = root.toRealPath();
    }

    /** {@return whether that is the name of a file that did not come whole yet} */
    static boolean isPart(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith(PART);
    }

    /** {@return where that is; the folders above it are made, if they are not there} In a time that grows with the number of its names. */
    Path place(String name) throws IOException {
        if (CopyWire.isTooDeep(name)) {
            throw new IOException("a path may have " + CopyWire.DEEPEST
                    + " names, one in the other, and this one has more: '" + name + "'");
        }
        String[] words = name.split("/", -1);
        for (String word : words) {
            within(root, word, name); // what is wrong further behind is seen before a folder is made
        }
        Path folder = root;
        for (int i = 0; i < words.length - 1; i++) {
            // One after the other: through a link, what is made behind it would be somewhere else.
            folder = made(within(folder, words[i], name), name);
        }
        Path path = within(folder, words[words.length - 1], name);
        if (Files.isSymbolicLink(path)) {
            throw leadsOut(name);
        }
        return path;
    }

    private static Path within(Path folder, String word, String name) throws IOException {
        if (!word.isEmpty() && !word.equals(".") && !word.equals("..") && !isPart(word)) {
            try {
                Path path = folder.resolve(word);
                if (folder.equals(path.getParent()) && path.endsWith(word)) { // not so C:\x, where that means something
                    return path;
                }
            } catch (InvalidPathException e) {
                throw new IOException("'" + name + "' is no path here", e);
            }
        }
        throw new IOException("'" + name + "' is no path within the folder that is served");
    }

    /** {@return the folder as it really is, its parent being so} Only a link is followed: to ask where all of a path leads takes as long as the path, for each of its names. */
    private Path made(Path folder, String name) throws IOException {
        if (isPlain(folder)) {
            return folder;
        }
        make(folder);
        Path real = isPlain(folder) ? folder : folder.toRealPath();
        if (!real.startsWith(root)) {
            throw leadsOut(name);
        }
        return real;
    }

    /** {@return whether that is a folder, and no link or the like} */
    private static boolean isPlain(Path folder) throws IOException {
        try {
            BasicFileAttributes is = Files.readAttributes(folder, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return is.isDirectory() && !is.isSymbolicLink() && !is.isOther();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Makes that folder of {@link #place}, if it is not there. */
    void make(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
            force(folder.resolveSibling("."));
        }
    }

    /** {@return whether the caller alone, of those who serve this folder, writes the file with that place, until {@link #release}} */
    boolean claim(Path place) {
        return claimed.add(place);
    }

    void release(Path place) {
        claimed.remove(place);
    }

    /** {@return where the file with that place is until it is whole} */
    static Path part(Path place) throws IOException {
        String name = String.valueOf(place.getFileName());
        String part = "." + name + PART;
        if (part.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
            byte[] sum = CopyWire.sha256().digest(name.getBytes(StandardCharsets.UTF_8));
            part = "." + HexFormat.of().formatHex(sum) + PART;
        }
        Path path = place.resolveSibling(part);
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("has something in its way there that is no file: " + part);
        }
        return path;
    }

    /** Names in that folder are on the disk when this returns; where no folder can be opened (Windows), the system sees to it. */
    static void force(Path folder) throws IOException {
        FileChannel names;
        try {
            names = FileChannel.open(folder, StandardOpenOption.READ);
        } catch (IOException e) {
            return;
        }
        try (names) {
            names.force(true);
        }
    }

    private static IOException leadsOut(String name) {
        return new IOException("'" + name + "' leads out of the folder that is served");
    }
}
