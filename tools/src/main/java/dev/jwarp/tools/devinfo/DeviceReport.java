package dev.jwarp.tools.devinfo;

import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.PortAttributes;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A device in the format and order of ibv_devinfo. Attributes that exist only with InfiniBand are 0, so that scripts
 * for ibv_devinfo find every line.
 */
final class DeviceReport {
    private static final int DEVICE_COLUMN = 40;
    private static final int PORT_COLUMN = 48;
    private static final int FLAG_COLUMN = 5;

    /** IPv4, TCP, and TCP's timestamps. */
    private static final int HEADERS = 20 + 20 + 12;
    /** RFC 5044 §3. */
    private static final int MOST_ULPDU = 64_768;

    private static final int IWARP = 1;
    // Bits of ibv_device_cap_flags.
    private static final int MEM_WINDOW = 1 << 17;
    private static final int MEM_MGT_EXTENSIONS = 1 << 21;

    private final String name;
    private final List<Field> device;
    private final Map<Integer, List<Field>> ports = new LinkedHashMap<>();

    /**
     * @param port the port to show; 0 for all ports
     * @param address the address whose interface represents the port; null for the device's own choice
     * @param verbose whether to show all limits
     */
    DeviceReport(Device of, int port, @Nullable InetAddress address, boolean verbose) {
        name = of.name();
        DeviceAttributes attributes = of.attributes();
        device = identity(attributes);
        if (verbose) {
            limits(attributes, device);
            device.add(Field.of(
                    "x_qp_types", of.queuePairTypes().stream().map(Enum::name).collect(Collectors.joining(" "))));
        }
        int first = port == 0 ? 1 : port;
        int last = port == 0 ? attributes.physicalPortCount() : port;
        for (int p = first; p <= last; p++) {
            ports.put(p, port(address == null ? of.port(p) : of.port(p, address), verbose));
        }
    }

    private static List<Field> identity(DeviceAttributes a) {
        List<Field> fields = new ArrayList<>();
        fields.add(Field.enumerated("transport", "iWARP", IWARP));
        fields.add(Field.of("fw_ver", a.firmwareVersion()));
        fields.add(Field.of("node_guid", guid(a.nodeGuid())));
        fields.add(Field.of("sys_image_guid", guid(a.systemImageGuid())));
        fields.add(Field.hex("vendor_id", "0x%04x", a.vendorId()));
        fields.add(Field.number("vendor_part_id", a.vendorPartId()));
        fields.add(Field.hex("hw_ver", "0x%X", a.hardwareVersion()));
        fields.add(Field.number("phys_port_cnt", a.physicalPortCount()));
        return fields;
    }

    private static void limits(DeviceAttributes a, List<Field> fields) {
        fields.add(Field.hex("max_mr_size", "0x%x", a.maxMemoryRegionSize()));
        fields.add(Field.hex("page_size_cap", "0x%x", a.pageSizeCapabilities()));
        fields.add(Field.number("max_qp", a.maxQueuePairs()));
        fields.add(Field.number("max_qp_wr", a.maxWorkRequests()));
        fields.add(capabilities(a));
        fields.add(Field.number("max_sge", a.maxScatterGatherElements()));
        fields.add(Field.number("max_sge_rd", a.maxReadScatterGatherElements()));
        fields.add(Field.number("max_cq", a.maxCompletionQueues()));
        fields.add(Field.number("max_cqe", a.maxCompletionQueueEntries()));
        fields.add(Field.number("max_mr", a.maxMemoryRegions()));
        fields.add(Field.number("max_pd", a.maxProtectionDomains()));
        fields.add(Field.number("max_qp_rd_atom", a.maxReadAtomicPerQueuePair()));
        fields.add(Field.number("max_ee_rd_atom", 0));
        fields.add(Field.number("max_res_rd_atom", a.maxReadAtomicResources()));
        fields.add(Field.number("max_qp_init_rd_atom", a.maxInitiatorReadAtomic()));
        fields.add(Field.number("max_ee_init_rd_atom", 0));
        fields.add(Field.enumerated("atomic_cap", "ATOMIC_" + a.atomics(), number(a.atomics())));
        fields.add(Field.number("max_ee", 0));
        fields.add(Field.number("max_rdd", 0));
        fields.add(Field.number("max_mw", a.maxMemoryWindows()));
        for (String none : List.of(
                "max_raw_ipv6_qp",
                "max_raw_ethy_qp",
                "max_mcast_grp",
                "max_mcast_qp_attach",
                "max_total_mcast_qp_attach",
                "max_ah",
                "max_fmr")) {
            fields.add(Field.number(none, 0));
        }
        fields.add(Field.number("max_srq", a.maxSharedReceiveQueues()));
        if (a.maxSharedReceiveQueues() > 0) {
            fields.add(Field.number("max_srq_wr", a.maxSharedReceiveWorkRequests()));
            fields.add(Field.number("max_srq_sge", a.maxSharedReceiveScatterGatherElements()));
        }
        fields.add(Field.number("max_pkeys", 0));
        fields.add(Field.number("local_ca_ack_delay", 0));
        fields.add(Field.hex("device_cap_flags_ex", "0x%X", 0));
        fields.add(Field.number("max_wq_type_rq", 0));
        fields.add(Field.number("x_max_inline_data", a.maxInlineData()));
        fields.add(Field.number("x_max_private_data", a.maxPrivateData()));
    }

