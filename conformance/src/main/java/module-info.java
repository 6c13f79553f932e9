/** The conformance runner's own engine, decoder, catalogue and reports. Nothing of the stack. */
module dev.jwarp.conformance {
    requires static transitive org.jspecify;
    requires transitive com.fasterxml.jackson.databind;
    requires java.xml;

    exports dev.jwarp.conformance.app;
    exports dev.jwarp.conformance.capture;
    exports dev.jwarp.conformance.cases;
    exports dev.jwarp.conformance.catalogue;
    exports dev.jwarp.conformance.datagram;
    exports dev.jwarp.conformance.decode;
    exports dev.jwarp.conformance.fuzz;
    exports dev.jwarp.conformance.report;
    exports dev.jwarp.conformance.repro;
    exports dev.jwarp.conformance.script;
    exports dev.jwarp.conformance.suite;
    exports dev.jwarp.conformance.wire;
}
