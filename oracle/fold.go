package main

import (
	"bufio"
	"fmt"
	"io"
	"unicode"
)

// fold prints, for every character that has another case, the character, its strings.ToLower and the least of those
// that strings.EqualFold takes for the same, in hexadecimal.
func fold(stdout io.Writer) error {
	out := bufio.NewWriter(stdout)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		if lower := unicode.ToLower(r); lower != r || unicode.SimpleFold(r) != r {
			if _, err := fmt.Fprintf(out, "%X %X %X\n", r, lower, least); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}
