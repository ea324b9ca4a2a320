// Twin: the test's checks can fail; queue and handler have no such functions for other classes.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
template <auto &Access>
using global = syclex::device_global<int, decltype(syclex::properties{Access})>;

template <class Who, class Global, class = void> struct copies_to : std::false_type {
};
template <class Who, class Global>
struct copies_to<Who, Global,
                 std::void_t<decltype(std::declval<Who &>().copy(
                     std::declval<const int *>(), std::declval<Global &>()))>> : std::true_type {
};
template <class Who, class Global, class = void> struct copies_from : std::false_type {
};
template <class Who, class Global>
struct copies_from<Who, Global,
                   std::void_t<decltype(std::declval<Who &>().copy(
                       std::declval<const Global &>(), std::declval<int *>()))>> : std::true_type {
};
template <class Who, class Global, class = void> struct memcpys_to : std::false_type {
};
template <class Who, class Global>
struct memcpys_to<Who, Global,
                  std::void_t<decltype(std::declval<Who &>().memcpy(
                      std::declval<Global &>(), std::declval<const void *>()))>> : std::true_type {
};
template <class Who, class Global, class = void> struct memcpys_from : std::false_type {
};
template <class Who, class Global>
struct memcpys_from<Who, Global,
                    std::void_t<decltype(std::declval<Who &>().memcpy(
                        std::declval<void *>(), std::declval<const Global &>()))>>
    : std::true_type {
};

/* True if a queue or a handler has all functions for the requested directions, and none for the
 * others. */
template <class Who, class Global> constexpr bool is(bool to, bool from)
{
    return copies_to<Who, Global>::value == to && memcpys_to<Who, Global>::value == to &&
           copies_from<Who, Global>::value == from && memcpys_from<Who, Global>::value == from;
}
template <class Global> constexpr bool both(bool to, bool from)
{
    return is<sycl::queue, Global>(to, from) && is<sycl::handler, Global>(to, from);
}
struct other {
    int value;
};
static_assert(both<other>(true, true)); // refused: static assertion failed
static_assert(both<other>(false, false));
