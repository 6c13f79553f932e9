/** The counters of a context as meters of Micrometer, and as events of the JDK's Flight Recorder. */
module dev.jwarp.metrics {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.verbs;
    // Each of the two classes needs one of these; a service has what it uses.
    requires static jdk.jfr;
    requires static micrometer.core;

    exports dev.jwarp.metrics;
}
