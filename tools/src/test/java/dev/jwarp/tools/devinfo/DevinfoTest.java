package dev.jwarp.tools.devinfo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Json;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.EventLoops;
import dev.jwarp.verbs.PortAttributes;
import dev.jwarp.verbs.QueuePairType;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SuppressWarnings("AddressSelection") // numbers, not names
class DevinfoTest {
    private static final Device DEVICE = new Device() {
        @Override
        public String name() {
            return "jwarp0";
        }

        @Override
        public long guid() {
            return 0x0102030405060708L;
        }

        @Override
        public Set<QueuePairType> queuePairTypes() {
            return Set.of(QueuePairType.RC);
        }

        @Override
        public DeviceAttributes attributes() {
            return new DeviceAttributes(
                    "0.1.0",
                    0x0102030405060708L,
                    0xf1f2f3f4f5f6f7f8L,
                    0x626d74,
                    1,
                    0,
                    1,
                    0x7fffffffL,
                    0xfffff000L,
                    1000,
                    4096,
                    16,
                    8,
                    512,
                    900,
                    65536,
                    800,
                    700,
                    600,
                    128,
                    12800,
                    127,
                    DeviceAttributes.AtomicCapability.HCA,
                    50,
                    2048,
                    4,
                    true,
                    true,
                    512);
        }

        @Override
        public PortAttributes port(int port) {
            return new PortAttributes(
                    PortAttributes.PortState.ACTIVE,
                    4096,
                    1024,
                    "eth0",
                    1500,
                    0x80000000L,
                    List.of("fe80:0000:0000:0000:0102:03ff:fe04:0506", "0000:0000:0000:0000:0000:ffff:0a00:0001"));
        }

        @Override
        public Context open(Map<String, String> settings) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Context open(Map<String, String> settings, EventLoops loops) {
            throw new UnsupportedOperationException();
        }
    };

    @Test
    @DisplayName("the short view has the lines of the original in its order")
    void shortViewHasLinesOfOriginalInItsOrder() {
        assertThat(new DeviceReport(DEVICE, 0, null, false).lines())
                .containsExactly(
                        "hca_id:\tjwarp0",
                        "\ttransport:\t\t\tiWARP (1)",
                        "\tfw_ver:\t\t\t\t0.1.0",
                        "\tnode_guid:\t\t\t0102:0304:0506:0708",
                        "\tsys_image_guid:\t\t\tf1f2:f3f4:f5f6:f7f8",
                        "\tvendor_id:\t\t\t0x626d74",
                        "\tvendor_part_id:\t\t\t1",
                        "\thw_ver:\t\t\t\t0x0",
                        "\tphys_port_cnt:\t\t\t1",
                        "\t\tport:\t1",
                        "\t\t\tstate:\t\t\tPORT_ACTIVE (4)",
                        "\t\t\tmax_mtu:\t\t4096 (5)",
                        "\t\t\tactive_mtu:\t\t1024 (3)",
                        "\t\t\tsm_lid:\t\t\t0",
                        "\t\t\tport_lid:\t\t0",
                        "\t\t\tport_lmc:\t\t0x00",
                        "\t\t\tlink_layer:\t\tEthernet",
                        "\t\t\tx_interface:\t\teth0",
                        "\t\t\tx_interface_mtu:\t1500",
                        "\t\t\tx_mss:\t\t\t1448",
                        "\t\t\tx_mulpdu:\t\t1442",
                        "");
    }

