# SPDX-License-Identifier: Apache-2.0
# Sources of Debian packages, without touching the machine's own configuration of apt.
#   fetch PACKAGE DIR     gets the tarballs into DIR/download, the version into DIR/version; false: no mirror has them
#   unpack DIR            makes DIR/source of them, Debian's patches applied
#
# apt-get source is asked for the version of this Debian release first, then for those of the others.  Some mirrors
# lack single files; the tarballs are enough, and apt's index has their checksums.  If no version is there as a whole,
# the upstream tarball of one must do, without Debian's patches.

suites="bookworm bookworm-updates trixie sid bullseye"
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

apt_setup() {	# once for all packages
	local apt=$cache/apt
	export APT_CONFIG=$apt/apt.conf
	[ ! -e "$apt/ready" ] || return 0
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts"
	local suite
	for suite in $suites; do
		echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
	done >"$apt/sources.list"
	cat >"$apt/apt.conf" <<-END
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "$apt/parts";
		Dir::State::lists "$apt/lists";
		Dir::Cache "$apt/cache";
		APT::Sandbox::User "root";
	END
	timeout 300 apt-get -q update >"$apt/update.log" 2>&1 || true
	: >"$apt/ready"
}

# fetch_version PACKAGE VERSION PATTERN: the tarballs of one version that match, here
fetch_version() {
	local url file size sum
	[ "$3" != . ] || ! timeout 200 apt-get -q --download-only source "$1=$2" >apt.log 2>&1 || return 0
	rm -f ./*.tar.*
	apt-get -q --print-uris source "$1=$2" 2>/dev/null | grep "^'.*[.]tar[.].* SHA256" | grep -v '[.]asc ' |
		grep "$3" >uris || return 1
	while read -r url file size sum; do
		timeout 200 curl -fsS -o "$file" "$(echo "$url" | tr -d "'")" || return 1
		echo "${sum#SHA256:}  $file" | sha256sum -c --quiet || return 1
	done <uris
}

fetch() {
	local package=$1 dir=$2 version pattern
	[ ! -e "$dir/version" ] || return 0
	apt_setup
	mkdir -p "$dir/download"
	for pattern in . '[.]orig[.]'; do
		for version in $(apt-cache showsrc "$package" 2>/dev/null | sed -n 's/^Version: //p' | awk '!seen[$0]++'); do
			rm -rf "$dir/download"
			mkdir "$dir/download"
			(cd "$dir/download" && fetch_version "$package" "$version" "$pattern") >"$dir/fetch.log" 2>&1 || continue
			[ "$pattern" = . ] || version="${version%-*} (upstream)"
			echo "$version" >"$dir/version"
			return 0
		done
	done
	return 1
}

unpack() {
	local dir=$1 patch
	mkdir "$dir/source"
	tar xf "$(ls "$dir"/download/*.orig.tar.* | grep -v '\.asc$' | head -1)" -C "$dir/source" --strip-components=1
	[ ! -e "$(echo "$dir"/download/*.debian.tar.*)" ] || tar xf "$(echo "$dir"/download/*.debian.tar.*)" -C "$dir/source"
	[ -e "$dir/source/debian/patches/series" ] || return 0
	sed 's/#.*//; s/ -p1//' "$dir/source/debian/patches/series" | while read -r patch; do
		[ -z "$patch" ] || patch -s -d "$dir/source" -p1 <"$dir/source/debian/patches/$patch"
	done
}
