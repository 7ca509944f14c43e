//===-- Covering.cpp - pairwise coverage ------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Covering.h"
#include <random>

using namespace rmsc::numeric;

namespace {
struct Pair {
  unsigned first, firstLevel, second, secondLevel;
  bool operator<(const Pair &other) const {
    return std::tie(first, firstLevel, second, secondLevel) <
           std::tie(other.first, other.firstLevel, other.second,
                    other.secondLevel);
  }
};
} // namespace

static std::set<Pair> allPairs(const std::vector<unsigned> &levels,
                               unsigned factors) {
  std::set<Pair> pairs;
  for (unsigned a = 0; a < factors; ++a)
    for (unsigned b = a + 1; b < factors; ++b)
      for (unsigned i = 0; i < levels[a]; ++i)
        for (unsigned j = 0; j < levels[b]; ++j)
          pairs.insert({a, i, b, j});
  return pairs;
}

template <typename Visit>
static void forPairs(const Choice &choice, unsigned factors, Visit visit) {
  for (unsigned a = 0; a < factors; ++a)
    for (unsigned b = a + 1; b < factors; ++b)
      visit(Pair{a, choice[a], b, choice[b]});
}

std::vector<Choice>
rmsc::numeric::coverPairs(const std::vector<unsigned> &levels,
                          const std::function<bool(const Choice &)> &allowed,
                          uint64_t seed) {
  std::mt19937_64 random(seed);
  unsigned factors = levels.size();
  std::set<Pair> open = allPairs(levels, factors);
  std::vector<Choice> choices;
  while (!open.empty()) {
    // Of many random choices around one open pair take the one that closes
    // most.
    Pair wanted = *open.begin();
    Choice best;
    int bestScore = -1;
    for (int attempt = 0; attempt < 200; ++attempt) {
      Choice choice;
      for (unsigned count : levels)
        choice.push_back(random() % count);
      choice[wanted.first] = wanted.firstLevel;
      choice[wanted.second] = wanted.secondLevel;
      if (!allowed(choice))
        continue;
      int score = 0;
      forPairs(choice, factors,
               [&](const Pair &pair) { score += open.count(pair); });
      if (score > bestScore) {
        best = choice;
        bestScore = score;
      }
    }
    open.erase(wanted);
    if (bestScore < 0)
      continue;
    forPairs(best, factors, [&](const Pair &pair) { open.erase(pair); });
    choices.push_back(best);
  }
  return choices;
}

unsigned rmsc::numeric::missingPairs(const std::vector<unsigned> &levels,
                                     unsigned factors,
                                     const std::vector<Choice> &choices,
                                     unsigned &total) {
  std::set<Pair> open = allPairs(levels, factors);
  total = open.size();
  for (const Choice &choice : choices)
    forPairs(choice, factors, [&](const Pair &pair) { open.erase(pair); });
  return open.size();
}
