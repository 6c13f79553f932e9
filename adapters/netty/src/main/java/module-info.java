/** A transport of Netty above the verbs. */
module dev.jwarp.sockets.netty {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.sockets;
    requires dev.jwarp.verbs;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive io.netty.transport;

    exports dev.jwarp.sockets.netty;
}
