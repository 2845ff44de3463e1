#pragma once
// The approximate single-precision functions of PTX (.approx.f32) of one value, for whoever executes them without a
// frame.

namespace lockstep::exec {

float reciprocal_f32(float a);
float square_root_f32(float a);
float reciprocal_root_f32(float a);
float sine_f32(float a);
float cosine_f32(float a);
float exponential_2_f32(float a);
float logarithm_2_f32(float a);
float quotient_f32(float a, float b);

}  // namespace lockstep::exec
