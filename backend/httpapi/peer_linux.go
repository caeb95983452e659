package httpapi

import (
	"net"

	"golang.org/x/sys/unix"
)

// peer returns the user id of the process at the other end of c.
func peer(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, err
	}
	uid = -1
	ctl := raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			uid = int(cred.Uid)
		}
	})
	if ctl != nil {
		return -1, ctl
	}
	return uid, err
}
