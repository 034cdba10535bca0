/*
 * gpu/exec/priv/video - what op.imm of video instructions means.
 */
#ifndef WEFT_GPU_EXEC_PRIV_VIDEO_H
#define WEFT_GPU_EXEC_PRIV_VIDEO_H

/* Scalar: parts of a, b, d in bits 0, 3, 6 (enum ptx_select). */
#define VIDEO_PARTS(a, b, d) ((a) | (b) << 3 | (d) << 6)
#define VIDEO_A_SIGNED	     (1u << 9)
#define VIDEO_B_SIGNED	     (1u << 10)
#define VIDEO_D_SIGNED	     (1u << 11)
#define VIDEO_SAT	     (1u << 12)
#define VIDEO_SECOND	     (3u << 13)
#define VIDEO_ADD	     (1u << 13)
#define VIDEO_MIN	     (2u << 13)
#define VIDEO_MAX	     (3u << 13)
#define VIDEO_WRAP	     (1u << 15)
#define VIDEO_PLUS_ONE	     (1u << 16)
#define VIDEO_SHR7	     (1u << 17)
#define VIDEO_SHR15	     (1u << 18)
#define VIDEO_MINUS_PRODUCT  (1u << 19)
#define VIDEO_MINUS_C	     (1u << 20)
/* enum of the comparison, eq to ge from 1 on */
#define VIDEO_COMPARE_SHIFT 21u
#define VIDEO_COMPARE(imm)  ((imm) >> VIDEO_COMPARE_SHIFT & 7u)

/* SIMD: written lanes in bits 0 to 3. */
#define SIMD_A_SIGNED	   (1u << 4)
#define SIMD_B_SIGNED	   (1u << 5)
#define SIMD_D_SIGNED	   (1u << 6)
#define SIMD_SAT	   (1u << 7)
#define SIMD_ADD	   (1u << 8)
#define SIMD_COMPARE_SHIFT 9u
#define SIMD_COMPARE(imm)  ((imm) >> SIMD_COMPARE_SHIFT & 7u)

#endif /* WEFT_GPU_EXEC_PRIV_VIDEO_H */
