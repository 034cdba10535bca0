/*
 * The names that weft_half_forms.cuh gives a strict meaning: while a toolkit
 * header is read, its own functions of these names are called otherwise.
 */
#define __hdiv weft_toolkit_hdiv
#define __h2div weft_toolkit_h2div
#define hsqrt weft_toolkit_hsqrt
#define hrsqrt weft_toolkit_hrsqrt
#define hrcp weft_toolkit_hrcp
#define hlog weft_toolkit_hlog
#define hlog2 weft_toolkit_hlog2
#define hlog10 weft_toolkit_hlog10
#define hexp weft_toolkit_hexp
#define hexp2 weft_toolkit_hexp2
#define hexp10 weft_toolkit_hexp10
#define hcos weft_toolkit_hcos
#define hsin weft_toolkit_hsin
#define htanh weft_toolkit_htanh
#define htanh_approx weft_toolkit_htanh_approx
#define h2sqrt weft_toolkit_h2sqrt
#define h2rsqrt weft_toolkit_h2rsqrt
#define h2rcp weft_toolkit_h2rcp
#define h2log weft_toolkit_h2log
#define h2log2 weft_toolkit_h2log2
#define h2log10 weft_toolkit_h2log10
#define h2exp weft_toolkit_h2exp
#define h2exp2 weft_toolkit_h2exp2
#define h2exp10 weft_toolkit_h2exp10
#define h2cos weft_toolkit_h2cos
#define h2sin weft_toolkit_h2sin
#define h2tanh weft_toolkit_h2tanh
#define h2tanh_approx weft_toolkit_h2tanh_approx
