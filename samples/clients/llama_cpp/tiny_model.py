"""A tiny llama with random weights, as a GGUF file: tiny_model.py FILE [f32|f16|q8_0|q4_0]"""

import sys
from pathlib import Path

import gguf
import numpy as np

VOCABULARY, WIDTH, HIDDEN, HEADS, KV_HEADS, LAYERS, CONTEXT = 272, 64, 128, 4, 2, 2, 128
SPECIAL, BYTES = 3, 256  # tokens; the others are unused
TYPES = {
    "f32": (gguf.GGMLQuantizationType.F32, gguf.LlamaFileType.ALL_F32),
    "f16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
    "q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
    "q4_0": (gguf.GGMLQuantizationType.Q4_0, gguf.LlamaFileType.MOSTLY_Q4_0),
}


class TinyLlama:
    """A model file that is being written."""

    def __init__(self, path: Path, type: str) -> None:
        self._type, file_type = TYPES[type]
        self._random = np.random.default_rng(1)
        self._file = gguf.GGUFWriter(str(path), "llama")
        self._file.add_file_type(file_type)

    def describe(self) -> None:
        """The sizes of the model, and a vocabulary of bytes."""
        file = self._file
        file.add_name("tiny")
        file.add_context_length(CONTEXT)
        file.add_embedding_length(WIDTH)
        file.add_block_count(LAYERS)
        file.add_feed_forward_length(HIDDEN)
        file.add_head_count(HEADS)
        file.add_head_count_kv(KV_HEADS)
        file.add_layer_norm_rms_eps(1e-5)
        file.add_rope_dimension_count(WIDTH // HEADS)
        file.add_rope_freq_base(10000.0)
        file.add_vocab_size(VOCABULARY)
        file.add_tokenizer_model("llama")
        unused = [f"<unused{number}>".encode() for number in range(VOCABULARY - SPECIAL - BYTES)]
        bytes_ = [f"<0x{byte:02X}>".encode() for byte in range(BYTES)]
        file.add_token_list([b"<unk>", b"<s>", b"</s>", *bytes_, *unused])
        file.add_token_scores([0.0] * VOCABULARY)
        file.add_token_types([2, 3, 3] + [6] * BYTES + [5] * len(unused))
        file.add_bos_token_id(1)
        file.add_eos_token_id(2)
        file.add_unk_token_id(0)

    def weights(self, name: str, rows: int, columns: int, scale: float | None = None) -> None:
        """A matrix of the type of the model."""
        values = self._random.standard_normal((rows, columns), dtype=np.float32) * np.float32(scale or columns**-0.5)
        self._file.add_tensor(f"{name}.weight", gguf.quantize(values, self._type), raw_dtype=self._type)

    def norm(self, name: str) -> None:
        """The factors of a normalisation; always float32."""
        values = 1 + np.float32(0.1) * self._random.standard_normal(WIDTH, dtype=np.float32)
        self._file.add_tensor(f"{name}.weight", values)

    def layer(self, number: int) -> None:
        """The weights of one layer."""
        layer, narrow = f"blk.{number}", WIDTH // HEADS * KV_HEADS
        self.norm(f"{layer}.attn_norm")
        self.weights(f"{layer}.attn_q", WIDTH, WIDTH)
        self.weights(f"{layer}.attn_k", narrow, WIDTH)
        self.weights(f"{layer}.attn_v", narrow, WIDTH)
        self.weights(f"{layer}.attn_output", WIDTH, WIDTH)
        self.norm(f"{layer}.ffn_norm")
        self.weights(f"{layer}.ffn_gate", HIDDEN, WIDTH)
        self.weights(f"{layer}.ffn_up", HIDDEN, WIDTH)
        self.weights(f"{layer}.ffn_down", WIDTH, HIDDEN)

    def write(self) -> None:
        """Write the file."""
        self.describe()
        self.weights("token_embd", VOCABULARY, WIDTH, 1.0)
        self.norm("output_norm")
        self.weights("output", VOCABULARY, WIDTH)
        for number in range(LAYERS):
            self.layer(number)
        self._file.write_header_to_file()
        self._file.write_kv_data_to_file()
        self._file.write_tensors_to_file()
        self._file.close()


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], *([name] for name in TYPES)):
        sys.exit(__doc__)
    TinyLlama(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "f32").write()
