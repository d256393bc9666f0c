/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of networks and interfaces: as numbers and as text, and the interfaces of the
 * machine.  Text in a static buffer of libc belongs to one object, BUFFER; glibc keeps that of
 * inet_ntoa for each thread, other libraries do not.
 */
#include "rt/libc_wrap.h"

static size_t address_size(int family)
{
	return family == AF_INET    ? sizeof(struct in_addr)
	       : family == AF_INET6 ? sizeof(struct in6_addr)
				    : 0;
}

WRAP(const char *, inet_ntop,
     (int family, const void *restrict from, char *restrict to, socklen_t room),
     (family, from, to, room), READS(from, address_size(family));
     ROOM(to, room), if (result) WROTE_TEXT(to))
WRAP(int, inet_pton, (int family, const char *restrict from, void *restrict to), (family, from, to),
     READS_TEXT(from);
     ROOM(to, address_size(family)), if (result == 1) WROTE(to, address_size(family)))
WRAP(int, inet_aton, (const char *from, struct in_addr *to), (from, to), READS_TEXT(from);
     ROOM_OBJECT(to), WROTE_OBJECT_IF(result, to))
WRAP(in_addr_t, inet_addr, (const char *from), (from), READS_TEXT(from), NOTHING)
WRAP(in_addr_t, inet_network, (const char *from), (from), READS_TEXT(from), NOTHING)
WRAP(char *, inet_ntoa, (struct in_addr from), (from), CHANGES(BUFFER), WROTE_TEXT(result))
WRAP(char *, inet_nsap_ntoa, (int n, const unsigned char *from, char *to), (n, from, to),
     READS(from, n > 0 ? (size_t)n : 0), WROTE_TEXT(result))
WRAP(char *, inet_net_ntop, (int family, const void *from, int bits, char *to, size_t room),
     (family, from, bits, to, room), READS(from, ((size_t)bits + 7) / 8);
     ROOM(to, room), WROTE_TEXT(result))
WRAP(int, inet_net_pton, (int family, const char *from, void *to, size_t room),
     (family, from, to, room), READS_TEXT(from);
     ROOM(to, room), WROTE_CHANGES(to, room))

/* ---- addresses of network cards ---- */

WRAP(struct ether_addr *, ether_aton, (const char *from), (from), CHANGES(BUFFER);
     READS_TEXT(from), WROTE_OBJECT(result))
WRAP(struct ether_addr *, ether_aton_r, (const char *from, struct ether_addr *to), (from, to),
     READS_TEXT(from);
     ROOM_OBJECT(to), WROTE_OBJECT(result))
WRAP(char *, ether_ntoa, (const struct ether_addr *from), (from), CHANGES(BUFFER);
     READS_OBJECT(from), WROTE_TEXT(result))
WRAP(char *, ether_ntoa_r, (const struct ether_addr *from, char *to), (from, to),
     READS_OBJECT(from), WROTE_TEXT(result))
WRAP(int, ether_hostton, (const char *name, struct ether_addr *to), (name, to), READS_TEXT(name);
     ROOM_OBJECT(to), WROTE_OBJECT_IF(!result, to))
WRAP(int, ether_ntohost, (char *name, const struct ether_addr *from), (name, from),
     READS_OBJECT(from), if (!result) WROTE_TEXT(name))
WRAP(int, ether_line, (const char *line, struct ether_addr *to, char *name), (line, to, name),
     READS_TEXT(line), WROTE_OBJECT_IF(!result, to);
     if (!result) WROTE_TEXT(name))

/* ---- interfaces ---- */

WRAP(unsigned, if_nametoindex, (const char *name), (name), READS_TEXT(name), NOTHING)
WRAP(char *, if_indextoname, (unsigned index, char to[IF_NAMESIZE]), (index, to),
     ROOM(to, IF_NAMESIZE), WROTE_TEXT(result))

static void wrote_interfaces(const struct if_nameindex *list, pc_t pc)
{
	size_t n = 0;
	for (; list[n].if_name; n++)
		libc_wrote_text(list[n].if_name, pc);
	rt_libc_wrote(list, (n + 1) * sizeof(*list), pc);
}

WRAP(struct if_nameindex *, if_nameindex, (void), (), NOTHING,
     if (result) wrote_interfaces(result, PC))
WRAP_VOID(if_freenameindex, (struct if_nameindex * list), (list), NOTHING, NOTHING)

static size_t socket_address_size(const struct sockaddr *a)
{
	switch (a->sa_family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	case AF_PACKET:
		return sizeof(struct sockaddr_ll);
	}
	return sizeof(*a);
}

static void wrote_address(const struct sockaddr *a, pc_t pc)
{
	if (a)
		rt_libc_wrote(a, socket_address_size(a), pc);
}

/* What ifa_data of a packet address points to: the counters of the interface. */
#define COUNTERS_SIZE sizeof(struct rtnl_link_stats)

static void wrote_interface_addresses(struct ifaddrs *const *list, pc_t pc)
{
	rt_libc_wrote(list, sizeof(*list), pc);
	for (const struct ifaddrs *i = *list; i; i = i->ifa_next) {
		rt_libc_wrote(i, sizeof(*i), pc);
		libc_wrote_text(i->ifa_name, pc);
		wrote_address(i->ifa_addr, pc);
		wrote_address(i->ifa_netmask, pc);
		wrote_address(i->ifa_broadaddr, pc);
		if (i->ifa_data && i->ifa_addr && i->ifa_addr->sa_family == AF_PACKET)
			rt_libc_wrote(i->ifa_data, COUNTERS_SIZE, pc);
	}
}

