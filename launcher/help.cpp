// SPDX-License-Identifier: Apache-2.0
#include "launcher/help.h"

#include "base/capabilities.h"

namespace topolaunch::launcher {

std::string general_help() {
  return R"(Usage: topolaunch [run] [OPTIONS] -- COMMAND [ARGS...]
Every rank of a GPU job on the right GPU, proved: topolaunch -- python train.py

Verbs:   topo      what is this machine?       map     solve, start nothing
         lint      is a topology file right?   bench   measure the interconnect
         validate  a run against measurement   report  what a run did
         quota     tokens, balance, usage      ps      runs that are live
         doctor    what can be used here       VERB --help: a verb's options
Ranks:   -n, --ranks N        else one per visible GPU, else 1; --oversubscribe
         --parallel tp=8,dp=4 [--order tp-cp-ep-dp-pp] [--bytes tp=64M,dp=1G]
         --traffic FILE       who talks to whom; or --model FILE, --pattern P
Hosts:   --hosts g[01-16]:8|@FILE, --link-rate host=..,uplink=.., --refresh
Place:   --topology FILE|SPEC in place of this machine; --distance 1:10:100
         --pin RANK=HOST:GPU, --exclude HOSTS, --require|--prefer|--spread LEVEL
         --affinity|--anti-affinity GROUP=LEVEL, --near HOST, --spares N
         --objective time|hop-bytes, --effort fast|default|best
Launch:  --dry-run            show plan and exact commands, start nothing
         --engine auto|local|mpirun, --engine-args "..."
         --time-limit 1h30m, --grace 10s
Quota:   --quota-token FILE, --ledger sqlite:PATH, --quota require|warn|off
Checks:  --validate auto|off|placement|quick|full, --strict, --ab
Output:  --tag (rank before each line), --log-dir DIR, --summary FILE
         -q, --quiet   -v, --verbose   --version   -h, --help
Exit:    the job's own status; 64-81 if it was not started (docs/exit-status.md)
)";
}

std::string version_text() { return "topolaunch " + std::string(build_version()) + "\n"; }

}  // namespace topolaunch::launcher
