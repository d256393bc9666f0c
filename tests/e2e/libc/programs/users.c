/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users, groups, hosts, services: answers in buffers of libc's and of the caller's.
 *
 * trace: T0 hidden:users
 * trace: T0 hidden:groups
 * trace: T0 hidden:services
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <grp.h>
#include <ifaddrs.h>
#include <mntent.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utmp.h>

static char buffer[4096];

static void users(void)
{
	static struct passwd user, *found;
	struct passwd *p = getpwnam("root");
	assert(p && !strcmp(p->pw_name, "root") && p->pw_uid == 0 && p->pw_dir[0] == '/' && p->pw_shell);
	p = getpwuid(0);
	assert(p && !strcmp(p->pw_name, "root") && strlen(p->pw_gecos) < 100);
	assert(!getpwnam_r("root", &user, buffer, sizeof(buffer), &found) && found == &user && !strcmp(user.pw_name, "root"));
	assert(!getpwuid_r(0, &user, buffer, sizeof(buffer), &found) && found && user.pw_dir[0] == '/');
	setpwent();
	assert((p = getpwent()) && p->pw_name[0]);
	endpwent();
	assert(!getpwnam("no such user at all"));
}

static void groups(void)
{
	static struct group group, *found;
	static gid_t list[64];
	static int count = 64;
	struct group *p = getgrnam("root");
	assert(p && p->gr_gid == 0 && !strcmp(p->gr_name, "root"));
	for (char **m = p->gr_mem; *m; m++)
		printf("%s", *m);
	assert(getgrgid(0) && !getgrnam_r("root", &group, buffer, sizeof(buffer), &found) && found->gr_gid == 0);
	assert(!getgrgid_r(0, &group, buffer, sizeof(buffer), &found) && !strcmp(group.gr_name, "root"));
	assert(getgrouplist("root", 0, list, &count) >= 1 && list[0] == 0);
	assert(getgroups(64, list) >= 0);
	setgrent();
	assert(getgrent());
	endgrent();
}

static void networks(void)
{
	static struct addrinfo hints, *list;
	static char host[64], service[32], text[64];
	static struct in_addr v4;
	static struct in6_addr v6;
	struct servent *s = getservbyname("http", "tcp");
	if (s)
		assert(s->s_port == htons(80) && !strcmp(s->s_proto, "tcp") && !strcmp(s->s_name, "http"));
	struct protoent *p = getprotobyname("tcp");
	if (p)
		assert(p->p_proto == 6 && !strcmp(p->p_name, "tcp"));
	hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
	hints.ai_socktype = SOCK_STREAM;
	assert(!getaddrinfo("127.0.0.1", "80", &hints, &list) && list->ai_family == AF_INET);
	const struct sockaddr_in *a = (void *)list->ai_addr;
	assert(a->sin_port == htons(80) && a->sin_addr.s_addr == htonl(INADDR_LOOPBACK));
	assert(!getnameinfo(list->ai_addr, list->ai_addrlen, host, sizeof(host), service, sizeof(service),
			    NI_NUMERICHOST | NI_NUMERICSERV));
	printf("%s %s\n", host, service);
	freeaddrinfo(list);
	struct hostent *h = gethostbyname("127.0.0.1");
	assert(h && h->h_addrtype == AF_INET && h->h_addr_list[0][0] == 127);
	assert(inet_pton(AF_INET, "10.1.2.3", &v4) == 1 && inet_pton(AF_INET6, "::1", &v6) == 1 && v6.s6_addr[15] == 1);
	printf("%s ", inet_ntop(AF_INET, &v4, text, sizeof(text)));
	printf("%s ", inet_ntop(AF_INET6, &v6, text, sizeof(text)));
	assert(inet_aton("1.2.3.4", &v4) && inet_addr("1.2.3.4") == v4.s_addr);
	printf("%s\n", inet_ntoa(v4));
	struct ether_addr *e = ether_aton("1:2:3:4:5:6");
	assert(e && e->ether_addr_octet[5] == 6);
	printf("%s\n", ether_ntoa(e));
}

static void interfaces(void)
{
	struct ifaddrs *list;
	static char name[IF_NAMESIZE];
	assert(!getifaddrs(&list));
	for (struct ifaddrs *i = list; i; i = i->ifa_next)
		assert(i->ifa_name[0] && (!i->ifa_addr || i->ifa_addr->sa_family < 100));
	freeifaddrs(list);
	unsigned lo = if_nametoindex("lo");
	if (lo)
		assert(if_indextoname(lo, name) && !strcmp(name, "lo"));
	struct if_nameindex *names = if_nameindex();
	for (int i = 0; names && names[i].if_name; i++)
		assert(names[i].if_index && names[i].if_name[0]);
	if_freenameindex(names);
}

static void lists(void)
{
	FILE *f = setmntent("/proc/mounts", "r");
	struct mntent *m, own;
	assert(f && (m = getmntent(f)) && m->mnt_dir[0] == '/' && m->mnt_type[0]);
	assert(getmntent_r(f, &own, buffer, sizeof(buffer)) && own.mnt_dir[0] == '/');
	assert(hasmntopt(m, "no such option") == NULL && endmntent(f) == 1);
	setutent();
	for (struct utmp *u; (u = getutent());)
		assert(u->ut_type < 10);
	endutent();
}

int main(void)
{
	users();
	groups();
	networks();
	interfaces();
	lists();
	return 0;
}