WRAP(int, getifaddrs, (struct ifaddrs * *list), (list), ROOM_OBJECT(list),
     if (!result) wrote_interface_addresses(list, PC))
WRAP_VOID(freeifaddrs, (struct ifaddrs * list), (list), NOTHING, NOTHING)

/* ---- source filters and options of IPv6: memory of the caller's ---- */

WRAP(struct cmsghdr *, __cmsg_nxthdr, (struct msghdr * message, struct cmsghdr *part),
     (message, part), READS_OBJECT(message);
     READS_OBJECT(part), NOTHING)

/* ---- the resolver: questions to name servers, and their answers taken apart ---- */

#define QUESTION(name, parameters, arguments)                                         \
	WRAP(int, name, parameters, arguments, CHANGES(RESOLVER); READS_TEXT(domain); \
	     ROOM(answer, room > 0 ? (size_t)room : 0),                               \
                                                                                      \
	     WROTE(answer, result > 0 ? (size_t)(result < room ? result : room) : 0))
QUESTION(res_query, (const char *domain, int class, int type, unsigned char *answer, int room),
	 (domain, class, type, answer, room))
QUESTION(res_search, (const char *domain, int class, int type, unsigned char *answer, int room),
	 (domain, class, type, answer, room))
#define QUESTION_N(name)                                                                       \
	WRAP(int, name,                                                                        \
	     (res_state state, const char *domain, int class, int type, unsigned char *answer, \
	      int room),                                                                       \
	     (state, domain, class, type, answer, room), READS_OBJECT(state);                  \
	     READS_TEXT(domain);                                                               \
	     ROOM(answer, room > 0 ? (size_t)room : 0), WROTE_CHANGES(state, sizeof(*state));  \
	     WROTE(answer, result > 0 ? (size_t)(result < room ? result : room) : 0))
QUESTION_N(res_nquery)
QUESTION_N(res_nsearch)

WRAP(int, res_mkquery,
     (int op, const char *domain, int class, int type, const unsigned char *data, int n,
      const unsigned char *rr, unsigned char *to, int room),
     (op, domain, class, type, data, n, rr, to, room), CHANGES(RESOLVER);
     READS_TEXT(domain);
     READS(data, data ? (size_t)n : 0), WROTE(to, result > 0 ? (size_t)result : 0))
WRAP(int, res_nmkquery,
     (res_state state, int op, const char *domain, int class, int type, const unsigned char *data,
      int n, const unsigned char *rr, unsigned char *to, int room),
     (state, op, domain, class, type, data, n, rr, to, room), READS_TEXT(domain);
     READS(data, data ? (size_t)n : 0), WROTE_CHANGES(state, sizeof(*state));
     WROTE(to, result > 0 ? (size_t)result : 0))
WRAP(int, res_send, (const unsigned char *question, int n, unsigned char *answer, int room),
     (question, n, answer, room), CHANGES(RESOLVER);
     READS(question, (size_t)n),
     WROTE(answer, result > 0 ? (size_t)(result < room ? result : room) : 0))
WRAP(int, res_nsend,
     (res_state state, const unsigned char *question, int n, unsigned char *answer, int room),
     (state, question, n, answer, room), READS(question, (size_t)n),
     WROTE_CHANGES(state, sizeof(*state));
     WROTE(answer, result > 0 ? (size_t)(result < room ? result : room) : 0))
WRAP(int, __res_init, (void), (), CHANGES(RESOLVER),
     WROTE_CHANGES(__res_state(), sizeof(struct __res_state)))
WRAP(int, __res_ninit, (res_state state), (state), CHANGES(RESOLVER), WROTE_OBJECT(state))
WRAP_VOID(__res_nclose, (res_state state), (state), CHANGES(RESOLVER),
	  WROTE_CHANGES(state, sizeof(*state)))
WRAP(int, dn_expand,
     (const unsigned char *message, const unsigned char *end, const unsigned char *from, char *to,
      int room),
     (message, end, from, to, room), READS(message, (size_t)(end - message)),
     if (result >= 0) WROTE_TEXT(to))
WRAP(int, dn_skipname, (const unsigned char *from, const unsigned char *end), (from, end), NOTHING,
     READS(from, result > 0 ? (size_t)result : 0))
WRAP(unsigned, ns_get16, (const unsigned char *from), (from), READS(from, 2), NOTHING)
WRAP(unsigned long, ns_get32, (const unsigned char *from), (from), READS(from, 4), NOTHING)
WRAP(int, ns_initparse, (const unsigned char *message, int n, ns_msg *to), (message, n, to),
     READS(message, n > 0 ? (size_t)n : 0), WROTE_OBJECT(to))
WRAP(int, ns_parserr, (ns_msg * message, ns_sect section, int number, ns_rr *to),
     (message, section, number, to), READS_OBJECT(message),
     WROTE_CHANGES(message, sizeof(*message));
     WROTE_CHANGES(to, sizeof(*to)))
WRAP(int, ns_name_uncompress,
     (const unsigned char *message, const unsigned char *end, const unsigned char *from, char *to,
      size_t room),
     (message, end, from, to, room), READS(message, (size_t)(end - message)),
     if (result >= 0) WROTE_TEXT(to))
extern __typeof__(dn_expand) __dn_expand LIBC_ALIAS(dn_expand);
extern __typeof__(res_query) __res_query LIBC_ALIAS(res_query);
extern __typeof__(res_search) __res_search LIBC_ALIAS(res_search);
WRAP(int, res_hnok, (const char *name), (name), READS_TEXT(name), NOTHING)
WRAP(int, res_dnok, (const char *name), (name), READS_TEXT(name), NOTHING)
