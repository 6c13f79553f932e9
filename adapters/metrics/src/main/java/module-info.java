/** The counters of a context as meters of Micrometer, and as events of the JDK's Flight Recorder. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer is no named module yet.
module dev.jwarp.metrics {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.verbs;
    // Each of the two classes needs one of these modules; a service provides those that it uses.
    requires static jdk.jfr;
    requires static transitive micrometer.core;

    exports dev.jwarp.metrics;
}
