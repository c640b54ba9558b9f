/* SPDX-License-Identifier: Apache-2.0
 *
 * A step of a training job in two dimensions, without its computation: an allreduce in each tensor
 * group (ranks side by side), then one in each data group (ranks TP apart). Per step a barrier, then
 * the timed calls; a step takes as long as on its slowest rank, the figure is the median over steps.
 *
 *   mpirun -n TP*DP grid_loop TP DP TP_BYTES DP_BYTES STEPS      prints: STEPS SECONDS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  int rank, size, i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int tp = argc > 5 ? atoi(argv[1]) : 0, dp = argc > 5 ? atoi(argv[2]) : 0;
  if (tp < 1 || dp < 1 || tp * dp != size || atoi(argv[5]) < 1) {
    fprintf(stderr, "usage: grid_loop TP DP TP_BYTES DP_BYTES STEPS, as TP * DP ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 64);
  }
  int counts[2] = {(int)(atol(argv[3]) / 4), (int)(atol(argv[4]) / 4)}, steps = atoi(argv[5]);
  size_t most = (size_t)(counts[0] > counts[1] ? counts[0] : counts[1]) + 1;
  float *in = calloc(most, sizeof *in), *out = calloc(most, sizeof *out);
  double *mine = malloc((size_t)steps * sizeof *mine), *slowest = malloc((size_t)steps * sizeof *mine);
  if (!in || !out || !mine || !slowest) MPI_Abort(MPI_COMM_WORLD, 69);
  MPI_Comm groups[2];
  MPI_Comm_split(MPI_COMM_WORLD, rank / tp, rank, &groups[0]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % tp, rank, &groups[1]);
  for (i = -1; i < steps; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int axis = 0; axis < 2; ++axis) {
      MPI_Allreduce(in, out, counts[axis], MPI_FLOAT, MPI_SUM, groups[axis]);
    }
    if (i >= 0) mine[i] = MPI_Wtime() - start;
  }
  MPI_Reduce(mine, slowest, steps, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    qsort(slowest, (size_t)steps, sizeof *slowest, by_value);
    int middle = steps / 2;
    printf("%d %.9f\n", steps,
           steps % 2 ? slowest[middle] : (slowest[middle - 1] + slowest[middle]) / 2);
  }
  MPI_Finalize();
  return 0;
}
