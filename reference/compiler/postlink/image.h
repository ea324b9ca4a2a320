/* One image: the code of a part of the input, its symbols, its properties and its translation. */
#ifndef REFERENCE_COMPILER_POSTLINK_IMAGE_H
#define REFERENCE_COMPILER_POSTLINK_IMAGE_H

#include "reference/compiler/postlink/split.h"
#include "reference/image/image.h"

/* Builds an image from a part of `input`, which stays unchanged. Everything in *out_image lives in
 * the job's arena; on failure, *out_image is incomplete. POSTLINK_ERROR: the translator rejects the
 * code, or the symbols that the translation imports or exports differ from those that the image
 * lists; the diagnostic names them.
 */
RT_MUST_USE rt_status pl_image_make(pl_job *job, const rt_postlink_request *request,
                                    LLVMModuleRef input, const pl_graph *graph, const pl_part *part,
                                    rt_text name, rt_image *out_image);

#endif
