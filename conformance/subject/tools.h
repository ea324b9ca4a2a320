/* The tools that a driver may lack, served by the compile worker. */
#ifndef CONFORMANCE_SUBJECT_TOOLS_H
#define CONFORMANCE_SUBJECT_TOOLS_H

#include "conformance/compile/compile.h"
#include "reference/device/device.h"

/* The table whose links are answered from the cache (borrowed) or by a worker process. */
dev_tools cnf_tools(cnf_cache *cache);

#endif
