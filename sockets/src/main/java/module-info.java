/** Sockets of java.nio above the verbs. */
module dev.jwarp.sockets {
    requires static transitive java.instrument;
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.verbs;
    requires dev.jwarp.base;
    requires java.management;
    requires org.slf4j;

    exports dev.jwarp.sockets;
    exports dev.jwarp.sockets.connection;
    exports dev.jwarp.sockets.datagram;
    exports dev.jwarp.sockets.stream;
}
