package main

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"sigs.k8s.io/aws-iam-authenticator/pkg/mapper/configmap"
	"sigs.k8s.io/aws-iam-authenticator/pkg/token"
)

type measured struct {
	Entries int     `json:"entries"`
	Bytes   int     `json:"bytes"`
	ParseNs float64 `json:"parse_ns"`
	MapNs   float64 `json:"map_ns"`
}

// bench measures, on one thread, ParseMap on each file's text and Map for the entry in its middle.
func bench(files []string) error {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		data := map[string]string{"mapRoles": string(text)}
		users, roles, accounts, err := configmap.ParseMap(data)
		if err != nil || len(roles) == 0 {
			return fmt.Errorf("%s: %d entries, %w", file, len(roles), err)
		}
		s := newStore(users, roles, accounts)
		identity := &token.Identity{CanonicalARN: roles[len(roles)/2].RoleARN}
		parse := testing.Benchmark(func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				if _, _, _, err := configmap.ParseMap(data); err != nil {
					b.Fatal(err)
				}
			}
		})
		lookUp := testing.Benchmark(func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				if _, err := s.mapper.Map(identity); err != nil {
					b.Fatal(err)
				}
			}
		})
		line, err := json.Marshal(measured{len(roles), len(text), perOp(parse), perOp(lookUp)})
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
	return nil
}

func perOp(r testing.BenchmarkResult) float64 {
	return float64(r.T.Nanoseconds()) / float64(r.N)
}
