/** The jwarp command. */
module dev.jwarp.tools {
    requires static transitive org.jspecify;
    requires dev.jwarp.base;
    requires dev.jwarp.conformance;
    requires dev.jwarp.messaging;
    requires dev.jwarp.sockets;
    requires dev.jwarp.verbs;
    requires info.picocli;
    requires com.fasterxml.jackson.annotation;
    requires com.fasterxml.jackson.databind;
    requires com.fasterxml.jackson.dataformat.yaml;
    requires HdrHistogram;
    requires java.desktop;
    requires java.management;
    requires jdk.management;
    requires java.xml;
    requires org.apache.xmlgraphics.batik.svggen;
    requires xchart;
    requires org.slf4j;

    opens dev.jwarp.tools to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.cli to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.ping to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.demo to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.loss to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.message to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.study to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.perf to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.config to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.stat to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.devinfo to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.conform to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.decode to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.counterpart to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.copy to
            info.picocli,
            com.fasterxml.jackson.databind;
    opens dev.jwarp.tools.proxy to
            info.picocli,
            com.fasterxml.jackson.databind;
}
