/** Sockets above the verbs: so far the protocol of librdmacm's rsockets, as states and bytes. */
module dev.jwarp.sockets {
    requires static transitive org.jspecify;
    requires dev.jwarp.verbs;

    exports dev.jwarp.sockets.stream;
}
