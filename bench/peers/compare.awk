# SPDX-License-Identifier: Apache-2.0
# The last columns of bench/peers/table, from lines of a checker's name, complete executions, others, seconds, mark.
function started(c) { return complete[c] + others[c] }
function least(a, b) { return a == "" || (b != "" && b < a) ? b : a }
# Nothing is said of a search that did not come to its end.
function beyond(own, peer) { return own in done && peer != "" ? started(own) - peer : "-" }
NF >= 4 && $2 ~ /^[0-9]+$/ {
	complete[$1] = $2
	others[$1] = $3
	if ($5 != ">" && $5 != "?") {
		done[$1] = 1
		if ($4 != "-")
			time[$1] = $4 + 0
	}
}
END {
	orders = "nidhugg" in done ? started("nidhugg") : ""
	orders = least(orders, "genmc" in done ? started("genmc") : "")
	reads = "nidhugg-rf" in done ? started("nidhugg-rf") : ""
	own = peer = ""
	for (c in time)
		if (c ~ /nidhugg|genmc/)
			peer = least(peer, time[c])
		else
			own = least(own, time[c])
	print beyond("dpor", orders) ", " beyond("mcr", reads) ", " beyond("default", least(orders, reads)) " | " \
		(own != "" && peer > 0 && (own > 0.1 || peer > 0.1) ? sprintf("%.1f", own / peer) : "-")
}
