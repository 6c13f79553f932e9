package dev.jwarp.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A class that might have been written in some package of jwarp, to show what the rules say to it.
 *
 * @param packageName where it is
 * @param member the one thing it has, as Java source
 */
record Sample(String packageName, String member) {
    private static final String NAME = "Sample";
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    /** One for all: it keeps the libraries open. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    /** {@return the class, compiled into {@code folder} together with an empty class {@code Other} for each room} */
    JavaClasses compileIn(Path folder) {
        try {
            Path source = write(folder, packageName, NAME, member);
            List<Path> sources = new ArrayList<>(List.of(source));
            for (Room room : Room.values()) {
                sources.add(write(folder, room.basePackage, "Other", "public static int x;"));
            }
            compile(sources, folder);
            return new ClassFileImporter()
                    .importPath(folder.resolve(packageName.replace('.', '/')).resolve(NAME + ".class"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path write(Path folder, String packageName, String name, String member) throws IOException {
        Path file = folder.resolve(packageName.replace('.', '/')).resolve(name + ".java");
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "package %s; public class %s { %s }".formatted(packageName, name, member));
    }

    private static void compile(List<Path> sources, Path folder) {
        List<String> options =
                List.of("-proc:none", "-d", folder.toString(), "-classpath", System.getProperty("java.class.path"));
        var units = FILES.getJavaFileObjectsFromPaths(sources);
        if (!COMPILER.getTask(null, FILES, null, options, null, units).call()) {
            throw new IllegalStateException("the sample does not compile, see stderr: " + sources.get(0));
        }
    }
}
