package main

import (
	"fmt"

	"sigs.k8s.io/aws-iam-authenticator/pkg/mapper/configmap"
)

// entry is a mapping as decoded. Groups keep the difference between null and an empty list.
type entry struct {
	ARN      string   `json:"arn"`
	Username string   `json:"username"`
	Groups   []string `json:"groups"`
	UserID   string   `json:"userid"`
	SSO      *sso     `json:"sso"`
}

type sso struct {
	PermissionSetName string `json:"permissionSetName"`
	AccountID         string `json:"accountID"`
	Partition         string `json:"partition"`
}

func ask(q question) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{Panic: fmt.Sprint(p)}
		}
	}()
	users, roles, accounts, _ := configmap.ParseMap(q.Data)
	a.Roles, a.Users, a.Accounts = []entry{}, []entry{}, append([]string{}, accounts...)
	for _, r := range roles {
		e := entry{ARN: r.RoleARN, Username: r.Username, Groups: r.Groups, UserID: r.UserId}
		if r.SSO != nil {
			e.SSO = &sso{r.SSO.PermissionSetName, r.SSO.AccountID, r.SSO.Partition}
		}
		a.Roles = append(a.Roles, e)
	}
	for _, u := range users {
		a.Users = append(a.Users, entry{ARN: u.UserARN, Username: u.Username, Groups: u.Groups, UserID: u.UserId})
	}
	a.Lost, a.Faulty = faults(q.Data)
	s := newStore(users, roles, accounts)
	a.Who = []resolved{}
	for _, identity := range q.Identities {
		a.Who = append(a.Who, s.resolve(identity))
	}
	return a
}
