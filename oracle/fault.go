package main

import (
	"encoding/json"

	"gopkg.in/yaml.v2"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/aws-iam-authenticator/pkg/mapper/configmap"
)

// faults tells the sections that are lost as a whole, and those about which ParseMap returns an error.
func faults(data map[string]string) (lost, faulty []string) {
	lost, faulty = []string{}, []string{}
	for _, name := range []string{"mapRoles", "mapUsers", "mapAccounts"} {
		text, ok := data[name]
		if !ok {
			continue
		}
		if _, _, _, err := configmap.ParseMap(map[string]string{name: text}); err == nil {
			continue
		}
		faulty = append(faulty, name)
		isList := listOfMappings
		if name == "mapAccounts" {
			isList = listOfAccounts
		}
		if !isList(text) {
			lost = append(lost, name)
		}
	}
	return lost, faulty
}

// listOfMappings is whether there is a list to decode entries from, as ParseMap makes it.
func listOfMappings(text string) bool {
	body, err := utilyaml.ToJSON([]byte(text))
	if err != nil {
		return false
	}
	var list []json.RawMessage
	return json.Unmarshal(body, &list) == nil
}

// listOfAccounts is whether there is a list to decode accounts from, whatever its items are: the decoder makes room for
// all of them before it looks at the first.
func listOfAccounts(text string) bool {
	var list []string
	return yaml.Unmarshal([]byte(text), &list) == nil || list != nil
}
