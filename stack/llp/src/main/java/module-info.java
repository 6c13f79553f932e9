/** The interface between DDP and its lower layer, for connections and datagrams; the table of errors; captures. */
module dev.jwarp.llp {
    requires static transitive org.jspecify;

    exports dev.jwarp.llp;
    exports dev.jwarp.llp.capture;
    exports dev.jwarp.llp.datagram;
    exports dev.jwarp.llp.nio;
}
