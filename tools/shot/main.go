// Command shot runs commands and draws what they print as an SVG, line by line
// at the moment it came: a recording of the real thing for the documents.
//
//	go run ./shot -o ../docs/demo.svg 'tq demo'
//
// Each argument is one command line for sh. Lines appear at their time in
// viewers that animate, and all at once in the others.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "shot:", err)
		os.Exit(1)
	}
}

func run() error {
	out := flag.String("o", "", "file to write")
	title := flag.String("title", "", "what a screen reader says of the picture")
	dir := flag.String("dir", "", "folder to run the commands in")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		return errors.New("want -o FILE and at least one command")
	}
	s := newScreen()
	start := time.Now()
	for _, line := range flag.Args() {
		s.write(time.Since(start), []byte("\x1b[1m$ "+line+"\x1b[0m\n"))
		if err := record(s, start, *dir, line); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	return os.WriteFile(*out, []byte(draw(s, *title)), 0o644)
}

// record runs one command line and writes its output to the screen as it comes.
func record(s *screen, start time.Time, dir, line string) error {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	read, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		write.Close()
		done <- err
	}()
	buf := make([]byte, 4096)
	for {
		n, err := read.Read(buf)
		s.write(time.Since(start), buf[:n])
		if err != nil {
			return <-done
		}
	}
}
