/* What the writer and the reader of packs share. */
#ifndef CONFORMANCE_SCENARIO_PACK_H
#define CONFORMANCE_SCENARIO_PACK_H

#include "conformance/scenario/model/scenario.h"

enum { SCN_PACK_TAG = 0x43535341 /* "ASSC" */, SCN_PACK_VERSION = 13 };

#endif
