/* Contexts. */
#include "opencl/misuse.h"

static cl_int properties_validate(const cl_context_properties *properties, icd_call call)
{
    bool has_platform = false, has_sync = false;
    for (const cl_context_properties *p = properties; p && *p; p += 2) {
        bool *is_repeated = *p == CL_CONTEXT_PLATFORM ? &has_platform : &has_sync;
        if (*p != CL_CONTEXT_PLATFORM && *p != CL_CONTEXT_INTEROP_USER_SYNC)
            return icd_refuse(call, CL_INVALID_PROPERTY, "unknown property 0x%llx",
                              (unsigned long long)*p);
        if (*is_repeated)
            return icd_refuse(call, CL_INVALID_PROPERTY, "property 0x%llx is given twice",
                              (unsigned long long)*p);
        *is_repeated = true;
        if (*p == CL_CONTEXT_PLATFORM && (cl_platform_id)p[1] != &icd_platform)
            return icd_refuse(call, CL_INVALID_PLATFORM, "CL_CONTEXT_PLATFORM is another platform");
        if (*p == CL_CONTEXT_INTEROP_USER_SYNC && p[1] != CL_TRUE && p[1] != CL_FALSE)
            return icd_refuse(call, CL_INVALID_PROPERTY,
                              "CL_CONTEXT_INTEROP_USER_SYNC is neither CL_TRUE nor CL_FALSE");
    }
    return CL_SUCCESS;
}

static cl_context context_create(const cl_context_properties *properties, cl_int *out_code,
                                 icd_call call)
{
    cl_int code = properties_validate(properties, call);
    if (code == CL_SUCCESS) code = icd_device_open(call);
    icd_store(out_code, code);
    if (code != CL_SUCCESS) return NULL;
    icd_misuse_in_callback(call);
    cl_context context = icd_object_create(sizeof *context, ICD_CONTEXT);
    for (const cl_context_properties *p = properties; p && *p; p += 2) {
        *rt_vector_push(&context->properties) = p[0];
        *rt_vector_push(&context->properties) = p[1];
    }
    if (properties) *rt_vector_push(&context->properties) = 0;
    return context;
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContext(
    const cl_context_properties *properties, cl_uint device_count, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
    cl_int *out_code)
{
    ICD_ENTER;
    if (!devices || device_count == 0 || (!notify && user)) {
        icd_store(out_code, REFUSE(CL_INVALID_VALUE,
                                   "no devices, or user data without a function to notify"));
        return NULL;
    }
    for (cl_uint i = 0; i < device_count; i++) {
        if (devices[i] == &icd_device) continue;
        icd_store(out_code, REFUSE(CL_INVALID_DEVICE, "entry %u is not a device of assay", i));
        return NULL;
    }
    return context_create(properties, out_code, ICD_CALL);
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                        void *user, cl_int *out_code)
{
    cl_uint count;
    cl_int code = clGetDeviceIDs(&icd_platform, type, 0, NULL, &count);
    if (code == CL_SUCCESS && !notify && user) code = CL_INVALID_VALUE;
    icd_store(out_code, code);
    if (code != CL_SUCCESS) return NULL;
    ICD_ENTER;
    return context_create(properties, out_code, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name,
                                                 size_t capacity, void *out, size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(context, ICD_CONTEXT, ICD_CALL)) return CL_INVALID_CONTEXT;
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT: return ICD_ANSWER(cl_uint, context->base.user_references);
    case CL_CONTEXT_NUM_DEVICES: return ICD_ANSWER(cl_uint, 1);
    case CL_CONTEXT_DEVICES: return ICD_ANSWER(cl_device_id, &icd_device);
    case CL_CONTEXT_PROPERTIES:
        return icd_answer(context->properties.items,
                          context->properties.count * sizeof *context->properties.items, capacity,
                          out, out_size);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetContextDestructorCallback(
    cl_context context, void(CL_CALLBACK *function)(cl_context, void *), void *user)
{
    ICD_ENTER;
    if (!icd_is(context, ICD_CONTEXT, ICD_CALL))
        return REFUSE(CL_INVALID_CONTEXT, "expected a context");
    if (!function) return REFUSE(CL_INVALID_VALUE, "no function");
    *rt_vector_push(&context->callbacks) = (icd_context_callback){function, user};
    return CL_SUCCESS;
}

void icd_context_free(cl_context context)
{
    /* In the reverse order of their registration. */
    icd_callback_begin();
    for (uint32_t i = context->callbacks.count; i > 0; i--)
        context->callbacks.items[i - 1].function(context, context->callbacks.items[i - 1].user);
    icd_callback_end();
    rt_vector_free(&context->callbacks);
    rt_vector_free(&context->properties);
}
