// Command render fills templates as the authenticator's server does: it reads one question a line from stdin and writes
// it back with its answer. It is a program of its own because the server brings the EC2 client along, which is large.
//
//	go run ./render < questions.jsonl
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"unsafe"

	"sigs.k8s.io/aws-iam-authenticator/pkg/config"
	"sigs.k8s.io/aws-iam-authenticator/pkg/ec2provider"
	_ "sigs.k8s.io/aws-iam-authenticator/pkg/server" // has renderTemplates
	"sigs.k8s.io/aws-iam-authenticator/pkg/token"
)

// handler begins like the type of that name in pkg/server.
type handler struct {
	http.ServeMux
	verifier    token.Verifier
	ec2Provider ec2provider.EC2Provider
}

//go:linkname renderTemplates sigs.k8s.io/aws-iam-authenticator/pkg/server.(*handler).renderTemplates
func renderTemplates(unsafe.Pointer, context.Context, config.IdentityMapping, *token.Identity) (string, []string, error)

// question is a template and what it is filled with.
type question struct {
	Template string `json:"template"`
	Account  string `json:"account"`
	Session  string `json:"session"`
	// DNS is the private DNS name that EC2 gives for the instance; if it is empty, EC2 fails.
	DNS string `json:"dns"`
	// Filled is null where the server denies.
	Filled *string `json:"filled"`
}

func (q question) GetPrivateDNSName(context.Context, string) (string, error) {
	if q.DNS == "" {
		return "", errors.New("no such instance")
	}
	return q.DNS, nil
}

func (question) StartEc2DescribeBatchProcessing(context.Context) {}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(stdin io.Reader, stdout io.Writer) error {
	in, out := json.NewDecoder(stdin), json.NewEncoder(stdout)
	out.SetEscapeHTML(false)
	for {
		var q question
		if err := in.Decode(&q); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		h := &handler{ec2Provider: q}
		identity := &token.Identity{AccountID: q.Account, SessionName: q.Session, AccessKeyID: "AKIAEXAMPLE"}
		filled, _, err := renderTemplates(unsafe.Pointer(h), context.Background(), config.IdentityMapping{Username: q.Template}, identity)
		if q.Filled = &filled; err != nil {
			q.Filled = nil
		}
		if err := out.Encode(q); err != nil {
			return err
		}
	}
}
