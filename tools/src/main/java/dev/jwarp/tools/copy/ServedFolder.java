package dev.jwarp.tools.copy;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Resolves names from a peer within the served folder, and rejects names that lead out of it. Any thread. */
final class ServedFolder implements Closeable {
    private static final String PART = ".jwcp-part";
    /** Most bytes of a name in usual file systems. */
    private static final int LONGEST_NAME = 255;

    private final OpenFolder root;
    /** Paths of files that are being received. */
    private final Set<Path> claimed = ConcurrentHashMap.newKeySet();

    /** @param root an existing folder whose path no other user can change */
    ServedFolder(Path root) throws IOException {
        this.root = OpenFolder.of(root.toRealPath());
    }

    /** {@return whether that is the name of a part, which is an incomplete file} */
    static boolean isPart(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith(PART);
    }

    /** {@return the name of the part of a file, which has the received bytes until the file is complete} */
    static String partOf(String name) {
        String part = "." + name + PART;
        if (part.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME) {
            return part;
        }
        byte[] sum = CopyWire.sha256().digest(name.getBytes(StandardCharsets.UTF_8));
        return "." + HexFormat.of().formatHex(sum) + PART;
    }

    /**
     * {@return the destination of that file; missing folders above it are made} Takes time in proportion to the number
     * of names in the path.
     */
    FilePlace place(String name) throws IOException {
        List<Path> names = names(name);
        int last = names.size() - 1;
        return new FilePlace(walk(names.subList(0, last), (at, next) -> made(at, next, name)), names.get(last));
    }

    /** Makes that folder and missing folders above it. */
    void make(String name) throws IOException {
        walk(names(name), (at, next) -> made(at, next, name)).close();
    }

    private List<Path> names(String path) throws IOException {
        if (CopyWire.isTooDeep(path)) {
            throw new IOException("a path may have at most " + CopyWire.DEEPEST + " names: '" + path + "'");
        }
        List<Path> names = new ArrayList<>();
        for (String word : path.split("/", -1)) {
            names.add(name(word, path));
        }
        return names;
    }

    private Path name(String word, String path) throws IOException {
        if (!word.isEmpty() && !word.equals(".") && !word.equals("..") && !isPart(word)) {
            try {
                Path place = root.path().resolve(word);
                Path name = place.getFileName();
                if (name != null
                        && root.path().equals(place.getParent())
                        && name.toString().equals(word)) { // not for C:\x on Windows
                    return name;
                }
            } catch (InvalidPathException e) {
                throw new IOException("'" + path + "' is not a path on this system", e);
            }
        }
        throw new IOException("'" + path + "' is not a path within the served folder");
    }

    /** A step from a folder to a folder in it. */
    @FunctionalInterface
    private interface Step {
        OpenFolder to(OpenFolder at, Path name) throws IOException;
    }

    /** {@return the folder that these names lead to, each in the one before} */
    private OpenFolder walk(Iterable<Path> names, Step step) throws IOException {
        OpenFolder at = root.again();
        for (Path name : names) {
            try (OpenFolder before = at) {
                at = step.to(before, name);
            }
        }
        return at;
    }

    private OpenFolder made(OpenFolder at, Path name, String path) throws IOException {
        BasicFileAttributes is = at.find(name);
        if (is != null && is.isSymbolicLink()) {
            return behind(at.path().resolve(name), path);
        }
        if (is == null) {
            make(at, name);
        }
        return at.folder(name);
    }

    /** One thread at a time: a move would replace an empty folder that another thread has just made. */
    private synchronized void make(OpenFolder at, Path name) throws IOException {
        if (at.find(name) == null) {
            at.make(name, root);
            at.force();
        }
    }

    /** {@return the target of a link, if it is within the served folder} No further link is followed on the way. */
    private OpenFolder behind(Path link, String path) throws IOException {
        Path real;
        try {
            real = link.toRealPath();
        } catch (NoSuchFileException e) {
            throw new NotDirectoryException(path);
        }
        if (!real.startsWith(root.path())) {
            throw leadsOut(path);
        }
        return real.equals(root.path()) ? root.again() : walk(root.path().relativize(real), OpenFolder::folder);
    }

    static IOException leadsOut(String path) {
        return new IOException("'" + path + "' leads out of the served folder");
    }

    /**
     * {@return whether no other receiver of this process writes the file} If so, the path is claimed until {@link
     * #release}.
     */
    boolean claim(Path place) {
        return claimed.add(place);
    }

    void release(Path place) {
        claimed.remove(place);
    }

    @Override
    public void close() throws IOException {
        root.close();
    }
}
