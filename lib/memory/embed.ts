import type { Embedding } from '../ports/embedding.ts'
import type { Draft } from './change.ts'
import { filesIn } from './contents.ts'
import type { StoredChunk } from './rows.ts'
import { encodeVectors } from './vectors.ts'

/** Texts of one call of the model. */
const AT_ONCE = 64

const wordsOf = ({ trail = [], heading, text }: StoredChunk) =>
  [...trail, ...(heading === undefined ? [] : [heading]), text].join('\n')

/** Gives chunks that have none their vectors, file by file, each stored as it is done. Throws as the model does. */
export const embedMissing = async (
  draft: Draft,
  { model, embed }: Embedding,
  signal: AbortSignal,
): Promise<void> => {
  const lacking = filesIn(draft.contents()).filter(
    ({ chunks, embeddedBy }) => chunks.length > 0 && embeddedBy !== model,
  )
  for (const entry of lacking) {
    const vectors: Float32Array[] = []
    for (let at = 0; at < entry.chunks.length; at += AT_ONCE)
      vectors.push(...(await embed(entry.chunks.slice(at, at + AT_ONCE).map(wordsOf), signal)))
    await draft.put({ ...entry, embeddedBy: model, vectors: encodeVectors(vectors) })
  }
}
