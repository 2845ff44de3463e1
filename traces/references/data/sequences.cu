// Reads of genomes: how likely they are.
// No fused multiply-add

#include "../functions.cuh"

/// The logarithm of the likelihood of a read, given a haplotype: sum of the probabilities of all alignments, with states for equal
/// and different letters, insertions and deletions. Column by column of the haplotype; `states` has four numbers for each letter
/// of a read, for each pair. A thread for each pair.
extern "C" __global__ void read_likelihood(const unsigned char* reads, const unsigned char* quality,
                                           const unsigned char* haplotypes, int read_count, int haplotype_count,
                                           int read_length, int length, double* states, float* likelihood) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= read_count * haplotype_count) return;
  const int read = pair / haplotype_count * read_length, haplotype = pair % haplotype_count * length;
  double *match = states + (long long)pair * 4 * read_length, *insertion = match + read_length,
         *deletion = insertion + read_length, *error = deletion + read_length, total = 0;
  const double ten = 2.302585092994045684, open = exponential(-4.5 * ten), extend = 0.1;
  for (int i = 0; i < 3 * read_length; ++i) match[i] = 0;
  for (int row = 0; row < read_length; ++row) error[row] = exponential(-0.1 * ten * quality[read + row]);
  for (int column = 0; column < length; ++column) {
    double corner = 1.0 / length, above_match = 0, above_insertion = 0;  // The state before the read is a deletion.
    double corner_weight = 1 - extend;
    for (int row = 0; row < read_length; ++row) {
      const double prior = reads[read + row] == haplotypes[haplotype + column] ? 1 - error[row] : error[row] / 3;
      const double here = prior * corner * corner_weight;
      const double inserted = above_match * open + above_insertion * extend;
      const double deleted = match[row] * open + deletion[row] * extend;
      corner = match[row] * (1 - 2 * open) + (insertion[row] + deletion[row]) * (1 - extend);
      corner_weight = 1;
      match[row] = above_match = here;
      insertion[row] = above_insertion = inserted;
      deletion[row] = deleted;
    }
    total += above_match + above_insertion;
  }
  likelihood[pair] = log(total) / ten;
}
