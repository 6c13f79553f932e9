package dev.jwarp.architecture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.tools.DiagnosticListener;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Compiles with the class path of the tests. */
final class Javac {
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** Stays open: reading the jars of the class path takes longer than compiling a program. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    private Javac() {}

    /**
     * {@return whether all sources compile}
     *
     * @param problems receives the errors; null for standard error
     */
    static boolean compile(
            List<Path> sources, Path into, String lint, DiagnosticListener<? super JavaFileObject> problems)
            throws IOException {
        FILES.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(into));
        return COMPILER.getTask(
                        null,
                        FILES,
                        problems,
                        List.of("-proc:none", "-Xlint:" + lint),
                        null,
                        FILES.getJavaFileObjectsFromPaths(sources))
                .call();
    }
}
