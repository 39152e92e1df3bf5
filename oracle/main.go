// Command oracle answers what the EKS authenticator makes of aws-auth maps.
//
// Without arguments it reads one question a line from stdin and writes one answer a line to stdout, both JSON: see
// question and answer. "oracle bench FILE..." measures reading and looking up on files that hold a mapRoles text.
// "oracle fold" prints how Go folds the case of every character that has one.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/sirupsen/logrus"
	"sigs.k8s.io/aws-iam-authenticator/pkg/config"
)

// question is a map, and identities as STS shows them.
type question struct {
	Data       map[string]string `json:"data"`
	Identities []string          `json:"identities"`
	// SSO switches the feature gate SSORoleMatch on.
	SSO bool `json:"sso"`
}

// answer is what the authenticator keeps of the map, and who each identity may be.
type answer struct {
	Roles    []entry  `json:"roles"`
	Users    []entry  `json:"users"`
	Accounts []string `json:"accounts"`
	// Lost names the sections of which nothing can be in effect, Faulty those about which an error is logged.
	Lost   []string   `json:"lost"`
	Faulty []string   `json:"faulty"`
	Who    []resolved `json:"who"`
	Panic  string     `json:"panic,omitempty"`
}

func main() {
	logrus.SetOutput(io.Discard)
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 0 {
		return serve(os.Stdin, os.Stdout)
	}
	switch arguments[0] {
	case "bench":
		return bench(arguments[1:])
	case "fold":
		return fold(os.Stdout)
	default:
		return fmt.Errorf("no such mode: %s", arguments[0])
	}
}

// serve answers until the input ends. An answer is sent at once unless another question is waiting already.
func serve(stdin io.Reader, stdout io.Writer) error {
	in := bufio.NewReaderSize(stdin, 1<<20)
	buffer := bufio.NewWriterSize(stdout, 1<<20)
	out := json.NewEncoder(buffer)
	out.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return buffer.Flush()
		} else if err != nil {
			return err
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		config.SSORoleMatchEnabled = q.SSO
		if err := out.Encode(ask(q)); err != nil {
			return err
		}
		if in.Buffered() == 0 {
			if err := buffer.Flush(); err != nil {
				return err
			}
		}
	}
}
