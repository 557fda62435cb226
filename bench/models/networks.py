# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of the benchmark, with the sizes that they were published with.

NETWORKS maps a name to a Network. The modules that it builds have, beside
`forward`, two methods:

    inputs(batch)   arguments of forward by name, drawn from torch's generator
    outputs()       the names of its results
"""

from dataclasses import dataclass

from language import Bert, Gpt2, LlamaBlock
from recommendation import Dlrm
from speech import WhisperEncoder
from vision import MobileNetV2, ResNet, Vit


@dataclass(frozen=True)
class Network:
    """A class of modules and its arguments: `full` are the published sizes,
    `small` make one or two layers of sizes that are not powers of two, for tests.
    `batch` is that of the benchmark."""

    module: type
    full: dict
    small: dict
    batch: int = 1

    def build(self, scale):
        return self.module(**getattr(self, scale))


# Devlin et al., BERT, section 3; google-research/bert's vocabulary of uncased
# English. 128 of 512 positions.
BERT_BASE = dict(
    vocabulary=30522, length=128, positions=512, width=768, depth=12, heads=12,
    hidden=3072,
)
BERT_LARGE = dict(BERT_BASE, width=1024, depth=24, heads=16, hidden=4096)
SMALL_BERT = dict(
    vocabulary=50, length=9, positions=12, width=24, depth=2, heads=3, hidden=40
)

# Radford et al., Language models are unsupervised multitask learners, table 2,
# the smallest (124M parameters with shared embeddings).
GPT2 = dict(vocabulary=50257, positions=1024, width=768, depth=12, heads=12)
SMALL_GPT2 = dict(vocabulary=50, positions=16, width=24, depth=2, heads=3)

# Dubey et al., The Llama 3 herd of models, table 3, the 8B model.
LLAMA_BLOCK = dict(
    width=4096, heads=32, kv_heads=8, hidden=14336, length=128, rotary_base=500000.0
)
SMALL_LLAMA_BLOCK = dict(
    width=24, heads=6, kv_heads=2, hidden=40, length=9, rotary_base=10000.0
)

# Dosovitskiy et al., An image is worth 16x16 words, table 1.
VIT_B = dict(
    size=224, patch=16, width=768, depth=12, heads=12, hidden=3072, classes=1000
)
SMALL_VIT = dict(size=21, patch=7, width=24, depth=2, heads=3, hidden=40, classes=10)

# He et al., Deep residual learning for image recognition, table 1.
RESNET_50 = dict(size=224, width=64, depths=(3, 4, 6, 3), classes=1000)
SMALL_RESNET = dict(size=37, width=6, depths=(1, 2), classes=10)

# Sandler et al., MobileNetV2, table 2: expansion, channels, blocks, stride.
MOBILENET_V2 = dict(
    size=224,
    first=32,
    stages=(
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ),
    last=1280,
    classes=1000,
)
SMALL_MOBILENET = dict(
    size=37, first=6, stages=((1, 5, 1, 1), (3, 7, 2, 2)), last=20, classes=10
)

# Naumov et al., DLRM; facebookresearch/dlrm's settings for the Criteo Kaggle data
# (bench/dlrm_s_criteo_kaggle.sh) and the numbers of categories in that data, with
# tables cut to a million rows, as its option max-ind-range does.
DLRM_ROWS = (
    1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194,
    27, 14992, 5461306, 10, 5652, 2173, 4, 7046547, 18, 15, 286181, 105, 142572,
)
DLRM = dict(
    numbers=13,
    bottom=(512, 256, 64),
    tables=tuple(min(rows, 1_000_000) for rows in DLRM_ROWS),
    size=16,
    top=(512, 256),
)
SMALL_DLRM = dict(numbers=5, bottom=(9,), tables=(11, 3, 20), size=6, top=(10,))

# Radford et al., Whisper, table 1, base: 30 s are 3000 frames.
WHISPER = dict(bands=80, frames=3000, width=512, depth=6, heads=8)
SMALL_WHISPER = dict(bands=5, frames=18, width=24, depth=2, heads=3)

NETWORKS = {
    "bert-base": Network(Bert, BERT_BASE, SMALL_BERT),
    "bert-large": Network(Bert, BERT_LARGE, dict(SMALL_BERT, width=40, heads=5)),
    "gpt2-prefill": Network(
        Gpt2, dict(GPT2, length=128), dict(SMALL_GPT2, length=9)
    ),
    "gpt2-decode": Network(
        Gpt2, dict(GPT2, length=1, past=511), dict(SMALL_GPT2, length=1, past=10)
    ),
    "llama-block": Network(LlamaBlock, LLAMA_BLOCK, SMALL_LLAMA_BLOCK),
    "vit-b": Network(Vit, VIT_B, SMALL_VIT),
    "resnet-50": Network(ResNet, RESNET_50, SMALL_RESNET),
    "mobilenet-v2": Network(MobileNetV2, MOBILENET_V2, SMALL_MOBILENET),
    "dlrm": Network(Dlrm, DLRM, SMALL_DLRM, batch=128),
    "whisper-encoder": Network(WhisperEncoder, WHISPER, SMALL_WHISPER),
}
