package dev.jwarp.conformance.datagram;

import java.util.List;

/** The counters of datagram-iWARP §5, in the order of its checks. */
final class Checks {
    static final List<String> COUNTERS = List.of(
            "rx_short",
            "rx_crc",
            "rx_unsealed",
            "rx_seal_bad",
            "rx_seal_late",
            "rx_seal_replay",
            "rx_version",
            "rx_kind",
            "rx_flags",
            "rx_malformed",
            "rx_group",
            "rx_qpn",
            "rx_qp_type",
            "rx_key",
            "rx_reply_unmatched",
            "rd_tag",
            "rd_reset_bad",
            "rd_ack_bad",
            "rd_dup",
            "rd_ahead",
            "ddp_version",
            "rdmap_version",
            "rdmap_opcode",
            "ddp_qn",
            "ddp_mo",
            "seg_shape",
            "msg_too_long",
            "seg_conflict",
            "dup_segment",
            "late",
            "no_recv_wr",
            "recv_too_small",
            "record_full",
            "stag_invalid",
            "stag_peer",
            "stag_rights",
            "to_wrap",
            "to_bounds",
            "read_malformed",
            "read_challenged",
            "read_too_long",
            "read_stag_invalid",
            "read_stag_peer",
            "read_rights",
            "read_wrap",
            "read_bounds",
            "read_busy",
            "rx_ok");

    private Checks() {}
}
