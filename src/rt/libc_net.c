/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in networks: hosts, services, protocols, networks, interfaces, and addresses as text.
 * The answers come from files and from the network.  The functions without _r answer in a buffer
 * inside libc that the next call overwrites.
 */
#include "rt/libc_wrap.h"

static void wrote_host(const struct hostent *h, pc_t pc)
{
	if (!h)
		return;
	rt_libc_wrote(h, sizeof(*h), pc);
	libc_wrote_text(h->h_name, pc);
	libc_wrote_texts(h->h_aliases, pc);
	size_t n = 0;
	for (; h->h_addr_list && h->h_addr_list[n]; n++)
		rt_libc_wrote(h->h_addr_list[n], (size_t)h->h_length, pc);
	if (h->h_addr_list)
		rt_libc_wrote(h->h_addr_list, (n + 1) * sizeof(*h->h_addr_list), pc);
}

static void wrote_service(const struct servent *s, pc_t pc)
{
	if (!s)
		return;
	rt_libc_wrote(s, sizeof(*s), pc);
	libc_wrote_text(s->s_name, pc);
	libc_wrote_texts(s->s_aliases, pc);
	libc_wrote_text(s->s_proto, pc);
}

static void wrote_protocol(const struct protoent *p, pc_t pc)
{
	if (!p)
		return;
	rt_libc_wrote(p, sizeof(*p), pc);
	libc_wrote_text(p->p_name, pc);
	libc_wrote_texts(p->p_aliases, pc);
}

static void wrote_network(const struct netent *n, pc_t pc)
{
	if (!n)
		return;
	rt_libc_wrote(n, sizeof(*n), pc);
	libc_wrote_text(n->n_name, pc);
	libc_wrote_texts(n->n_aliases, pc);
}

static void wrote_program(const struct rpcent *r, pc_t pc)
{
	if (!r)
		return;
	rt_libc_wrote(r, sizeof(*r), pc);
	libc_wrote_text(r->r_name, pc);
	libc_wrote_texts(r->r_aliases, pc);
}

static void wrote_alias(const struct aliasent *a, pc_t pc)
{
	if (!a)
		return;
	rt_libc_wrote(a, sizeof(*a), pc);
	libc_wrote_text(a->alias_name, pc);
}

#define FOUND(type, name, parameters, arguments, LIST, before, wrote) \
	WRAP(type *, name, parameters, arguments, CHANGES(LIST); before, wrote(result, PC))
#define FILLED(type, name, parameters, arguments, LIST, before)                               \
	WRAP(int, name, parameters, arguments, LOOKS_AT(LIST); before; ROOM_OBJECT(to);       \
	     ROOM(buffer, room), WROTE_CHANGES(to, sizeof(*to)); WROTE_CHANGES(buffer, room); \
	     WROTE_OBJECT(found))
#define ROOM_FOR(type) type *restrict to, char *restrict buffer, size_t room, type **restrict found
#define PLACE(name, LIST) WRAP_VOID(name, (void), (), CHANGES(LIST), NOTHING)
#define PLACE_KEPT(name, LIST) WRAP_VOID(name, (int stays), (stays), CHANGES(LIST), NOTHING)

/* ---- hosts ---- */

FOUND(struct hostent, gethostbyname, (const char *name), (name), HOSTS, READS_TEXT(name),
      wrote_host)
FOUND(struct hostent, gethostbyname2, (const char *name, int family), (name, family), HOSTS,
      READS_TEXT(name), wrote_host)
FOUND(struct hostent, gethostbyaddr, (const void *address, socklen_t n, int family),
      (address, n, family), HOSTS, READS(address, n), wrote_host)
FOUND(struct hostent, gethostent, (void), (), HOSTS, NOTHING, wrote_host)
#define HOST_R(name, parameters, arguments, before)                                           \
	WRAP(int, name, parameters, arguments, LOOKS_AT(HOSTS); before; ROOM_OBJECT(to);      \
	     ROOM(buffer, room), WROTE_CHANGES(to, sizeof(*to)); WROTE_CHANGES(buffer, room); \
	     WROTE_OBJECT(found); WROTE_CHANGES(why, sizeof(*why)))
