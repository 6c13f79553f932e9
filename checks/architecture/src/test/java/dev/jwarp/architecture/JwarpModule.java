package dev.jwarp.architecture;

import java.util.List;
import java.util.stream.Stream;

/**
 * The modules and the dependencies between them, as ARCHITECTURE.md draws them: one line a module. No other dependency
 * is allowed; a new module needs a line here, in ARCHITECTURE.md and, if it is published, in the bom.
 */
@SuppressWarnings("ImmutableEnumChecker") // its lists are made by List.of
enum JwarpModule {
    BASE("stack/base", "dev.jwarp.base", List.of()),
    MPA("stack/mpa", "dev.jwarp.mpa", List.of()),
    LLP("stack/llp", "dev.jwarp.llp", List.of()),
    SIMULATOR("checks/simulator", "dev.jwarp.sim", List.of(), LLP),
    DDP("stack/ddp", "dev.jwarp.ddp", List.of(), LLP),
    IO("stack/io", "dev.jwarp.io", List.of("org.slf4j..", "io.netty.."), LLP, BASE),
    RDMAP("stack/rdmap", "dev.jwarp.rdmap", List.of(), DDP, LLP, BASE),
    TRANSPORT_TCP(
            "stack/transport-tcp",
            "dev.jwarp.transport.tcp",
            List.of("org.slf4j..", "io.netty..", "jdk.net.."),
            LLP,
            MPA,
            IO,
            BASE),
    TRANSPORT_UDP(
            "stack/transport-udp", "dev.jwarp.transport.udp", List.of("org.slf4j..", "io.netty.."), DDP, LLP, IO, BASE),
    VERBS_API("verbs-api", "dev.jwarp.verbs", List.of()),
    RNIC("stack/rnic", "dev.jwarp.rnic", List.of("org.slf4j..", "org.jctools.."), VERBS_API, RDMAP, DDP, LLP, BASE),
    METRICS("adapters/metrics", "dev.jwarp.metrics", List.of("io.micrometer..", "jdk.jfr.."), VERBS_API),
    MESSAGING("messaging", "dev.jwarp.messaging", List.of(), VERBS_API),
    MESSAGING_ZOOKEEPER(
            "adapters/zookeeper",
            "dev.jwarp.messaging.zookeeper",
            List.of("org.apache.curator..", "org.apache.zookeeper.."),
            MESSAGING,
            VERBS_API),
    SOCKETS("sockets", "dev.jwarp.sockets", List.of("org.slf4j.."), VERBS_API, BASE),
    SOCKETS_NETTY("adapters/netty", "dev.jwarp.sockets.netty", List.of("io.netty.."), SOCKETS, VERBS_API),
    DISNI("adapters/disni", "dev.jwarp.disni", List.of("com.ibm.disni.."), VERBS_API),
    CONFORMANCE("conformance", "dev.jwarp.conformance", List.of("com.fasterxml.jackson..", "javax.xml.stream..")),
    TOOLS(
            "tools",
            "dev.jwarp.tools",
            List.of(
                    "org.slf4j..",
                    "picocli..",
                    "com.fasterxml.jackson..",
                    "org.HdrHistogram..",
                    "org.knowm.xchart..",
                    "org.apache.batik.svggen..",
                    "javax.imageio..",
                    "javax.xml..",
                    "org.w3c.dom..",
                    // The JDK's own counts of what threads allocate and of processor time.
                    "com.sun.management.."),
            VERBS_API,
            SOCKETS,
            MESSAGING,
            CONFORMANCE,
            BASE),
    TORTURE("checks/torture", "dev.jwarp.torture", List.of(), VERBS_API, CONFORMANCE);

    /** Packages that every module may use: the base module of the JDK, and the null annotations. */
    private static final List<String> EVERYWHERE = List.of("java..", "javax.crypto..", "org.jspecify.annotations..");

    final String folder;
    final String basePackage;
    private final List<String> libraries;
    private final List<JwarpModule> dependencies;

    JwarpModule(String folder, String basePackage, List<String> libraries, JwarpModule... dependencies) {
        this.folder = folder;
        this.basePackage = basePackage;
        this.libraries = libraries;
        this.dependencies = List.of(dependencies);
    }

    /** {@return the packages of this module, as ArchUnit writes them} */
    String packages() {
        return basePackage + "..";
    }

    /** {@return packages of other modules within the base package of this module} */
    String[] others() {
        return Stream.of(values())
                .filter(module -> module.basePackage.startsWith(basePackage + "."))
                .map(JwarpModule::packages)
                .toArray(String[]::new);
    }

    /** {@return packages of forbidden modules within the base packages of allowed modules} */
    String[] notMeant() {
        return Stream.of(values())
                .filter(this::mayUse)
                .flatMap(module ->
                        Stream.of(values()).filter(other -> other.basePackage.startsWith(module.basePackage + ".")))
                .filter(module -> !mayUse(module))
                .map(JwarpModule::packages)
                .toArray(String[]::new);
    }

    /** {@return all packages that this module may depend on, its own included} */
    String[] allowedPackages() {
        return Stream.of(
                        Stream.of(packages()),
                        dependencies.stream().map(JwarpModule::packages),
                        libraries.stream(),
                        EVERYWHERE.stream())
                .flatMap(packages -> packages)
                .toArray(String[]::new);
    }

    boolean mayUse(JwarpModule other) {
        return this == other || dependencies.contains(other);
    }
}
