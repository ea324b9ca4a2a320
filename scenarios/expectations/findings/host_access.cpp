// Tests copies that the property host_access of a device_global forbids, without assay.
//
// sycl_ext_oneapi_device_global, "host_access": with read, the host may not write, with write it
// may not read, and with none neither; the functions for a forbidden direction do not exist, so
// this must not compile.
#include <sycl/sycl.hpp>

namespace syclex = sycl::ext::oneapi::experimental;

syclex::device_global<int, decltype(syclex::properties{syclex::host_access_read})> readable;
syclex::device_global<int, decltype(syclex::properties{syclex::host_access_write})> writable;
syclex::device_global<int, decltype(syclex::properties{syclex::host_access_none})> hidden;

void forbidden(sycl::queue &queue, int *value)
{
    queue.copy(value, readable);
    queue.copy(writable, value);
    queue.copy(value, hidden);
    queue.copy(hidden, value);
}
