/** Messages by service id, on the verbs. */
module dev.jwarp.messaging {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.verbs;

    exports dev.jwarp.messaging;
}