HOST_R(gethostbyname_r, (const char *restrict name, ROOM_FOR(struct hostent), int *restrict why),
       (name, to, buffer, room, found, why), READS_TEXT(name))
HOST_R(gethostbyname2_r,
       (const char *restrict name, int family, ROOM_FOR(struct hostent), int *restrict why),
       (name, family, to, buffer, room, found, why), READS_TEXT(name))
HOST_R(gethostbyaddr_r,
       (const void *restrict address, socklen_t n, int family, ROOM_FOR(struct hostent),
	int *restrict why),
       (address, n, family, to, buffer, room, found, why), READS(address, n))
HOST_R(gethostent_r, (ROOM_FOR(struct hostent), int *restrict why), (to, buffer, room, found, why),
       CHANGES(HOSTS))
PLACE_KEPT(sethostent, HOSTS)
PLACE(endhostent, HOSTS)

/* ---- addresses of a name, as a list in the heap ---- */

static void wrote_addresses(struct addrinfo *const *list, pc_t pc)
{
	rt_libc_wrote(list, sizeof(*list), pc);
	for (const struct addrinfo *a = *list; a; a = a->ai_next) {
		rt_libc_wrote(a, sizeof(*a), pc);
		if (a->ai_addr)
			rt_libc_wrote(a->ai_addr, a->ai_addrlen, pc);
		libc_wrote_text(a->ai_canonname, pc);
	}
}

WRAP(int, getaddrinfo,
     (const char *restrict name, const char *restrict service,
      const struct addrinfo *restrict hints, struct addrinfo **restrict list),
     (name, service, hints, list), READS_TEXT(name);
     READS_TEXT(service); READS_OBJECT(hints);
     ROOM_OBJECT(list), if (!result) wrote_addresses(list, PC))
WRAP_VOID(freeaddrinfo, (struct addrinfo * list), (list), NOTHING, NOTHING)
WRAP(int, getnameinfo,
     (const struct sockaddr *restrict address, socklen_t n, char *restrict host,
      socklen_t host_room, char *restrict service, socklen_t service_room, int flags),
     (address, n, host, host_room, service, service_room, flags), READS(address, n);
     ROOM(host, host ? host_room : 0);
     ROOM(service, service ? service_room : 0), if (!result && host && host_room) WROTE_TEXT(host);
     if (!result && service && service_room) WROTE_TEXT(service))

/* ---- services, protocols, networks, remote programs, aliases ---- */

FOUND(struct servent, getservbyname, (const char *name, const char *protocol), (name, protocol),
      SERVICES, READS_TEXT(name);
      READS_TEXT(protocol), wrote_service)
FOUND(struct servent, getservbyport, (int port, const char *protocol), (port, protocol), SERVICES,
      READS_TEXT(protocol), wrote_service)
FOUND(struct servent, getservent, (void), (), SERVICES, NOTHING, wrote_service)
FILLED(struct servent, getservbyname_r,
       (const char *restrict name, const char *restrict protocol, ROOM_FOR(struct servent)),
       (name, protocol, to, buffer, room, found), SERVICES, READS_TEXT(name);
       READS_TEXT(protocol))
FILLED(struct servent, getservbyport_r,
       (int port, const char *restrict protocol, ROOM_FOR(struct servent)),
       (port, protocol, to, buffer, room, found), SERVICES, READS_TEXT(protocol))
FILLED(struct servent, getservent_r, (ROOM_FOR(struct servent)), (to, buffer, room, found),
       SERVICES, CHANGES(SERVICES))
PLACE_KEPT(setservent, SERVICES)
PLACE(endservent, SERVICES)
FOUND(struct protoent, getprotobyname, (const char *name), (name), PROTOCOLS, READS_TEXT(name),
      wrote_protocol)
FOUND(struct protoent, getprotobynumber, (int number), (number), PROTOCOLS, NOTHING, wrote_protocol)
FOUND(struct protoent, getprotoent, (void), (), PROTOCOLS, NOTHING, wrote_protocol)
FILLED(struct protoent, getprotobyname_r, (const char *restrict name, ROOM_FOR(struct protoent)),
       (name, to, buffer, room, found), PROTOCOLS, READS_TEXT(name))