    @Test
    @DisplayName("the long view has the limits in the order of the original")
    void longViewHasLimitsInOrderOfOriginal() {
        assertThat(new DeviceReport(DEVICE, 1, null, true).lines())
                .containsSubsequence(
                        "\tphys_port_cnt:\t\t\t1",
                        "\tmax_mr_size:\t\t\t0x7fffffff",
                        "\tpage_size_cap:\t\t\t0xfffff000",
                        "\tmax_qp:\t\t\t\t1000",
                        "\tmax_qp_wr:\t\t\t4096",
                        "\tdevice_cap_flags:\t\t0x00220000",
                        "\t\t\t\t\tMEM_WINDOW",
                        "\t\t\t\t\tMEM_MGT_EXTENSIONS",
                        "\tmax_sge:\t\t\t16",
                        "\tmax_sge_rd:\t\t\t8",
                        "\tmax_cq:\t\t\t\t900",
                        "\tmax_cqe:\t\t\t65536",
                        "\tmax_mr:\t\t\t\t800",
                        "\tmax_pd:\t\t\t\t600",
                        "\tmax_qp_rd_atom:\t\t\t128",
                        "\tmax_ee_rd_atom:\t\t\t0",
                        "\tmax_res_rd_atom:\t\t12800",
                        "\tmax_qp_init_rd_atom:\t\t127",
                        "\tmax_ee_init_rd_atom:\t\t0",
                        "\tatomic_cap:\t\t\tATOMIC_HCA (1)",
                        "\tmax_ee:\t\t\t\t0",
                        "\tmax_rdd:\t\t\t0",
                        "\tmax_mw:\t\t\t\t700",
                        "\tmax_raw_ipv6_qp:\t\t0",
                        "\tmax_raw_ethy_qp:\t\t0",
                        "\tmax_mcast_grp:\t\t\t0",
                        "\tmax_mcast_qp_attach:\t\t0",
                        "\tmax_total_mcast_qp_attach:\t0",
                        "\tmax_ah:\t\t\t\t0",
                        "\tmax_fmr:\t\t\t0",
                        "\tmax_srq:\t\t\t50",
                        "\tmax_srq_wr:\t\t\t2048",
                        "\tmax_srq_sge:\t\t\t4",
                        "\tmax_pkeys:\t\t\t0",
                        "\tlocal_ca_ack_delay:\t\t0",
                        "\tx_qp_types:\t\t\tRC",
                        "\t\tport:\t1",
                        "\t\t\tlink_layer:\t\tEthernet",
                        "\t\t\tmax_msg_sz:\t\t0x80000000",
                        "\t\t\tport_cap_flags:\t\t0x00000000",
                        "\t\t\tport_cap_flags2:\t0x0000",
                        "\t\t\tgid_tbl_len:\t\t2",
                        "\t\t\tactive_width:\t\t0X (0)",
                        "\t\t\tactive_speed:\t\t0.0 Gbps (0)",
                        "\t\t\tGID[  0]:\t\tfe80:0000:0000:0000:0102:03ff:fe04:0506",
                        "\t\t\tGID[  1]:\t\t0000:0000:0000:0000:0000:ffff:0a00:0001",
                        "");
    }

    @Test
    @DisplayName("the interface is that of the address asked, or that leads there")
    void interfaceIsThatOfAddressAsked() throws Exception {
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getByName("127.0.0.1"));
        for (String address : List.of("127.0.0.1", "127.0.0.99", "localhost")) {
            Run run = Run.of("devinfo", "-a", address);
            assertThat(run.status()).as(run.toString()).isZero();
            assertThat(run.out())
                    .contains("\t\t\tx_interface:\t\t" + loopback.getName() + System.lineSeparator()
                            + "\t\t\tx_interface_mtu:\t" + loopback.getMTU());
        }
        Run all = Run.of("devinfo", "--address=0.0.0.0");
        assertThat(all.out()).isEqualTo(Run.of("devinfo").out());
        Run none = Run.of("devinfo", "-a", "no.such.host.invalid");
        assertThat(none.status()).as(none.toString()).isEqualTo(3);
    }

    @Test
    @DisplayName("the JSON has the same names and enumerations by name and value")
    void jsonHasSameNamesAndEnumerationsByNameAndValue() throws Exception {
        JsonNode json = new ObjectMapper().readTree(Json.text(new DeviceReport(DEVICE, 0, null, true).json()));

        assertThat(json.path("hca_id").asText()).isEqualTo("jwarp0");
        assertThat(json.path("transport").path("name").asText()).isEqualTo("iWARP");
        assertThat(json.path("transport").path("value").asInt()).isEqualTo(1);
        assertThat(json.path("max_qp").asInt()).isEqualTo(1000);
        assertThat(json.path("max_mr_size").asLong()).isEqualTo(0x7fffffffL);
        assertThat(json.path("device_cap_flags").path("names")).hasSize(2);
        assertThat(json.path("ports").path(0).path("x_interface_mtu").asInt()).isEqualTo(1500);
        assertThat(json.path("ports").path(0).path("gids")).hasSize(2);
        assertThat(json.path("ports").path(0).path("active_mtu").path("name").asText())
                .isEqualTo("1024");
    }
}
