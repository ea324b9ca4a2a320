#pragma OPENCL FP_CONTRACT OFF
__kernel void mandel(__global int*out, uint w, uint h, uint maxit){
  uint px=(uint)get_global_id(0), py=(uint)get_global_id(1);
  float cx=-2.0f+3.0f*(float)px/(float)w, cy=-1.5f+3.0f*(float)py/(float)h;
  float x=0.0f,y=0.0f; uint it=0;
  while(it<maxit){ float x2=x*x,y2=y*y; if(x2+y2>4.0f) break;
    y=2.0f*x*y+cy; x=x2-y2+cx; it++; }
  out[py*w+px]=(int)it; }
