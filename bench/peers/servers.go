package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"example.com/tq/store/postgres/pgtest"
	"github.com/jackc/pgx/v5"
)

// servers are the databases of a run, started for it and gone with it.
type servers struct {
	postgres *pgtest.Cluster
	redis    *exec.Cmd
	redisAt  string
	folder   string
	made     int
}

// startServers starts them with their data in a new folder inside parent; "" is
// the usual place for temporary files.
func startServers(parent string) (*servers, error) {
	folder, err := os.MkdirTemp(parent, "tq-peers-")
	if err != nil {
		return nil, err
	}
	s := &servers{folder: folder}
	if s.postgres, err = pgtest.StartIn(parent); err == nil {
		err = s.startRedis()
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// startRedis starts one that syncs every write before it answers.
func (s *servers) startRedis() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.redisAt = l.Addr().String()
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return err
	}
	s.redis = exec.Command("redis-server", "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", s.folder,
		"--save", "", "--appendonly", "yes", "--appendfsync", "always")
	s.redis.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.redis.Start(); err != nil {
		s.redis = nil
		return fmt.Errorf("%w: apt-get install redis-server", err)
	}
	for range 100 {
		if c, err := net.Dial("tcp", s.redisAt); err == nil {
			return c.Close()
		}
		<-time.After(50 * time.Millisecond)
	}
	return errors.New("redis does not answer")
}

// place is where one measure of a system takes place: a new database, a new
// folder, or Redis. remove takes it away.
func (s *servers) place(ctx context.Context, group string) (place string, remove func() error, err error) {
	s.made++
	switch group {
	case onRedis:
		return s.redisAt, func() error { return nil }, nil
	case onSQLite:
		folder := filepath.Join(s.folder, strconv.Itoa(s.made))
		return folder, func() error { return os.RemoveAll(folder) }, os.Mkdir(folder, 0o700)
	}
	name := "bench_" + strconv.Itoa(s.made)
	if err := s.exec(ctx, "create database "+name); err != nil {
		return "", nil, err
	}
	at := fmt.Sprintf("postgres://postgres@127.0.0.1:%s/%s?sslmode=disable", s.port(), name)
	return at, func() error { return s.exec(ctx, "drop database "+name+" with (force)") }, nil
}

func (s *servers) port() string {
	config, err := pgx.ParseConfig(s.postgres.URL())
	if err != nil {
		return ""
	}
	return strconv.Itoa(int(config.Port))
}

func (s *servers) exec(ctx context.Context, statement string) error {
	c, err := pgx.Connect(ctx, s.postgres.URL())
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, statement)
	return errors.Join(err, c.Close(ctx))
}

// show answers a setting of the server.
func (s *servers) show(ctx context.Context, name string) (value string, err error) {
	c, err := pgx.Connect(ctx, s.postgres.URL())
	if err != nil {
		return "", err
	}
	err = c.QueryRow(ctx, "select current_setting($1)", name).Scan(&value)
	return value, errors.Join(err, c.Close(ctx))
}

func (s *servers) stop() error {
	var err error
	if s.redis != nil {
		err = errors.Join(s.redis.Process.Kill(), ignoreKilled(s.redis.Wait()))
	}
	if s.postgres != nil {
		err = errors.Join(err, s.postgres.Stop())
	}
	return errors.Join(err, os.RemoveAll(s.folder))
}

func ignoreKilled(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}
