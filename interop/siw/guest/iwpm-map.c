/*
 * iwpm-map PID ADDRESS PORT MAPPED-PORT: tells the iwpmd with that process id that TCP port PORT of ADDRESS is mapped to MAPPED-PORT,
 * in the words of the kernel of a host with an RNIC that maps (RDMA_NL_IWPM_MAPINFO, which a kernel sends for the mappings that it
 * still has when iwpmd starts anew). siw never maps, so the guest's own kernel has none to tell of. Needs root.
 */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct attribute {
	struct nlattr head;
	char address[sizeof(struct sockaddr_storage)]; /* at 4 octets, where the compiler would not put the structure itself */
};

struct message {
	struct nlmsghdr head;
	struct attribute local, mapped;
	struct nlattr flags_head;
	__u32 flags;
};

static void put(struct attribute *at, int type, const char *address, const char *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };

	if (inet_pton(AF_INET, address, &in.sin_addr) != 1) {
		fprintf(stderr, "iwpm-map: %s is no IPv4 address\n", address);
		exit(2);
	}
	at->head.nla_len = sizeof(*at);
	at->head.nla_type = type;
	memcpy(at->address, &in, sizeof(in));
}

int main(int argc, char **argv)
{
	struct message message = { .head.nlmsg_len = sizeof(message), .head.nlmsg_flags = NLM_F_REQUEST, .head.nlmsg_seq = 1 };
	struct sockaddr_nl iwpmd = { .nl_family = AF_NETLINK };
	int socket_of_ours;

	if (argc != 5) {
		fprintf(stderr, "usage: iwpm-map PID ADDRESS PORT MAPPED-PORT\n");
		return 2;
	}
	iwpmd.nl_pid = atoi(argv[1]);
	message.head.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_IWCM, RDMA_NL_IWPM_MAPINFO);
	put(&message.local, IWPM_NLA_MAPINFO_LOCAL_ADDR, argv[2], argv[3]);
	put(&message.mapped, IWPM_NLA_MAPINFO_MAPPED_ADDR, argv[2], argv[4]);
	message.flags_head.nla_len = sizeof(message.flags_head) + sizeof(message.flags);
	message.flags_head.nla_type = IWPM_NLA_MAPINFO_FLAGS;
	message.flags = IWPM_FLAGS_NO_PORT_MAP; /* iwpmd shall not hold the mapped port: a program is to listen there */
	socket_of_ours = socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA);
	if (socket_of_ours < 0 ||
	    sendto(socket_of_ours, &message, sizeof(message), 0, (struct sockaddr *)&iwpmd, sizeof(iwpmd)) != sizeof(message)) {
		perror("iwpm-map");
		return 1;
	}
	return 0;
}
