package redact

import (
	"errors"
	"reflect"
	"slices"
	"sync"

	"offrun/backend/work"
)

// Value returns v without the secrets in its texts, at any depth: in fields of
// type string and []byte, lists and values of maps of them. Types of their own,
// such as ids and states, are no texts. A field stays as it is that is tagged
//
//	redact:"-"
//
// What v points to is not changed, it is copied where there is a secret in it.
func Value[T any](r *Redactor, v T) T {
	at := reflect.ValueOf(&v).Elem()
	if got, changed := r.value(at); changed {
		at.Set(got)
	}
	return v
}

// Error returns err without the secrets in what it shows to people. The cause of a
// work.Error, which is for the log, stays as it is; see Writer.
func (r *Redactor) Error(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*work.Error](err); ok {
		shown := work.Error{Code: e.Code, Msg: r.Text(e.Msg), Next: r.Text(e.Next), List: Value(r, e.List), Err: err}
		if shown.Msg == e.Msg && shown.Next == e.Next && slices.Equal(shown.List, e.List) {
			return err
		}
		return &shown
	}
	if text := r.Text(err.Error()); text != err.Error() {
		return hidden{text, err}
	}
	return err
}

// A hidden error shows another text than the error that it is.
type hidden struct {
	text string
	err  error
}

func (h hidden) Error() string { return h.text }
func (h hidden) Unwrap() error { return h.err }

var (
	textType  = reflect.TypeFor[string]()
	bytesType = reflect.TypeFor[[]byte]()
)

// value returns v redacted, and whether that is another value.
func (r *Redactor) value(v reflect.Value) (reflect.Value, bool) {
	if !hasText(v.Type()) {
		return v, false
	}
	switch v.Kind() {
	case reflect.String:
		was := v.String()
		now := r.Text(was)
		return reflect.ValueOf(now), now != was
	case reflect.Pointer, reflect.Interface:
		return r.pointed(v)
	case reflect.Struct:
		return r.members(v, v.NumField(), reflect.Value.Field, copyOf)
	case reflect.Slice:
		if v.Type() == bytesType {
			was := string(v.Bytes())
			now := r.Text(was)
			return reflect.ValueOf([]byte(now)), now != was
		}
		return r.members(v, v.Len(), reflect.Value.Index, func(v reflect.Value) reflect.Value {
			c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(c, v)
			return c
		})
	case reflect.Array:
		return r.members(v, v.Len(), reflect.Value.Index, copyOf)
	case reflect.Map:
		return r.mapped(v)
	}
	return v, false
}

func copyOf(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

func (r *Redactor) pointed(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	got, changed := r.value(v.Elem())
	switch {
	case !changed:
		return v, false
	case v.Kind() == reflect.Interface:
		return got, true
	}
	p := reflect.New(v.Type().Elem())
	p.Elem().Set(got)
	return p, true
}

// members redacts the n members of v, and copies v before the first that changes.
func (r *Redactor) members(v reflect.Value, n int, member func(reflect.Value, int) reflect.Value, clone func(reflect.Value) reflect.Value) (reflect.Value, bool) {
	changed := false
	for i := range n {
		if v.Kind() == reflect.Struct && !isShown(v.Type().Field(i)) {
			continue
		}
		got, other := r.value(member(v, i))
		if !other {
			continue
		}
		if !changed {
			v, changed = clone(v), true
		}
		member(v, i).Set(got)
	}
	return v, changed
}

func (r *Redactor) mapped(v reflect.Value) (reflect.Value, bool) {
	var c reflect.Value
	for _, key := range v.MapKeys() {
		got, other := r.value(v.MapIndex(key))
		if !other {
			continue
		}
		if !c.IsValid() {
			c = reflect.MakeMapWithSize(v.Type(), v.Len())
			for _, k := range v.MapKeys() {
				c.SetMapIndex(k, v.MapIndex(k))
			}
		}
		c.SetMapIndex(key, got)
	}
	if !c.IsValid() {
		return v, false
	}
	return c, true
}

func isShown(f reflect.StructField) bool { return f.IsExported() && f.Tag.Get("redact") != "-" }

// texts remembers what hasText has found.
var texts sync.Map

// hasText reports whether values of type t can hold text.
func hasText(t reflect.Type) bool {
	if known, ok := texts.Load(t); ok {
		return known.(bool)
	}
	has := lookForText(t, map[reflect.Type]bool{})
	texts.Store(t, has)
	return has
}

// lookForText is hasText for a type that is part of those in seen.
func lookForText(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.String:
		return t == textType
	case reflect.Interface:
		return true // it may hold anything
	case reflect.Slice:
		return t == bytesType || lookForText(t.Elem(), seen)
	case reflect.Pointer, reflect.Array, reflect.Map:
		return lookForText(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if isShown(f) && lookForText(f.Type, seen) {
				return true
			}
		}
	}
	return false
}
