#include <cstdio>
#include <vector>
#include "acl/acl.h"

struct Config {
  int64_t batch = 1;
  std::vector<int64_t> shape;
  float scale = 1.0f;
};

struct Pair {
  Config first;
  Config second;
};

Config Doubled(Config config) {
  config.batch *= 2;
  config.shape.push_back(config.batch);
  return config;
}

float Scale(const Config& config) { return config.scale * config.batch; }

int main() {
  aclInit(nullptr);
  Config config;
  config.shape = {3, 4};
  Config copy = config;
  copy.batch = 7;
  copy.shape[0] = 30;
  Config doubled = Doubled(config);
  printf("%ld %ld %zu\n", config.batch, config.shape[0], config.shape.size());
  printf("%ld %ld %zu %zu\n", copy.batch, doubled.batch, doubled.shape.size(), copy.shape.size());
  std::vector<Config> configs;
  configs.push_back(config);
  config.shape[1] = 99;
  configs.push_back(config);
  configs[0].scale = 0.5f;
  printf("%ld %ld %f %f\n", configs[0].shape[1], configs[1].shape[1], Scale(configs[0]), Scale(configs[1]));
  Pair pair;
  pair.first = config;
  pair.second = pair.first;
  pair.second.shape.push_back(5);
  Pair other = pair;
  other.first.batch = 11;
  printf("%zu %zu %ld %ld\n", pair.first.shape.size(), other.second.shape.size(), pair.first.batch,
         other.first.batch);
  Config assigned;
  assigned = copy;
  copy.shape.clear();
  printf("%zu %ld\n", assigned.shape.size(), assigned.batch);
  aclFinalize();
  return 0;
}
