package main

import (
	"fmt"
	"reflect"
	"strings"
	_ "unsafe" // for go:linkname

	"sigs.k8s.io/aws-iam-authenticator/pkg/arn"
	"sigs.k8s.io/aws-iam-authenticator/pkg/config"
	"sigs.k8s.io/aws-iam-authenticator/pkg/mapper/configmap"
	"sigs.k8s.io/aws-iam-authenticator/pkg/token"
)

// saveMap decides between duplicates. It is not exported.
//
//go:linkname saveMap sigs.k8s.io/aws-iam-authenticator/pkg/mapper/configmap.(*MapStore).saveMap
func saveMap(*configmap.MapStore, []config.UserMapping, []config.RoleMapping, []string)

// resolved is who an identity may be. The authenticator walks over a Go map, in random order, and takes the first
// entry that matches: so the truth is the set of all that match.
type resolved struct {
	Identity  string `json:"identity"`
	Canonical string `json:"canonical"`
	// Error is set where the identity has no canonical form.
	Error bool  `json:"error"`
	May   []who `json:"may"`
}

type who struct {
	Username string   `json:"username"`
	Groups   []string `json:"groups"`
}

type store struct {
	mapper *configmap.ConfigMapMapper
	// What saveMap keeps: of equal keys the last.
	users map[string]config.UserMapping
	roles map[string]config.RoleMapping
}

func newStore(users []config.UserMapping, roles []config.RoleMapping, accounts []string) store {
	ms := &configmap.MapStore{}
	saveMap(ms, users, roles, accounts)
	return store{
		mapper: &configmap.ConfigMapMapper{MapStore: ms},
		users:  field[map[string]config.UserMapping](ms, "users"),
		roles:  field[map[string]config.RoleMapping](ms, "roles"),
	}
}

// field is an unexported field of a MapStore.
func field[T any](ms *configmap.MapStore, name string) T {
	value := reflect.ValueOf(ms).Elem().FieldByName(name)
	return reflect.NewAt(value.Type(), value.Addr().UnsafePointer()).Elem().Interface().(T)
}

func (s store) resolve(identity string) resolved {
	_, canonical, err := arn.Canonicalize(identity)
	if err != nil {
		return resolved{Identity: identity, Error: true, May: []who{}}
	}
	r := resolved{Identity: identity, Canonical: canonical, May: s.matching(strings.ToLower(canonical))}
	found, err := s.mapper.Map(&token.Identity{ARN: identity, CanonicalARN: canonical})
	switch {
	case err == nil && !contains(r.May, who{found.Username, found.Groups}):
		panic(fmt.Sprintf("%s: Map says %q %q, which is not among %v", identity, found.Username, found.Groups, r.May))
	case err != nil && len(r.May) > 0:
		panic(fmt.Sprintf("%s: Map says %v, but %v match", identity, err, r.May))
	case err != nil && s.mapper.IsAccountAllowed(account(identity)):
		// As in (*handler).doMapping of pkg/server: the canonical ARN is the username, and there are no groups.
		r.May = append(r.May, who{canonical, nil})
	}
	return r
}

// matching are the roles that match, or, if there are none, the users.
func (s store) matching(lower string) []who {
	may := []who{}
	for _, r := range s.roles {
		if r.Matches(lower) {
			may = append(may, who{r.Username, r.Groups})
		}
	}
	if len(may) > 0 {
		return may
	}
	for _, u := range s.users {
		if u.Matches(lower) {
			may = append(may, who{u.Username, u.Groups})
		}
	}
	return may
}

func contains(all []who, one who) bool {
	for _, w := range all {
		if w.Username == one.Username && strings.Join(w.Groups, "\x00") == strings.Join(one.Groups, "\x00") {
			return true
		}
	}
	return false
}

// account is the account of an ARN, which STS also gives on its own.
func account(identity string) string {
	sections := strings.Split(identity, ":")
	if len(sections) < 5 {
		return ""
	}
	return sections[4]
}
