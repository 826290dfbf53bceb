// Command shrink writes PNG files anew with a palette of their 256 most frequent
// colours: pictures of pages have few, and become a third as large.
//
//	go run ./shrink ../docs/screens/*.png
package main

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"slices"
)

const most = 256 // colours that a palette can have

func main() {
	for _, name := range os.Args[1:] {
		if err := shrink(name); err != nil {
			fmt.Fprintf(os.Stderr, "shrink %s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

func shrink(name string) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	picture, err := png.Decode(in)
	_ = in.Close() // only read from
	if err != nil {
		return err
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(out, paletted(picture)); err != nil {
		return err
	}
	return out.Close()
}

// paletted has each pixel in the colour of the palette that is nearest to it.
func paletted(of image.Image) *image.Paletted {
	palette := frequent(of)
	out := image.NewPaletted(of.Bounds(), palette)
	known := map[color.Color]uint8{}
	each(of, func(x, y int, c color.Color) {
		at, ok := known[c]
		if !ok {
			at = uint8(palette.Index(c)) // below 256
			known[c] = at
		}
		out.SetColorIndex(x, y, at)
	})
	return out
}

// frequent is the palette: the same for the same picture.
func frequent(of image.Image) color.Palette {
	count := map[color.Color]int{}
	each(of, func(_, _ int, c color.Color) { count[c]++ })
	palette := make(color.Palette, 0, len(count))
	for c := range count {
		palette = append(palette, c)
	}
	slices.SortFunc(palette, func(a, b color.Color) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(number(a), number(b)))
	})
	return palette[:min(most, len(palette))]
}

func each(of image.Image, do func(x, y int, c color.Color)) {
	b := of.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			do(x, y, of.At(x, y))
		}
	}
}

func number(c color.Color) uint64 {
	r, g, b, a := c.RGBA()
	return uint64(r)<<48 | uint64(g)<<32 | uint64(b)<<16 | uint64(a)
}
