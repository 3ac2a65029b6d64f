/* What a finding was seen by, as text. */
#ifndef RENDER_TEXT_EVIDENCE_H
#define RENDER_TEXT_EVIDENCE_H

#include "engine/engine.h"
#include "render/style.h"

/* A paragraph with a bullet; of a long list, whose parts "; " separates, the first few. */
void text_add_evidence(struct text *out, const struct style *style,
                       const struct evidence *evidence);

#endif
