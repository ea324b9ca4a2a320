/* Functions of optional features that the device reports as absent: images, samplers, pipes, shared
 * virtual memory, native kernels.  Each returns the specification's error for such a device. */
#include "opencl/report.h"

/* The parameters have the names of the API's header, and most are not needed. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static void *refuse_object(cl_context context, cl_int *out_code, const char *what, icd_call call)
{
    bool is_context = icd_is(context, ICD_CONTEXT, call);
    icd_store(out_code, icd_refuse(call, is_context ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT,
                                   "the device supports no %s", what));
    return NULL;
}

static cl_int refuse_command(cl_command_queue queue, const char *what, icd_call call)
{
    if (!icd_is(queue, ICD_QUEUE, call))
        return icd_refuse(call, CL_INVALID_COMMAND_QUEUE, "expected a queue");
    return icd_refuse(call, CL_INVALID_OPERATION, "the device supports no %s", what);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags,
                                              const cl_image_format *image_format,
                                              const cl_image_desc *image_desc, void *host_ptr,
                                              cl_int *errcode_ret)
{
    ICD_ENTER;
    return refuse_object(context, errcode_ret, "images", ICD_CALL);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags,
                                                const cl_image_format *image_format,
                                                size_t image_width, size_t image_height,
                                                size_t image_row_pitch, void *host_ptr,
                                                cl_int *errcode_ret)
{
    ICD_ENTER;
    return refuse_object(context, errcode_ret, "images", ICD_CALL);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags,
                                                const cl_image_format *image_format,
                                                size_t image_width, size_t image_height,
                                                size_t image_depth, size_t image_row_pitch,
                                                size_t image_slice_pitch, void *host_ptr,
                                                cl_int *errcode_ret)
{
    ICD_ENTER;
    return refuse_object(context, errcode_ret, "images", ICD_CALL);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context,
                                                            const cl_mem_properties *properties,
                                                            cl_mem_flags flags,
                                                            const cl_image_format *image_format,
                                                            const cl_image_desc *image_desc,
                                                            void *host_ptr, cl_int *errcode_ret)
{
    ICD_ENTER;
    return refuse_object(context, errcode_ret, "images", ICD_CALL);
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized_coords,
                                                    cl_addressing_mode addressing_mode,
                                                    cl_filter_mode filter_mode, cl_int *errcode_ret)
{
    ICD_ENTER;
    return refuse_object(context, errcode_ret, "samplers", ICD_CALL);
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(
    cl_context context, const cl_sampler_properties *sampler_properties, cl_int *errcode_ret)
{
    ICD_ENTER;
    return refuse_object(context, errcode_ret, "samplers", ICD_CALL);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags,
                                             cl_uint pipe_packet_size, cl_uint pipe_max_packets,
                                             const cl_pipe_properties *properties,
                                             cl_int *errcode_ret)
{
    ICD_ENTER;
    return refuse_object(context, errcode_ret, "pipes", ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue command_queue, cl_mem image,
                                                   cl_bool blocking_read, const size_t *origin,
                                                   const size_t *region, size_t row_pitch,
                                                   size_t slice_pitch, void *ptr,
                                                   cl_uint num_events_in_wait_list,
                                                   const cl_event *event_wait_list, cl_event *event)
{
    ICD_ENTER;
    return refuse_command(command_queue, "images", ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(
    cl_command_queue command_queue, cl_mem image, cl_bool blocking_write, const size_t *origin,
    const size_t *region, size_t input_row_pitch, size_t input_slice_pitch, const void *ptr,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    ICD_ENTER;
    return refuse_command(command_queue, "images", ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image,
                                                   cl_mem dst_image, const size_t *src_origin,
                                                   const size_t *dst_origin, const size_t *region,
                                                   cl_uint num_events_in_wait_list,
                                                   const cl_event *event_wait_list, cl_event *event)
{
    ICD_ENTER;
    return refuse_command(command_queue, "images", ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(
    cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer, const size_t *src_origin,
    const size_t *region, size_t dst_offset, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event)
{
    ICD_ENTER;
    return refuse_command(command_queue, "images", ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(
    cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image, size_t src_offset,
    const size_t *dst_origin, const size_t *region, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event)
{
    ICD_ENTER;
    return refuse_command(command_queue, "images", ICD_CALL);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue command_queue, cl_mem image,
                                                 cl_bool blocking_map, cl_map_flags map_flags,
                                                 const size_t *origin, const size_t *region,
                                                 size_t *image_row_pitch, size_t *image_slice_pitch,
                                                 cl_uint num_events_in_wait_list,
                                                 const cl_event *event_wait_list, cl_event *event,
                                                 cl_int *errcode_ret)
{
    ICD_ENTER;
    icd_store(errcode_ret, refuse_command(command_queue, "images", ICD_CALL));
    return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue command_queue, cl_mem image,
                                                   const void *fill_color, const size_t *origin,
                                                   const size_t *region,
                                                   cl_uint num_events_in_wait_list,
                                                   const cl_event *event_wait_list, cl_event *event)
{
    ICD_ENTER;
    return refuse_command(command_queue, "images", ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(
    cl_command_queue command_queue, void(CL_CALLBACK *user_func)(void *), void *args,
    size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list, const void **args_mem_loc,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    ICD_ENTER;
    return refuse_command(command_queue, "native kernels", ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                           cl_mem_object_type image_type,
                                                           cl_uint num_entries,
                                                           cl_image_format *image_formats,
                                                           cl_uint *num_image_formats)
{
    ICD_ENTER;
    if (!icd_is(context, ICD_CONTEXT, ICD_CALL))
        return REFUSE(CL_INVALID_CONTEXT, "expected a context");
    bool is_image =
        image_type >= CL_MEM_OBJECT_IMAGE2D && image_type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if (!is_image || (num_entries == 0 && image_formats))
        return REFUSE(CL_INVALID_VALUE, "type 0x%x, or no room for formats", image_type);
    if (num_image_formats) *num_image_formats = 0;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info param_name,
                                               size_t param_value_size, void *param_value,
                                               size_t *param_value_size_ret)
{
    return CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name,
                                              size_t param_value_size, void *param_value,
                                              size_t *param_value_size_ret)
{
    return CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name,
                                                 size_t param_value_size, void *param_value,
                                                 size_t *param_value_size_ret)
{
    return CL_INVALID_SAMPLER;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    return CL_INVALID_SAMPLER;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    return CL_INVALID_SAMPLER;
}
