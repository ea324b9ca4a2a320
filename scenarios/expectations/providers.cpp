// Two providers of one symbol are linked although the first is enough (DL-RESOLVE-07,
// DL-RESOLVE-17).
//
// libboth exports f and g, libg exports g alone; the kernel imports both.  When libboth is met for
// f, g counts as resolved, so libg must not be taken.  libsycl 9.0.0 resolves each symbol by
// itself, takes both, and the driver's linker refuses: "symbol multiply defined!".  With a compiler
// of DPC++:
//
//   flags="-fsycl -fsycl-allow-device-image-dependencies"
//   icpx $flags -fPIC -shared -DLIBG    providers.cpp -o libg.so
//   icpx $flags -fPIC -shared -DLIBBOTH providers.cpp -o libboth.so
//   icpx $flags providers.cpp -L. -Wl,--no-as-needed -lg -lboth -Wl,-rpath,. -o providers &&
//   ./providers
//
// It prints 10 20 30 where the documents hold.  The scenario's own program, which needs no compiler
// of DPC++, shows the same: assay run scenarios/linking/one_provider_for_two_symbols.yaml --on
// dpcpp
#include <cstdio>
#include <sycl/sycl.hpp>

SYCL_EXTERNAL int f(int x);
SYCL_EXTERNAL int g(int x);

#if defined(LIBG)
SYCL_EXTERNAL int g(int x)
{
    return x * 10;
}
#elif defined(LIBBOTH)
SYCL_EXTERNAL int f(int x)
{
    return x + 1;
}
SYCL_EXTERNAL int g(int x)
{
    return x * 10;
}
#else
int main()
{
    int data[3] = {0, 1, 2};
    try {
        sycl::queue queue;
        sycl::buffer<int, 1> buffer(data, sycl::range<1>(3));
        queue.submit([&](sycl::handler &handler) {
            sycl::accessor access(buffer, handler);
            handler.parallel_for(sycl::range<1>(3),
                                 [=](sycl::id<1> i) { access[i] = g(f(access[i])); });
        });
        queue.wait_and_throw();
    } catch (const sycl::exception &refused) {
        std::printf("refused: %s\n", refused.what());
        return 1;
    }
    std::printf("%d %d %d\n", data[0], data[1], data[2]);
    return 0;
}
#endif
