"""MLIR text of rms programs, for the scripts that compile many of them."""


def _tensor(dtype, hidden_size, columns=False):
    return f"tensor<{'' if columns else '?x'}{hidden_size}x{dtype}>"


class _Function:
    """A function that is one rms op: its arguments, clauses and results."""

    def __init__(self, name, op):
        self.name, self.op = name, op
        self.arguments, self.clauses, self.results = [], [], []

    def operand(self, role, type, may_alias=None):
        attributes = f'rms.name = "{role}"'
        if may_alias is not None:
            attributes += f", rms.may_alias = {may_alias} : index"
        self.arguments.append(f"%{role}: {type} {{{attributes}}}")
        self.clauses.append(f"{role}(%{role} : {type})")

    def attribute(self, name, value):
        self.clauses.append(f"{name}({value})")

    def result(self, role, type):
        self.results.append((role, type))

    def text(self):
        values = ", ".join(f"%r{i}" for i in range(len(self.results)))
        types = ", ".join(type for _, type in self.results)
        named = ", ".join(f'{t} {{rms.name = "{r}"}}' for r, t in self.results)
        asked = " ".join(f"{r}({t})" for r, t in self.results)
        return (
            f"func.func @{self.name}({', '.join(self.arguments)})\n"
            f"    -> ({named}) {{\n"
            f"  {values} = rms.{self.op} {' '.join(self.clauses)}\n"
            f"      -> {asked}\n"
            f"  return {values} : {types}\n"
            "}\n"
        )


def norm(
    name, hidden_size, x="bf16", residual=None, weight=None, y="bf16", sum=None,
    rstd=False, normalized=None, weight_offset=0.0, residual_rounding=None,
    norm_rounding=None, in_place=False,
):  # fmt: skip
    """An rms.norm; operands and optional results that have no type are left out.
    in_place lets y take x's buffer, and sum the residual's."""
    f = _Function(name, "norm")
    f.operand("x", _tensor(x, hidden_size), 0 if in_place else None)
    if residual:
        alias = 1 if in_place and sum else None
        f.operand("residual", _tensor(residual, hidden_size), alias)
    if weight:
        f.operand("weight", _tensor(weight, hidden_size, columns=True))
    f.attribute("epsilon", "1.0e-06")
    if weight_offset:
        f.attribute("weight_offset", weight_offset)
    if residual_rounding:
        f.attribute("residual_rounding", residual_rounding)
    if norm_rounding:
        f.attribute("norm_rounding", norm_rounding)
    f.result("y", _tensor(y, hidden_size))
    if sum:
        f.result("sum", _tensor(sum, hidden_size))
    if rstd:
        f.result("rstd", "tensor<?xf32>")
    if normalized:
        f.result("normalized", _tensor(normalized, hidden_size))
    return f.text()


def norm_backward(
    name, hidden_size, grad_output="bf16", normalized=None, sum=None, weight=None,
    grad_sum=None, dx="bf16", dw="f32", weight_offset=0.0,
):  # fmt: skip
    """An rms.norm_backward from `normalized` or from `sum`; the rest as above."""
    f = _Function(name, "norm_backward")
    f.operand("grad_output", _tensor(grad_output, hidden_size))
    if normalized:
        f.operand("normalized", _tensor(normalized, hidden_size))
    if sum:
        f.operand("sum", _tensor(sum, hidden_size))
    f.operand("rstd", "tensor<?xf32>")
    if weight:
        f.operand("weight", _tensor(weight, hidden_size, columns=True))
    if grad_sum:
        f.operand("grad_sum", _tensor(grad_sum, hidden_size))
    if weight_offset:
        f.attribute("weight_offset", weight_offset)
    if dx:
        f.result("dx", _tensor(dx, hidden_size))
    if dw:
        f.result("dw", _tensor(dw, hidden_size, columns=True))
    return f.text()
