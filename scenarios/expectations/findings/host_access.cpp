// Tests copies that the property host_access of a device_global forbids, without assay.
//
// sycl_ext_oneapi_device_global, "host_access": with read, the host may not write, and with write
// it may not read; the functions for the forbidden direction do not exist, so this must not
// compile.
#include <sycl/sycl.hpp>

namespace syclex = sycl::ext::oneapi::experimental;

syclex::device_global<int, decltype(syclex::properties{syclex::host_access_read})> readable;
syclex::device_global<int, decltype(syclex::properties{syclex::host_access_write})> writable;

void forbidden(sycl::queue &queue, int *value)
{
    queue.copy(value, readable);
    queue.copy(writable, value);
}
