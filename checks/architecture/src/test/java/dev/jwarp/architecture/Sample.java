package dev.jwarp.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A class that might be written in some package of jwarp, to show how the rules judge it.
 *
 * @param packageName its package
 * @param member its only member, as Java source
 */
record Sample(String packageName, String member) {

    /** Stands for the name of the class in a member, such as a constructor. */
    private static final String OWN_NAME = "OWN_NAME";

    /**
     * Compiles these samples into {@code folder} in one run, together with an empty class {@code Other} for each
     * module.
     */
    static void compile(Collection<Sample> samples, Path folder) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Sample sample : samples) {
            sources.add(write(folder, sample.packageName, sample.name(), sample.member));
        }
        for (JwarpModule module : JwarpModule.values()) {
            sources.add(write(folder, module.basePackage, "Other", "public static int x;"));
        }
        if (!Javac.compile(sources, folder, "none", null)) {
            throw new IllegalStateException("a sample does not compile, see stderr");
        }
    }

    private static Path write(Path folder, String packageName, String name, String member) throws IOException {
        Path file = folder.resolve(packageName.replace('.', '/')).resolve(name + ".java");
        Files.createDirectories(file.getParent());
        return Files.writeString(
                file,
                "package %s; public class %s { %s }".formatted(packageName, name, member.replace(OWN_NAME, name)));
    }

    /** {@return this class alone} */
    JavaClasses in(JavaClasses samples) {
        String fullName = packageName + "." + name();
        return samples.that(describe(fullName, type -> type.getName().equals(fullName)));
    }

    private String name() {
        return "Sample" + Integer.toHexString(hashCode());
    }
}
