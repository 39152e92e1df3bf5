"""Whether answers have the shape that AWS's have, told by botocore's service models.

Every key of every answer must be in the model, with a value of its type. And for each operation the keys that were seen
must be exactly those of golden.json, so that none gets lost."""

import collections
import datetime
import json
import pathlib
import xml.etree.ElementTree as ElementTree

GOLDEN = pathlib.Path(__file__).with_name("golden.json")


class Seen:
    """What was seen of answers: paths of keys by operation, and what was wrong."""

    def __init__(self):
        self.keys = collections.defaultdict(set)
        self.faults = []
        self.errors = collections.defaultdict(set)

    def look(self, operation_model, response_dict, **_):
        service = operation_model.service_model.service_name
        name = f"{service}.{operation_model.name}"
        body = response_dict["body"]
        if response_dict["status_code"] >= 300:
            self.look_at_error(name, operation_model, response_dict)
            return
        self.keys[name]
        shape = operation_model.output_shape
        if operation_model.metadata["protocol"] == "rest-json":
            value = json.loads(body) if body else {}
            self.walk_json(name, shape, value, "")
        else:
            self.look_at_xml(name, operation_model, body)

    def fault(self, name, path, what):
        self.faults.append(f"{name} {path}: {what}")

    def look_at_error(self, name, operation_model, response_dict):
        body, headers = response_dict["body"], response_dict["headers"]
        if operation_model.metadata["protocol"] == "rest-json":
            value = json.loads(body)
            code = headers.get("x-amzn-errortype")
            if not code or value.get("__type") != code or not isinstance(value.get("message"), str):
                self.fault(name, "error", f"{headers} {value}")
            shape = operation_model.service_model.shape_for_error_code(code)
            if shape:
                for key in value.keys() - {"__type"}:
                    if key not in shape.members:
                        self.fault(name, f"error.{key}", f"{code} has no such field")
        else:
            code = ElementTree.fromstring(body).findtext("{*}Error/{*}Code")
            if not code or not ElementTree.fromstring(body).findtext("{*}RequestId"):
                self.fault(name, "error", body)
        self.errors[name].add(code)

    def walk_json(self, name, shape, value, path):
        kind = shape.type_name if shape else "structure"
        if kind == "structure":
            members = shape.members if shape else {}
            if not isinstance(value, dict):
                return self.fault(name, path, f"{value!r} is no object")
            for key, item in value.items():
                here = f"{path}.{key}" if path else key
                self.keys[name].add(here)
                if key not in members:
                    self.fault(name, here, "AWS has no such field")
                elif item is not None:
                    self.walk_json(name, members[key], item, here)
        elif kind == "list":
            if not isinstance(value, list):
                return self.fault(name, path, f"{value!r} is no list")
            for item in value:
                self.walk_json(name, shape.member, item, path + "[]")
        elif kind == "map":
            for item in value.values():
                self.walk_json(name, shape.value, item, path + "{}")
        else:
            self.scalar(name, shape, value, path)

    def scalar(self, name, shape, value, path):
        fits = {
            "string": lambda v: isinstance(v, str) and (not shape.enum or v in shape.enum),
            "boolean": lambda v: isinstance(v, bool),
            "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
            "long": lambda v: isinstance(v, int) and not isinstance(v, bool),
            "double": lambda v: isinstance(v, (int, float)),
            "timestamp": lambda v: isinstance(v, (int, float)),
        }[shape.type_name]
        if not fits(value):
            self.fault(name, path, f"{value!r} is no {shape.type_name}")

    def look_at_xml(self, name, operation_model, body):
        root = ElementTree.fromstring(body)
        if plain(root.tag) != f"{operation_model.name}Response":
            self.fault(name, "", f"the root is {root.tag}")
        shape = operation_model.output_shape
        for child in root:
            tag = plain(child.tag)
            if tag == "ResponseMetadata":
                continue
            wrapper = shape.serialization.get("resultWrapper") if shape else None
            if tag != wrapper:
                self.fault(name, tag, "AWS has no such element")
                continue
            self.walk_xml(name, shape, child, "")

    def walk_xml(self, name, shape, element, path):
        kind = shape.type_name
        if kind == "structure":
            for child in element:
                key = plain(child.tag)
                here = f"{path}.{key}" if path else key
                self.keys[name].add(here)
                if key not in shape.members:
                    self.fault(name, here, "AWS has no such field")
                else:
                    self.walk_xml(name, shape.members[key], child, here)
        elif kind == "list":
            for child in element:
                if plain(child.tag) != "member":
                    self.fault(name, path, f"{child.tag} is no item")
                self.walk_xml(name, shape.member, child, path + "[]")
        else:
            text = element.text or ""
            if kind == "boolean" and text not in ("true", "false"):
                self.fault(name, path, f"{text!r} is no boolean")
            if kind == "timestamp":
                try:
                    datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
                except ValueError:
                    self.fault(name, path, f"{text!r} is no time")
            if kind in ("integer", "long") and not text.isdigit():
                self.fault(name, path, f"{text!r} is no number")
            if kind == "string" and shape.enum and text not in shape.enum:
                self.fault(name, path, f"{text!r} is none of {shape.enum}")


def plain(tag):
    return tag.split("}")[-1]


def golden():
    return json.loads(GOLDEN.read_text())


def write_golden(keys):
    lines = (f"  {json.dumps(name)}: {json.dumps(sorted(paths))}" for name, paths in sorted(keys.items()))
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
