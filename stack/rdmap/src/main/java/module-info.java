/** RDMAP: Write, Read, Send, Immediate Data, Atomics and Terminate over DDP (RFC 5040, RFC 7306). */
module dev.jwarp.rdmap {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.base;
    requires transitive dev.jwarp.ddp;
    requires transitive dev.jwarp.llp;

    exports dev.jwarp.rdmap;
    exports dev.jwarp.rdmap.datagram;
    exports dev.jwarp.rdmap.message;
    exports dev.jwarp.rdmap.work;
}
