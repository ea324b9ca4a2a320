/* Sections that ThreadSanitizer does not see.
 *
 * A lock that only the test machinery takes, such as that of the turns (handover.h) or of the
 * planted faults (fault.h), orders threads that nothing orders otherwise, and so hides that the
 * runtime lacks a lock.  Between RT_UNSEEN_BEGIN and RT_UNSEEN_END, ThreadSanitizer ignores what
 * the calling thread locks, reads and writes.  In other builds the macros do nothing. */
#ifndef REFERENCE_BASE_UNSEEN_H
#define REFERENCE_BASE_UNSEEN_H

#ifdef __SANITIZE_THREAD__
/* Entry points of ThreadSanitizer's run-time library. */
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
#define RT_UNSEEN_BEGIN()                                                                          \
    (AnnotateIgnoreSyncBegin(__FILE__, __LINE__), AnnotateIgnoreReadsBegin(__FILE__, __LINE__),    \
     AnnotateIgnoreWritesBegin(__FILE__, __LINE__))
#define RT_UNSEEN_END()                                                                            \
    (AnnotateIgnoreWritesEnd(__FILE__, __LINE__), AnnotateIgnoreReadsEnd(__FILE__, __LINE__),      \
     AnnotateIgnoreSyncEnd(__FILE__, __LINE__))
#else
#define RT_UNSEEN_BEGIN() ((void)0)
#define RT_UNSEEN_END()   ((void)0)
#endif

#endif
