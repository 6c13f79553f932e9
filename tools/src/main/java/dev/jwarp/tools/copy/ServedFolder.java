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

/** Where names that a peer sends lead to: into one folder, and nowhere else. Any thread. */
final class ServedFolder implements Closeable {
    private static final String PART = ".jwcp-part";
    /** Bytes of a name in the file systems of Linux and others. */
    private static final int LONGEST_NAME = 255;

    private final OpenFolder root;
    /** Places of files that come now. */
    private final Set<Path> claimed = ConcurrentHashMap.newKeySet();

    /** @param root a folder that is there, and whose path no other user can change */
    ServedFolder(Path root) throws IOException {
        this.root = OpenFolder.of(root.toRealPath());
    }

    /** {@return whether that is the name of a file that did not come whole yet} */
    static boolean isPart(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith(PART);
    }

    /** {@return the name of the file with that name until it is whole} */
    static String partOf(String name) {
        String part = "." + name + PART;
        if (part.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME) {
            return part;
        }
        byte[] sum = CopyWire.sha256().digest(name.getBytes(StandardCharsets.UTF_8));
        return "." + HexFormat.of().formatHex(sum) + PART;
    }

    /** {@return where that file is to be; the folders above it are made, if they are not there} In a time that grows with the number of its names. */
    FilePlace place(String name) throws IOException {
        List<Path> names = names(name);
        int last = names.size() - 1;
        return new FilePlace(walk(names.subList(0, last), (at, next) -> made(at, next, name)), names.get(last));
    }

    /** Makes that folder, and those above it, if they are not there. */
    void make(String name) throws IOException {
        walk(names(name), (at, next) -> made(at, next, name)).close();
    }

    private List<Path> names(String path) throws IOException {
        if (CopyWire.isTooDeep(path)) {
            throw new IOException("a path may have " + CopyWire.DEEPEST
                    + " names, one in the other, and this one has more: '" + path + "'");
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
                        && name.toString().equals(word)) { // not so C:\x, where that means something
                    return name;
                }
            } catch (InvalidPathException e) {
                throw new IOException("'" + path + "' is no path here", e);
            }
        }
        throw new IOException("'" + path + "' is no path within the folder that is served");
    }

    /** From a folder to one in it. */
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

    /** One at a time: a folder that is empty yet gives way to another one that is moved to its place. */
    private synchronized void make(OpenFolder at, Path name) throws IOException {
        if (at.find(name) == null) {
            at.make(name, root);
            at.force();
        }
    }

    /** {@return the folder that a link leads to, within the folder that is served} On the way to it no further link is followed. */
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
        return new IOException("'" + path + "' leads out of the folder that is served");
    }

    /** {@return whether the caller alone, of those who serve this folder, writes the file with that place, until {@link #release}} */
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
