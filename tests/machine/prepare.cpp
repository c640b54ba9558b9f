// SPDX-License-Identifier: Apache-2.0
//
// prepare SOURCE OUT REPLAY: unpacks the machines of SOURCE into OUT/<name>/root and writes
// OUT/<name>/env, which a shell can read to become that machine:
//   env $(cat build/gcc/tests/machine/nvswitch-8/env) topolaunch topo
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/machine/machine_folder.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: prepare SOURCE OUT REPLAY\n", stderr);
    return 64;
  }
  const std::string source = argv[1], out = argv[2], replay = argv[3];
  for (const std::string& name : topolaunch::test::machine_names(source)) {
    const std::string from = source + "/" + name, to = out + "/" + name;
    std::ifstream file(from + "/root.txt");
    std::stringstream text;
    text << file.rdbuf();
    const auto status = topolaunch::test::unpack_root(text.str(), from + "/root.txt", to + "/root");
    if (!file || !status) {
      std::fprintf(stderr, "%s\n", status ? (from + "/root.txt: can't read it").c_str() : status.error().text().c_str());
      return 65;
    }
    std::ofstream(to + "/env") << "TOPOLAUNCH_NVML_PROFILE=" << from << "/nvml.json\n"
                               << "HWLOC_XMLFILE=" << from << "/hwloc.xml\n"
                               << "TOPOLAUNCH_FSROOT=" << to << "/root\n"
                               << "LD_LIBRARY_PATH=" << replay << (name == "old-driver" ? "/old" : "") << "\n";
  }
  return 0;
}
