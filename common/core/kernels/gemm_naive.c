#include "core/kernels/gemm.h"

/* c_ij = sum_p a_ip b_pj */
void gemm_naive(bool trans_a, bool trans_b, int m, int n, int k, const float *a, int lda,
                const float *b, int ldb, bool accumulate, float *c, int ldc) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) {
                float a_ip = trans_a ? a[(long)p * lda + i] : a[(long)i * lda + p];
                float b_pj = trans_b ? b[(long)j * ldb + p] : b[(long)p * ldb + j];
                sum += a_ip * b_pj;
            }
            float *c_ij = &c[(long)i * ldc + j];
            *c_ij = accumulate ? *c_ij + sum : sum;
        }
    }
}
