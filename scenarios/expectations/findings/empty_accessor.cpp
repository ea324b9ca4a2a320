// A copy of 0 elements through an accessor whose range is 0, without assay.
//
// SYCL 2020, 4.9.4.3 "SYCL functions for explicit memory operations": a copy to a pointer needs as
// many bytes there as the accessor's range has; there is no smallest range.
#include <sycl/sycl.hpp>

#include <cstdio>

int main()
{
    sycl::queue queue;
    sycl::buffer<int, 1> from{sycl::range<1>(4)};
    int to[4];
    for (size_t count : {1, 0}) {
        std::printf("copy of %zu elements: ", count);
        std::fflush(stdout);
        queue
            .submit([&](sycl::handler &handler) {
                sycl::accessor source{from, handler, sycl::range<1>(count), sycl::read_only};
                handler.copy(source, to);
            })
            .wait();
        std::printf("complete\n");
    }
    return 0;
}
