extern "C" __global__ void mandel(unsigned *out, int w, int h, float x0, float y0, float dx, int maxit)
{
 int x = blockIdx.x*blockDim.x+threadIdx.x, y = blockIdx.y*blockDim.y+threadIdx.y;
 if (x>=w||y>=h) return;
 float cx=x0+x*dx, cy=y0+y*dx, zx=0, zy=0; int i=0;
 while (i<maxit && zx*zx+zy*zy<4.0f) { float t=zx*zx-zy*zy+cx; zy=2*zx*zy+cy; zx=t; i++; }
 out[y*w+x]=i;
}
#define T 16
extern "C" __global__ void matmul(const float* __restrict__ a, const float* __restrict__ b, float* c, int n)
{
 __shared__ float sa[T][T], sb[T][T];
 int row=blockIdx.y*T+threadIdx.y, col=blockIdx.x*T+threadIdx.x; float acc=0;
 for(int k=0;k<n;k+=T){ sa[threadIdx.y][threadIdx.x]=a[row*n+k+threadIdx.x]; sb[threadIdx.y][threadIdx.x]=b[(k+threadIdx.y)*n+col]; __syncthreads();
  for(int j=0;j<T;j++) acc+=sa[threadIdx.y][j]*sb[j][threadIdx.x]; __syncthreads(); }
 c[row*n+col]=acc;
}
__device__ __forceinline__ unsigned rotr(unsigned x,int n){return (x>>n)|(x<<(32-n));}
__constant__ unsigned K[64]={
0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2};
extern "C" __global__ void hash(unsigned *out, unsigned seed)
{
 unsigned id=blockIdx.x*blockDim.x+threadIdx.x; unsigned w[16];
 w[0]=seed;w[1]=id;w[2]=0x80000000;
 #pragma unroll
 for(int i=3;i<15;i++)w[i]=0; w[15]=64;
 unsigned a=0x6a09e667,b=0xbb67ae85,c=0x3c6ef372,d=0xa54ff53a,e=0x510e527f,f=0x9b05688c,g=0x1f83d9ab,h=0x5be0cd19;
 #pragma unroll
 for(int i=0;i<64;i++){ unsigned wi; if(i<16)wi=w[i]; else { unsigned s0=w[(i+1)&15],s1=w[(i+14)&15]; s0=rotr(s0,7)^rotr(s0,18)^(s0>>3); s1=rotr(s1,17)^rotr(s1,19)^(s1>>10); wi=w[i&15]=w[i&15]+s0+w[(i+9)&15]+s1; }
  unsigned t1=h+(rotr(e,6)^rotr(e,11)^rotr(e,25))+((e&f)^(~e&g))+K[i]+wi; unsigned t2=(rotr(a,2)^rotr(a,13)^rotr(a,22))+((a&b)^(a&c)^(b&c));
  h=g;g=f;f=e;e=d+t1;d=c;c=b;b=a;a=t1+t2; }
 out[id]=a+0x6a09e667;
}
extern "C" __global__ void nbody(const float4* p, float4* acc, int n)
{
 __shared__ float4 s[256]; int i=blockIdx.x*256+threadIdx.x; float4 me=p[i]; float ax=0,ay=0,az=0;
 for(int k=0;k<n;k+=256){ s[threadIdx.x]=p[k+threadIdx.x]; __syncthreads();
  for(int j=0;j<256;j++){ float dx=s[j].x-me.x,dy=s[j].y-me.y,dz=s[j].z-me.z; float r2=dx*dx+dy*dy+dz*dz+1e-3f; float inv=1.0f/sqrtf(r2); float f=s[j].w*inv*inv*inv; ax+=dx*f;ay+=dy*f;az+=dz*f; }
  __syncthreads(); }
 acc[i]=make_float4(ax,ay,az,0);
}
extern "C" __global__ void mix(unsigned *out, int n)
{
 unsigned i=blockIdx.x*blockDim.x+threadIdx.x; unsigned a=i*2654435761u,b=i^0x9e3779b9u,c=i+7;
 for(int k=0;k<n;k++){ a+=b; b^=a<<5; c=c*1664525u+1013904223u; b+=c>>7; a^=c; c=__popc(a)+(c^b); a=(a>>3)|(a<<29);}
 out[i]=a^b^c;
}
