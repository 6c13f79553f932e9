/** Building blocks of all layers: resources shared fairly among peers, timers, lists, counters, settings. */
module dev.jwarp.base {
    requires static transitive org.jspecify;

    exports dev.jwarp.base;
}
