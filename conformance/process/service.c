/* Datagrams with descriptors; see service.h. */
#include "conformance/process/service.h"

#include "conformance/process/child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { INPUT, LOG, DESCRIPTORS };

/* The byte of a datagram; a failure is an int, the status. */
enum { REQUEST = 'r', LAST_REQUEST = 'l', READY = 'd' };

/* The space of a control message with the descriptors, aligned as the system requires. */
typedef union control_space {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
} control_space;

int cnf_service_create(int *out_pool, int *out_child)
{
    int ends[2];
    *out_pool = *out_child = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    *out_pool = ends[0];
    *out_child = ends[1];
    return 0;
}

int cnf_service_send(int socket, int input, int log, bool is_last)
{
    char byte = is_last ? LAST_REQUEST : REQUEST;
    const int descriptors[DESCRIPTORS] = {[INPUT] = input, [LOG] = log};
    const size_t size = (log < 0 ? 1 : DESCRIPTORS) * sizeof *descriptors;
    struct iovec part = {&byte, 1};
    control_space control = {0};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), descriptors, size);
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent == 1 ? 0 : errno;
}

bool cnf_service_is_ready(int socket)
{
    char byte = 0;
    return recv(socket, &byte, 1, MSG_DONTWAIT) == 1 && byte == READY;
}

bool cnf_service_end(int socket, int *out_status)
{
    int status;
    ssize_t size = recv(socket, &status, sizeof status, MSG_DONTWAIT);
    *out_status = size == (ssize_t)sizeof status ? status : 0;
    return size > 0;
}

bool cnf_service_receive(int socket, int *out_input, bool *out_last)
{
    char byte = 0;
    int descriptors[DESCRIPTORS] = {-1, -1};
    struct iovec part = {&byte, 1};
    control_space control = {0};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t size;
    *out_input = -1;
    do {
        size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
    if (size == 0) return false;
    const struct cmsghdr *header = size == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    const size_t length = header && header->cmsg_type == SCM_RIGHTS ? header->cmsg_len : 0;
    if (length != CMSG_LEN(sizeof(int)) && length != CMSG_LEN(sizeof descriptors)) {
        fprintf(stderr, "assay: a request cannot be received: %s\n",
                size < 0 ? strerror(errno) : "it has no descriptors");
        return false;
    }
    memcpy(descriptors, CMSG_DATA(header), length - CMSG_LEN(0));
    *out_input = descriptors[INPUT];
    *out_last = byte == LAST_REQUEST;
    if (descriptors[LOG] < 0) return true;
    bool has_log = dup3(descriptors[LOG], CNF_CHILD_LOG, 0) == CNF_CHILD_LOG;
    if (!has_log) perror("assay: the log of a request");
    close(descriptors[LOG]);
    return has_log;
}

bool cnf_service_ready(int socket)
{
    char byte = READY;
    return send(socket, &byte, 1, MSG_NOSIGNAL) == 1;
}

bool cnf_service_failed(int socket, int status)
{
    return send(socket, &status, sizeof status, MSG_NOSIGNAL) == (ssize_t)sizeof status;
}
