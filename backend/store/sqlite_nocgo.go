//go:build !cgo

package store

import _ "github.com/mattn/go-sqlite3" // its stand-in says that cgo is missing

// troubleOf is never asked: without cgo, no database can be opened. The file
// lets tools read the package for platforms whose C compiler is not at hand.
func troubleOf(error) trouble { return none }
