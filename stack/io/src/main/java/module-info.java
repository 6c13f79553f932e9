/** The event loop of sockets, under both transports. */
module dev.jwarp.io {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.base;
    requires transitive dev.jwarp.llp;
    requires static io.netty.common;
    requires static transitive io.netty.transport;
    requires static io.netty.transport.classes.epoll;
    requires static transitive io.netty.transport.unix.common;
    requires org.slf4j;

    exports dev.jwarp.io;
    exports dev.jwarp.io.netty;
}
