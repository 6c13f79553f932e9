/**
 * What every layer needs and no RFC describes: limited resources, divided fairly among peers; timers, lists, counters,
 * settings.
 */
module dev.jwarp.base {
    requires static transitive org.jspecify;

    exports dev.jwarp.base;
}
