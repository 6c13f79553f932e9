package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/** The rules for the compiled classes and the sources of all modules. */
@DisplayName("The code")
class ModulesTest {

    /** Modules with packages of a library, or with libraries that are none; the manifest has their name. */
    private static final Set<String> NO_MODULES = Set.of("adapters/disni", "adapters/zookeeper");

    /** The top of the checkout: Maven runs a module's tests in the module's folder. */
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.jwarp");

    static final List<ArchRule> RULES = List.of(
            Rules.EVERY_CLASS_HAS_A_MODULE,
            Rules.NETTY_STAYS_IN_ITS_DRIVERS,
            Rules.SOCKETS_ONLY_IN_DRIVERS,
            Rules.THREADS_ONLY_IN_DRIVERS,
            Rules.FUTURES_ONLY_IN_THEIR_LAYER,
            Rules.WAITING_ONLY_IN_DRIVERS,
            Rules.CLOCKS_ARE_NOT_USED_OUTSIDE_DRIVERS,
            Rules.TIME_IS_NOT_READ_OUTSIDE_DRIVERS,
            Rules.THE_STACK_FORMATS_WITHOUT_A_DEFAULT_LOCALE,
            Rules.METHODS_OF_THE_STACK_HAVE_FEW_PARAMETERS,
            Bounds.areOn(LimitsPage.read()),
            Delegators.OVERRIDE_DEFAULT_METHODS,
            Cycles.PACKAGES_FORM_NONE,
            Cycles.FEW_CLASSES_FORM_ONE);

    @ParameterizedTest
    @FieldSource("RULES")
    @DisplayName("keeps the rule:")
    void keepsRule(ArchRule rule) {
        rule.check(CLASSES);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("has no other dependencies than ARCHITECTURE.md draws, from")
    void keepsDependencies(JwarpModule module) {
        Rules.dependenciesOf(module).check(CLASSES);
    }

    @Test
    @DisplayName("has a line in JwarpModule for every module with code except benchmarks")
    void everyModuleIsListed() throws IOException {
        try (Stream<Path> files =
                Files.find(Source.TOP, 6, (path, attributes) -> path.endsWith("src/main/java/module-info.java"))) {
            List<String> folders = Stream.concat(
                            files.map(path -> Source.TOP.relativize(path).toString())
                                    .map(path -> path.replace("/src/main/java/module-info.java", "")),
                            NO_MODULES.stream())
                    .toList();
            assertThat(folders)
                    .containsExactlyInAnyOrderElementsOf(Arrays.stream(JwarpModule.values())
                            .map(module -> module.folder)
                            .toList());
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"TORTURE", "SIMULATOR", "SOCKETS", "SOCKETS_NETTY"
            }) // the first two are never published, the others once all channels exist
    @DisplayName("offers in its bom")
    void bomListsEveryModule(JwarpModule module) throws IOException {
        String artifact = "<artifactId>jwarp-" + module.folder.replaceFirst("(stack|adapters)/", "") + "</artifactId>";
        assertThat(Files.readString(Source.TOP.resolve("packaging/bom/pom.xml")))
                .contains(artifact);
    }

    @Test
    @DisplayName("gives each published module a Java module name of its own")
    void everyPublishedModuleHasAModuleName() throws IOException {
        Matcher module =
                Pattern.compile("<module>(.*?)</module>").matcher(Files.readString(Source.TOP.resolve("pom.xml")));
        List<String> names = new ArrayList<>();
        while (module.find()) {
            Path folder = Source.TOP.resolve(module.group(1));
            String pom = Files.readString(folder.resolve("pom.xml"));
            if (!pom.contains("<maven.deploy.skip>true</maven.deploy.skip>")
                    && !pom.contains("<packaging>pom</packaging>")
                    && !NO_MODULES.contains(module.group(1))) {
                Path descriptor = folder.resolve("src/main/java/module-info.java");
                assertThat(descriptor).exists();
                Matcher name = Pattern.compile("^(?:open )?module (dev\\.jwarp\\.[a-z.]+) \\{", Pattern.MULTILINE)
                        .matcher(Files.readString(descriptor));
                assertThat(name.find())
                        .as(descriptor + " names a module of dev.jwarp")
                        .isTrue();
                names.add(name.group(1));
            }
        }
        assertThat(names).isNotEmpty().doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("has the same licence, developers and addresses in its BOM as in its root pom")
    void bomSaysOfTheProjectWhatTheRootSays() throws IOException {
        assertThat(ofTheProject("packaging/bom/pom.xml"))
                .isEqualTo(ofTheProject("pom.xml"))
                .contains("<licenses>", "<developers>", "<scm>", "<connection>");
    }

    /** From {@code <url>} to {@code </scm>}, without comments, and without attributes, which only a parent needs. */
    private static String ofTheProject(String file) throws IOException {
        Matcher part = Pattern.compile("\n  <url>.*?</scm>", Pattern.DOTALL)
                .matcher(Files.readString(Source.TOP.resolve(file)));
        assertThat(part.find()).as(file + " has a url and an scm").isTrue();
        return part.group().replaceAll("\\s*<!--.*?-->", "").replaceAll("<scm [^>]*>", "<scm>");
    }

    @Test
    @DisplayName(
            "can be installed and deployed: a module without code skips both steps, which fail without an artifact")
    void modulesWithoutArtifactAreNotInstalled() throws IOException {
        Matcher module =
                Pattern.compile("<module>(.*?)</module>").matcher(Files.readString(Source.TOP.resolve("pom.xml")));
        int without = 0;
        while (module.find()) {
            String pom = Files.readString(Source.TOP.resolve(module.group(1)).resolve("pom.xml"));
            if (pom.contains("<id>default-jar</id>")) {
                without++;
                assertThat(pom)
                        .as(module.group(1) + "/pom.xml")
                        .contains("<maven.install.skip>true</maven.install.skip>")
                        .contains("<maven.deploy.skip>true</maven.deploy.skip>");
            }
        }
        assertThat(without).as("modules without an artifact").isPositive();
    }
}
