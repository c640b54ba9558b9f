# SPDX-License-Identifier: Apache-2.0
"""One data-parallel training step over gloo, with nothing but the environment that it is started in.

Every rank trains on data of its own; the averaged gradient makes all models, and so the losses on
one common batch, the same. Prints RANK WORLD_SIZE LOSS-BEFORE LOSS-AFTER in full precision.
"""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(1000 + rank)  # different weights: DDP has to make them one
torch.set_num_threads(1)
model = DistributedDataParallel(torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
common = torch.arange(32, dtype=torch.float32).reshape(4, 8) / 32


def loss_on_common_batch():
    with torch.no_grad():
        return model.module(common).square().mean().item()


before = loss_on_common_batch()
own = torch.randn(16, 8)
loss = model(own).square().mean()
loss.backward()
optimizer.step()
print(rank, dist.get_world_size(), f"{before:.17g}", f"{loss_on_common_batch():.17g}", flush=True)
dist.destroy_process_group()