FILLED(struct protoent, getprotobynumber_r, (int number, ROOM_FOR(struct protoent)),
       (number, to, buffer, room, found), PROTOCOLS, NOTHING)
FILLED(struct protoent, getprotoent_r, (ROOM_FOR(struct protoent)), (to, buffer, room, found),
       PROTOCOLS, CHANGES(PROTOCOLS))
PLACE_KEPT(setprotoent, PROTOCOLS)
PLACE(endprotoent, PROTOCOLS)
FOUND(struct netent, getnetbyname, (const char *name), (name), NETWORKS, READS_TEXT(name),
      wrote_network)
FOUND(struct netent, getnetbyaddr, (uint32_t net, int type), (net, type), NETWORKS, NOTHING,
      wrote_network)
FOUND(struct netent, getnetent, (void), (), NETWORKS, NOTHING, wrote_network)
#define NETWORK_R(name, parameters, arguments, before)                                        \
	WRAP(int, name, parameters, arguments, LOOKS_AT(NETWORKS); before; ROOM_OBJECT(to);   \
	     ROOM(buffer, room), WROTE_CHANGES(to, sizeof(*to)); WROTE_CHANGES(buffer, room); \
	     WROTE_OBJECT(found); WROTE_CHANGES(why, sizeof(*why)))
NETWORK_R(getnetbyname_r, (const char *restrict name, ROOM_FOR(struct netent), int *restrict why),
	  (name, to, buffer, room, found, why), READS_TEXT(name))
NETWORK_R(getnetbyaddr_r, (uint32_t net, int type, ROOM_FOR(struct netent), int *restrict why),
	  (net, type, to, buffer, room, found, why), NOTHING)
NETWORK_R(getnetent_r, (ROOM_FOR(struct netent), int *restrict why), (to, buffer, room, found, why),
	  CHANGES(NETWORKS))
PLACE_KEPT(setnetent, NETWORKS)
PLACE(endnetent, NETWORKS)
FOUND(struct rpcent, getrpcbyname, (const char *name), (name), RPC, READS_TEXT(name), wrote_program)
FOUND(struct rpcent, getrpcbynumber, (int number), (number), RPC, NOTHING, wrote_program)
FOUND(struct rpcent, getrpcent, (void), (), RPC, NOTHING, wrote_program)
FILLED(struct rpcent, getrpcbynumber_r, (int number, ROOM_FOR(struct rpcent)),
       (number, to, buffer, room, found), RPC, NOTHING)
PLACE_KEPT(setrpcent, RPC)
PLACE(endrpcent, RPC)
FOUND(struct aliasent, getaliasbyname, (const char *name), (name), HOSTS, READS_TEXT(name),
      wrote_alias)
FOUND(struct aliasent, getaliasent, (void), (), HOSTS, NOTHING, wrote_alias)
PLACE(setaliasent, HOSTS)
PLACE(endaliasent, HOSTS)

/* ---- netgroups ---- */

WRAP(int, innetgr, (const char *group, const char *host, const char *user, const char *domain),
     (group, host, user, domain), CHANGES(NETGROUPS);
     READS_TEXT(group); READS_TEXT(host); READS_TEXT(user); READS_TEXT(domain), NOTHING)
WRAP(int, setnetgrent, (const char *group), (group), CHANGES(NETGROUPS); READS_TEXT(group), NOTHING)
WRAP(int, getnetgrent, (char **restrict host, char **restrict user, char **restrict domain),
     (host, user, domain), CHANGES(NETGROUPS), WROTE_OBJECT_IF(result, host);
     WROTE_OBJECT_IF(result, user); WROTE_OBJECT_IF(result, domain); if (result) WROTE_TEXT(*host);
     if (result) WROTE_TEXT(*user); if (result) WROTE_TEXT(*domain))
PLACE(endnetgrent, NETGROUPS)

/* Which services are asked for a list. */
WRAP(int, __nss_configure_lookup, (const char *list, const char *services), (list, services),
     CHANGES(USERS);
     READS_TEXT(list); READS_TEXT(services), NOTHING)
