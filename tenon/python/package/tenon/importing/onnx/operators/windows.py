"""Windows of convolutions and poolings: their padding and the sizes of what they give."""

import dataclasses


@dataclasses.dataclass
class Windows:
    """All windows of the spatial dimensions. `pads` is what the operator asks for, `beyond` what whole windows at the end
    need in addition (ceil_mode)."""

    sizes: list[int]
    strides: list[int]
    dilations: list[int]
    pads: list[tuple[int, int]]
    beyond: list[int]
    outputs: list[int]

    def tap(self, offsets: tuple[int, ...]) -> tuple[list[int], list[int]]:
        """Where the elements at this place of all windows begin and end in the padded array; they are strides apart."""
        starts = [offset * dilation for offset, dilation in zip(offsets, self.dilations)]
        ends = [start + (count - 1) * stride + 1 for start, count, stride in zip(starts, self.outputs, self.strides)]
        return starts, ends

    @property
    def padding(self) -> list[tuple[int, int]]:
        return [(before, after + more) for (before, after), more in zip(self.pads, self.beyond)]


def _same(size, extent, stride, lower):
    """Padding by which a window begins at each stride-th element."""
    output = -(-size // stride)
    total = max((output - 1) * stride + extent - size, 0)
    return (total - total // 2, total // 2) if lower else (total // 2, total - total // 2)


def windows(node, spatial, kernel) -> Windows:
    rank = len(spatial)
    strides, dilations = node["strides"] or [1] * rank, node["dilations"] or [1] * rank
    extents = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations)]
    mode = node["auto_pad"] or "NOTSET"
    if mode in ("SAME_UPPER", "SAME_LOWER"):
        pads = [_same(*numbers, mode == "SAME_LOWER") for numbers in zip(spatial, extents, strides)]
    elif mode == "VALID" or not node["pads"]:
        pads = [(0, 0)] * rank
    else:
        pads = list(zip(node["pads"][:rank], node["pads"][rank:]))
    outputs, beyond = [], []
    for size, extent, stride, (before, after) in zip(spatial, extents, strides, pads):
        room = size + before + after - extent
        count = room // stride + 1
        # A further window, if it begins within the elements or the padding before them.
        if node["ceil_mode"] and room % stride and count * stride < size + before:
            count += 1
        outputs.append(count)
        beyond.append(max((count - 1) * stride - room, 0))
    return Windows(list(kernel), list(strides), list(dilations), pads, beyond, outputs)
