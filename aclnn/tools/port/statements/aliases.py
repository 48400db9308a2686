"""Type aliases."""

from aclnn.tools.port.cpp.place import Position
from aclnn.tools.port.cpp.reading import Node, field, text
from aclnn.tools.port.cpp.spellings import base, declared, declared_name, spelled_type


def alias(place: Position, node: Node) -> None:
    """Note the alias of `using A = B;` or `typedef B A;`."""
    if node.type == "alias_declaration":
        place.program.types[text(field(node, "name"))] = spelled_type(place, field(node, "type"))
        return
    own_type = base(place, node)
    for item in node.children_by_field_name("declarator"):
        _, target, _ = declared(own_type, item)
        place.program.types[declared_name(item)] = target
