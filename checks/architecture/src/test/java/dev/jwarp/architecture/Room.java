package dev.jwarp.architecture;

import java.util.List;
import java.util.stream.Stream;

/**
 * The rooms of the house and the arrows between them, as ARCHITECTURE.md draws them: one line a module. Nothing else may
 * be used; a new module needs a line here, in ARCHITECTURE.md and, if others are to use it, in the bom.
 */
@SuppressWarnings("ImmutableEnumChecker") // its lists are made by List.of
enum Room {
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
            CONFORMANCE,
            BASE),
    TORTURE("checks/torture", "dev.jwarp.torture", List.of(), VERBS_API, CONFORMANCE);

    /** What every room may use: the base module of the JDK, and the null annotations. */
    private static final List<String> EVERYWHERE = List.of("java..", "javax.crypto..", "org.jspecify.annotations..");

    final String folder;
    final String basePackage;
    private final List<String> libraries;
    private final List<Room> arrows;

    Room(String folder, String basePackage, List<String> libraries, Room... arrows) {
        this.folder = folder;
        this.basePackage = basePackage;
        this.libraries = libraries;
        this.arrows = List.of(arrows);
    }

    /** {@return the packages of this room, as ArchUnit writes them} */
    String packages() {
        return basePackage + "..";
    }

    /** {@return packages of rooms within its own, which are not its} */
    String[] others() {
        return Stream.of(values())
                .filter(room -> room.basePackage.startsWith(basePackage + "."))
                .map(Room::packages)
                .toArray(String[]::new);
    }

    /** {@return packages within those of rooms that it may use, of rooms that it may not} */
    String[] notMeant() {
        return Stream.of(values())
                .filter(this::mayUse)
                .flatMap(room ->
                        Stream.of(values()).filter(other -> other.basePackage.startsWith(room.basePackage + ".")))
                .filter(room -> !mayUse(room))
                .map(Room::packages)
                .toArray(String[]::new);
    }

    /** {@return everything this room may depend on, itself included} */
    String[] allowedPackages() {
        return Stream.of(
                        Stream.of(packages()),
                        arrows.stream().map(Room::packages),
                        libraries.stream(),
                        EVERYWHERE.stream())
                .flatMap(packages -> packages)
                .toArray(String[]::new);
    }

    boolean mayUse(Room other) {
        return this == other || arrows.contains(other);
    }
}