    private static Field capabilities(DeviceAttributes a) {
        int bits = 0;
        List<String> names = new ArrayList<>();
        if (a.memoryWindows()) {
            bits |= MEM_WINDOW;
            names.add("MEM_WINDOW");
        }
        if (a.localInvalidate()) {
            bits |= MEM_MGT_EXTENSIONS;
            names.add("MEM_MGT_EXTENSIONS");
        }
        return Field.flags("device_cap_flags", bits, names);
    }

    private static List<Field> port(PortAttributes a, boolean verbose) {
        List<Field> fields = new ArrayList<>();
        fields.add(Field.enumerated("state", "PORT_" + a.state(), number(a.state())));
        fields.add(Field.enumerated("max_mtu", Integer.toString(a.maxMtu()), PortAttributes.mtuNumber(a.maxMtu())));
        fields.add(Field.enumerated(
                "active_mtu", Integer.toString(a.activeMtu()), PortAttributes.mtuNumber(a.activeMtu())));
        fields.add(Field.number("sm_lid", 0));
        fields.add(Field.number("port_lid", 0));
        fields.add(Field.hex("port_lmc", "0x%02x", 0));
        fields.add(Field.of("link_layer", "Ethernet"));
        if (verbose) {
            fields.add(Field.hex("max_msg_sz", "0x%x", a.maxMessageSize()));
            fields.add(Field.hex("port_cap_flags", "0x%08x", 0));
            fields.add(Field.hex("port_cap_flags2", "0x%04x", 0));
            fields.add(Field.enumerated("max_vl_num", "0", 0));
            fields.add(Field.hex("bad_pkey_cntr", "0x%x", 0));
            fields.add(Field.hex("qkey_viol_cntr", "0x%x", 0));
            fields.add(Field.number("sm_sl", 0));
            fields.add(Field.number("pkey_tbl_len", 0));
            fields.add(Field.number("gid_tbl_len", a.gids().size()));
            fields.add(Field.number("subnet_timeout", 0));
            fields.add(Field.number("init_type_reply", 0));
            fields.add(Field.enumerated("active_width", "0X", 0));
            fields.add(Field.enumerated("active_speed", "0.0 Gbps", 0));
            for (int i = 0; i < a.gids().size(); i++) {
                fields.add(Field.of(String.format("GID[%3d]", i), a.gids().get(i)));
            }
        }
        // ibv_mtu has no value for 1500, so lines of jwarp have the real figures.
        fields.add(Field.of("x_interface", a.interfaceName()));
        fields.add(Field.number("x_interface_mtu", a.interfaceMtu()));
        int mss = Math.max(1, a.interfaceMtu() - HEADERS);
        fields.add(Field.number("x_mss", mss));
        // RFC 5044 §4.5: the MSS without six bytes of framing and without an incomplete last word; at least 128, and at
        // most the value of §3.
        fields.add(Field.number("x_mulpdu", Math.max(128, Math.min(MOST_ULPDU, mss - 6 - mss % 4))));
        return fields;
    }

    /** As {@code ibv_atomic_cap}. */
    private static int number(DeviceAttributes.AtomicCapability atomics) {
        return switch (atomics) {
            case NONE -> 0;
            case HCA -> 1;
            case GLOB -> 2;
        };
    }

    /** As {@code ibv_port_state}. */
    private static int number(PortAttributes.PortState state) {
        return switch (state) {
            case NOP -> 0;
            case DOWN -> 1;
            case INIT -> 2;
            case ARMED -> 3;
            case ACTIVE -> 4;
        };
    }

    private static String guid(long guid) {
        return String.format(
                "%04x:%04x:%04x:%04x", guid >>> 48, guid >>> 32 & 0xffff, guid >>> 16 & 0xffff, guid & 0xffff);
    }

    /** {@return the lines in the format of ibv_devinfo} */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("hca_id:\t" + name);
        append(device, 1, DEVICE_COLUMN, lines);
        ports.forEach((number, fields) -> {
            lines.add("\t\tport:\t" + number);
            append(fields, 3, PORT_COLUMN, lines);
            lines.add("");
        });
        return lines;
    }

    private static void append(List<Field> fields, int indent, int column, List<String> lines) {
        for (Field field : fields) {
            lines.add(field.line(indent, column));
            field.below().forEach(name -> lines.add("\t".repeat(FLAG_COLUMN) + name));
        }
    }

    /** {@return the same for JSON: field names as in the text, {@code ports} as a list} */
    Map<String, Object> json() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("hca_id", name);
        device.forEach(field -> object.put(field.name(), field.value()));
        List<Map<String, Object>> list = new ArrayList<>();
        ports.forEach((number, fields) -> list.add(portJson(number, fields)));
        object.put("ports", list);
        return object;
    }

    private static Map<String, Object> portJson(int number, List<Field> fields) {
        Map<String, Object> port = new LinkedHashMap<>();
        List<Object> gids = new ArrayList<>();
        port.put("port", number);
        for (Field field : fields) {
            if (field.name().startsWith("GID[")) {
                gids.add(field.value());
            } else {
                port.put(field.name(), field.value());
            }
        }
        if (!gids.isEmpty()) {
            port.put("gids", gids);
        }
        return port;
    }
}
