package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// Listen opens the socket at path for its owner alone. A socket file that
// nobody answers is replaced; the caller holds the data folder's lock, so it is
// nobody else's.
func Listen(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	// The mode is set by umask, not by a chmod after the bind: there would be a
	// moment in which others can connect.
	old := unix.Umask(0o177)
	l, err := net.Listen("unix", path)
	unix.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return ownOnly{l}, nil
}

// ownOnly hangs up on peers that are another user.
type ownOnly struct{ net.Listener }

func (l ownOnly) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, _, err := peer(c.(*net.UnixConn)); err == nil && uid == os.Getuid() {
			return c, nil
		}
		c.Close() // nothing was sent, so there is nothing to lose
	}
}

type peerKey struct{}

// withPeer remembers the process at the other end with the connection.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	if _, pid, err := peer(u); err == nil {
		return context.WithValue(ctx, peerKey{}, pid)
	}
	return ctx
}

// fromAttempt reports whether a request comes from a program that an attempt
// started: an agent, a setup, a test. It is a fence, not a wall: a program that
// drops its environment and its parents is not known any more.
func fromAttempt(ctx context.Context) bool {
	pid, ok := ctx.Value(peerKey{}).(int)
	return ok && proc.Bears(pid)
}

// Serve answers on l until ctx is done or the bench has been idle for idle
// (0 is for ever), then lets requests in progress end.
func (h *Handler) Serve(ctx context.Context, l net.Listener, idle time.Duration) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ConnContext: withPeer}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	case <-h.bench.Stopped():
	case <-h.idle(ctx, idle):
		h.log.Info("nothing to do", "for", idle)
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := s.Shutdown(end); err != nil {
		s.Close() // a long poll is all that can be left; its client asks again
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// idle returns a channel that is closed when no attempt works and no request is
// answered for d.
func (h *Handler) idle(ctx context.Context, d time.Duration) <-chan struct{} {
	quiet := make(chan struct{})
	if d <= 0 {
		return quiet
	}
	go func() {
		tick := time.NewTicker(min(d, 10*time.Second))
		defer tick.Stop()
		since := time.Now()
		for {
			select {
			case <-ctx.Done():
				return
			case <-h.bench.Stopped():
				return
			case now := <-tick.C:
				if h.bench.Working() > 0 || h.Asking() > 0 {
					since = now
				}
				if now.Sub(since) >= d {
					close(quiet)
					return
				}
			}
		}
	}()
	return quiet
}

// refused reports whether err says that no bench listens.
func refused(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ECONNREFUSED)
}

// NotServing is the error of a Client whose socket nobody answers.
func NotServing(err error) bool {
	var e *work.Error
	return errors.As(err, &e) && e.Code == work.Unavailable && refused(e.Err)
}
