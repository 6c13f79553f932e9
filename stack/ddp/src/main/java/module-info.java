/** DDP: segments, STags, placement and untagged queues (RFC 5041). */
module dev.jwarp.ddp {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.llp;

    exports dev.jwarp.ddp;
    exports dev.jwarp.ddp.datagram;
}
