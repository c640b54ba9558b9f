/* SPDX-License-Identifier: Apache-2.0
 *
 * An MPI_Allreduce loop that shares nothing with topobench: what topobench's figures are held
 * against (topobench_against_loop.py). Per iteration a barrier, then the timed call; the time of an
 * iteration is the slowest rank's, the figure printed is the median over iterations.
 *
 *   mpirun -n 2 allreduce_loop BYTES [ITERATIONS [WARM-UP]]      prints: BYTES SECONDS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  int rank, i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long bytes = argc > 1 ? atol(argv[1]) : 1024;
  int iterations = argc > 2 ? atoi(argv[2]) : 20, warmup = argc > 3 ? atoi(argv[3]) : 5;
  int count = (int)(bytes / 4);
  if (count < 1 || iterations < 1) {
    fprintf(stderr, "usage: allreduce_loop BYTES [ITERATIONS [WARM-UP]]\n");
    MPI_Abort(MPI_COMM_WORLD, 64);
  }
  float *in = aligned_alloc(4096, ((size_t)bytes / 4096 + 1) * 4096);
  float *out = aligned_alloc(4096, ((size_t)bytes / 4096 + 1) * 4096);
  double *mine = malloc((size_t)iterations * sizeof *mine);
  double *slowest = malloc((size_t)iterations * sizeof *slowest);
  if (!in || !out || !mine || !slowest) MPI_Abort(MPI_COMM_WORLD, 69);
  for (i = 0; i < count; ++i) in[i] = (float)(rank + i % 1000), out[i] = 0;
  for (i = -warmup; i < iterations; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    if (i >= 0) mine[i] = MPI_Wtime() - start;
  }
  MPI_Reduce(mine, slowest, iterations, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    qsort(slowest, (size_t)iterations, sizeof *slowest, by_value);
    int middle = iterations / 2;
    double median =
        iterations % 2 ? slowest[middle] : (slowest[middle - 1] + slowest[middle]) / 2;
    printf("%ld %.9f\n", bytes, median);
  }
  MPI_Finalize();
  return 0;
}
