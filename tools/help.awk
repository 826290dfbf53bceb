# Prints the targets of a Makefile that have a `## text`, under their `##@` headings.
/^##@/ { if (seen++) print ""; print substr($0, 5) }
/^[a-z][a-z-]*:.*##/ {
	name = $0; sub(/:.*/, "", name)
	text = $0; sub(/.*## /, "", text)
	printf "  make %-14s %s\n", name, text
}
